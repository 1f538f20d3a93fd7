/**
 * `npm run soak [-- PATTERN…]`: the property tests again, with ten times the cases (or SOAK_FACTOR times), each
 * with fresh seeds. A failure prints its seed and path; put them into the test to see it again.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const factor = process.env.SOAK_FACTOR ?? '10';
const patterns = process.argv.slice(2);
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
console.log(`soak: properties with ${factor} times their cases`);
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--testTimeout=3600000', ...(patterns.length > 0 ? patterns : ['packages/engine'])],
  { stdio: 'inherit', env: { ...process.env, SOAK_FACTOR: factor } },
);
process.exitCode = status ?? 1;
