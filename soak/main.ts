/**
 * `npm run soak [-- PATTERN…]`: the property tests again, with fresh seeds. First those of the engine's promises, in rounds
 * until 100,000 histories have passed (or `--histories N`), then all others with ten times their cases (or SOAK_FACTOR
 * times). With patterns, only the test files they name, with SOAK_FACTOR. `npm run soak -- agent` runs soak/agent, `npm run soak -- hostile`
 * soak/hostile. A failure ends it and prints its seed and path; put them into the test to see it again.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { soakAgent } from './agent/index.ts';
import { soakHostile } from './hostile/index.ts';

/**
 * What one round tries: the `runs(1_000)` of `engine.property.test.ts`, and the 1,000 that the four presets share in
 * `models.property.test.ts`, so that it is over in about two minutes.
 */
const perRound = 1_000;
const roundFactor = '1';
const engine = [
  ...['engine.property', 'anything.property', 'ten-compactions.property'],
  ...['models.property', 'interleavings.property'],
];

if (process.argv[2] === 'agent') process.exit(await soakAgent(process.argv.slice(3)));
if (process.argv[2] === 'hostile') process.exit(await soakHostile(process.argv.slice(3)));

const { values, positionals: patterns } = parseArgs({
  options: { histories: { type: 'string', default: '100000' } },
  allowPositionals: true,
});
const histories = Number(values.histories);
if (!Number.isInteger(histories) || histories < 0) {
  throw new Error(`--histories must be a whole number, not "${values.histories}".`);
}
const factor = process.env.SOAK_FACTOR ?? '10';
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const started = Date.now();

process.exitCode = patterns.length > 0 ? others(patterns) : rounds() || others(['packages/engine']);

/** One after the other, so that one sees how far it is, and what has passed has passed. */
function rounds(): number {
  const count = Math.ceil(histories / perRound);
  for (let round = 1; round <= count; round += 1) {
    const status = run({ patterns: engine, factor: roundFactor, reporter: 'dot' });
    if (status !== 0) return status;
    const passed = Math.min(histories, round * perRound).toLocaleString('en');
    const minutes = (Date.now() - started) / 60_000;
    const left = (minutes / round) * (count - round);
    console.log(
      `soak: ${passed} of ${histories.toLocaleString('en')} histories passed in ${minutes.toFixed(1)} min, about ${left.toFixed(0)} min to go`,
    );
  }
  return 0;
}

function others(named: readonly string[]): number {
  console.log(`soak: properties with ${factor} times their cases`);
  return run({ patterns: named, factor, reporter: 'default' });
}

function run(of: {
  readonly patterns: readonly string[];
  readonly factor: string;
  readonly reporter: 'default' | 'dot';
}): number {
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--testTimeout=3600000', `--reporter=${of.reporter}`, ...of.patterns],
    { stdio: 'inherit', env: { ...process.env, SOAK_FACTOR: of.factor } },
  );
  return status ?? 1;
}
