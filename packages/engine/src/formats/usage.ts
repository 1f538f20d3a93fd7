import type { Draft, UsageEntry } from '../session/index.ts';

/** What a call consumed, as a file tells it: any value, of which only sensible numbers count. */
interface RawUsage {
  /** Tokens that were read anew. */
  readonly input?: unknown;
  /** All that was read, for agents that count what came from a cache and what went into one with it. */
  readonly prompt?: unknown;
  readonly output?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  /** Part of `output`. */
  readonly reasoning?: unknown;
}

/**
 * A usage note for a call; `undefined` if no usage is reported.
 *
 * @example
 * usageNote({ prompt: 5920, cacheRead: 5000, output: 128 }); // input 920, cacheRead 5000, output 128
 */
export function usageNote(reported: RawUsage): Draft<UsageEntry> | undefined {
  const [cacheRead, cacheWrite, output] = [
    amount(reported.cacheRead),
    amount(reported.cacheWrite),
    amount(reported.output),
  ];
  const input =
    reported.prompt === undefined ? amount(reported.input) : amount(reported.prompt) - cacheRead - cacheWrite;
  const reasoning = amount(reported.reasoning);
  const usage = { input: Math.max(0, input), output, cacheRead, cacheWrite, ...(reasoning > 0 && { reasoning }) };
  return Object.values(usage).some((tokens) => tokens > 0) ? { type: 'usage', usage } : undefined;
}

/** A number of tokens; 0 for everything that cannot be one. */
export function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
