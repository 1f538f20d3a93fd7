import type { Io } from '../io/io.ts';

/**
 * The width for tables: that of the terminal, or the variable COLUMNS. Output to a pipe is not cut.
 *
 * @example
 * columns({ rows, width: tableWidth(io) });
 */
export function tableWidth({ stdout, env }: Pick<Io, 'stdout' | 'env'>): number {
  return stdout.isTerminal || columnsOf(env) !== undefined ? stdout.columns : Number.POSITIVE_INFINITY;
}

/** The variable COLUMNS, if it is a number. */
export function columnsOf(env: Io['env']): number | undefined {
  return /^[1-9]\d{0,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : undefined;
}
