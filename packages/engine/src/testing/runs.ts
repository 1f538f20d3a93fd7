/**
 * Number of cases of a property test: the given number in `npm test`, more in `npm run soak`, which sets the factor.
 * For the project's own tests only.
 */
export function runs(cases: number): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(cases * soakFactor())) };
}

/**
 * Seed of a test that generates its cases: the same in every `npm test`, so that the same sources give the same result, and a
 * fresh one in `npm run soak`. For the project's own tests only.
 */
export function caseSeed(): number {
  return Number(process.env.CASE_SEED ?? Date.now());
}

/** An invalid factor must not result in zero cases. */
function soakFactor(): number {
  const given = process.env.SOAK_FACTOR ?? '1';
  const factor = Number(given);
  if (given.trim() === '' || !(factor > 0)) throw new Error(`SOAK_FACTOR must be a number above 0, not "${given}".`);
  return factor;
}
