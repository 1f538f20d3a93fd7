/** What a provider reported for one request, in no provider's words. */
export interface ReportedUsage {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  readonly input: number;
  readonly output?: number;
  readonly cacheCreation?: number;
  readonly cacheRead?: number;
}

/**
 * The size of the prompt. Cached tokens fill the window like all others: a warm cache must not read as an empty window.
 *
 * @example
 * promptTokens({ input: 3, cacheRead: 41_000, cacheCreation: 900 }); // 41_903
 */
export function promptTokens({ input, cacheCreation = 0, cacheRead = 0 }: ReportedUsage): number {
  return input + cacheCreation + cacheRead;
}
