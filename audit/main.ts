/**
 * `npm run audit`: the lockfile names only packages of the registry, with checksums and without unknown install scripts, and
 * none with a known weakness. Where the registry cannot be asked it says so and passes.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readAdvice } from './advisories.ts';
import { lockfileProblems, npmrcProblems } from './lockfile.ts';

const root = new URL('../', import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));
const problems = [...lockfileProblems({ packages }), ...npmrcProblems(readFileSync(new URL('.npmrc', root), 'utf8'))];

const timeout = 20_000;
const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8', timeout, shell: false });
const advice = readAdvice({ text: stdout ?? '' });
if (advice.isKnown) problems.push(...advice.problems);
else console.log(`audit: the registry could not be asked for known weaknesses: ${advice.reason}`);

for (const problem of problems) console.error(`audit: ${problem}`);
console.log(`audit: ${Object.keys(packages).length} packages, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
