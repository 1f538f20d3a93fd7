import { createRandom } from 'longhaul/testing';
import { compileGlob, runGlob } from '../../packages/engine/src/agent/glob.ts';
import type { RunHostile } from './hostile-class.ts';

const units = ['*a', '**/a', '{a,aa}', '{*,a*}', '?*', '**', '{a,{a,{a,aa}}}', '[a-z]*', '*', 'a', '/', '{', ',', '}'];

/** Patterns and paths on which backtracking would take exponential time; steps are counted, not seconds. */
export const hostileGlobs: RunHostile = async ({ seed, count }) => {
  const random = createRandom(seed);
  const findings: string[] = [];
  let most = 0;
  for (let number = 0; number < count; number += 1) {
    const parts = Array.from({ length: random.int(1, 60) }, () => random.pick(['a', ...units]));
    const glob = random.chance(0.5) ? parts.join('') : (parts[0] ?? '').repeat(parts.length);
    const path = random.pick(['a', 'a/', 'ab', '/', '😀']).repeat(random.int(1, 200));
    const program = compileGlob({ glob: glob.slice(0, 1000), isCaseless: random.chance(0.5) });
    const { steps } = runGlob({ program, path });
    const share = steps / (program.length * ([...path].length + 1));
    most = Math.max(most, share);
    if (share > 3) findings.push(`${JSON.stringify(glob)} on ${path.length} characters: ${steps} steps`);
  }
  return { cases: count, findings, notes: [`at most ${most.toFixed(2)} steps an instruction and character`] };
};
