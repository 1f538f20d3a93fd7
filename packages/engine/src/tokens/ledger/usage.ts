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
