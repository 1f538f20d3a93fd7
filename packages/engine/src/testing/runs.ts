/**
 * Number of cases of a property test: the given number in `npm test`, more in `npm run soak`, which sets the factor.
 * For the project's own tests only.
 */
export function runs(cases: number): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(cases * soakFactor())) };
}

/** An invalid factor must not result in zero cases. */
function soakFactor(): number {
  const given = process.env.SOAK_FACTOR ?? '1';
  const factor = Number(given);
  if (given.trim() === '' || !(factor > 0)) throw new Error(`SOAK_FACTOR must be a number above 0, not "${given}".`);
  return factor;
}
