/**
 * How many cases a property test runs: the given number in `npm test`, more in `npm run soak`, which sets the factor.
 * For the project's own tests only.
 */
export function runs(cases: number): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(cases * soakFactor())) };
}

/** A factor that is no number must not pass for a run without cases. */
function soakFactor(): number {
  const given = process.env.SOAK_FACTOR ?? '1';
  const factor = Number(given);
  if (given.trim() === '' || !(factor > 0)) throw new Error(`SOAK_FACTOR must be a number above 0, not "${given}".`);
  return factor;
}
