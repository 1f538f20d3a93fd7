/** What a provider reported for one request; the usage of `longhaul/models` is one. */
export interface ReportedUsage {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  readonly input: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/**
 * The size of the prompt. Cached tokens fill the window like all others: a warm cache must not read as an empty window.
 *
 * @example
 * promptTokens({ input: 3, cacheRead: 41_000, cacheWrite: 900 }); // 41_903
 */
export function promptTokens({ input, cacheRead = 0, cacheWrite = 0 }: ReportedUsage): number {
  return input + cacheRead + cacheWrite;
}

/**
 * A reported length of an answer, unless it cannot be true. Logs of streams may hold what was reported at the start: in
 * five sessions of Claude Code 340 of 553 answers are said to have less than half of the tokens that stand there, one of
 * 13,000 characters has 8. To believe that would overfill the window; a number that is too large is harmless.
 *
 * @example
 * trustedOutput({ output: 8, counted: 3_200 }); // undefined
 * trustedOutput({ output: 3_900, counted: 3_200 }); // 3_900
 */
export function trustedOutput({
  output,
  counted,
}: {
  readonly output: number | undefined;
  /** Our own count of the same answer. */
  readonly counted: number;
}): number | undefined {
  return output !== undefined && output * 2 >= counted ? output : undefined;
}
