/**
 * How many cases a property test runs: the given number in `npm test`, more in `npm run soak`, which sets the factor.
 * For the project's own tests only.
 */
export function runs(cases: number): { readonly numRuns: number } {
  const factor = Number(process.env.LONGHAUL_SOAK_FACTOR ?? 1);
  return { numRuns: Math.max(1, Math.round(cases * factor)) };
}
