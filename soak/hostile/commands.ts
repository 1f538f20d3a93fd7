import { createRandom } from 'longhaul/testing';
import { decide, type PermissionMode } from '../../packages/engine/src/agent/permissions/decide.ts';
import { parseRule } from '../../packages/engine/src/agent/permissions/rule.ts';
import { understandLine } from '../../packages/engine/src/shell/index.ts';
import { type CommandBox, openCommandBox } from './command-box.ts';
import { hostileLine } from './command-lines.ts';
import type { RunHostile } from './hostile-class.ts';

/** Lines that are run together. */
const batchSize = 400;

const ruled = {
  mode: 'ask',
  allow: ['npm test:*', 'printf:*', 'test:*', 'echo:*', 'true', 'sleep:*', 'date:*'],
  deny: [],
};
const broad = { mode: 'yes', allow: [], deny: ['rm:*'] };

/**
 * Generated command lines, each judged with rules or with `--yes` and a denied `rm`. Those that are allowed run in bash,
 * dash and, where it is installed, zsh: nothing outside the workspace may change, `rm` may not run, and the allowed program
 * must receive exactly the words that permissions saw.
 */
export const hostileCommands: RunHostile = async ({ seed, count }) => {
  const random = createRandom(seed);
  const box = openCommandBox();
  const findings: string[] = [];
  const judges = [ruled, broad].map((setting) => judgeFor({ setting, root: box.work }));
  let [allowed, slowest, batch]: [number, number, string[]] = [0, 0, []];
  try {
    for (let number = 0; number < count; number += 1) {
      const line = hostileLine(random);
      if (!judges[number % judges.length]?.(line)) continue;
      allowed += 1;
      batch.push(line);
      if (batch.length === batchSize) {
        findings.push(...damageOf({ box, lines: batch }));
        batch = [];
      }
    }
    findings.push(...damageOf({ box, lines: batch }));
    slowest = slowestJudgment();
  } finally {
    box.remove();
  }
  const share = `${((100 * allowed) / Math.max(1, count)).toFixed(1)} % of the lines were allowed and run`;
  return {
    cases: count,
    findings,
    notes: [
      `${share} in ${box.shells.join(', ')}`,
      `the slowest of ${hundredKilobytes.length} lines of 100 KB: ${slowest.toFixed(0)} ms`,
    ],
  };
};

function judgeFor(of: {
  readonly setting: { readonly mode: string; readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly root: string;
}): (line: string) => boolean {
  const { setting, root } = of;
  const rules = (texts: readonly string[]) =>
    texts.map((text) => parseRule({ text: `bash(${text})`, cwd: root, home: '/nowhere' }));
  const context = {
    mode: setting.mode as PermissionMode,
    allow: rules(setting.allow),
    deny: rules(setting.deny),
    root,
    home: '/nowhere',
  };
  return (line) => {
    const access = { kind: 'execute', command: line, cwd: root } as const;
    return (
      decide({ request: { callId: 'c', tool: 'bash', input: {}, access, summary: '' }, context }).verdict === 'allow'
    );
  };
}

/** What a batch did; where it did damage, the lines that did, one by one. */
function damageOf({ box, lines }: { readonly box: CommandBox; readonly lines: readonly string[] }): string[] {
  if (lines.length === 0) return [];
  const { damage, calls } = box.run(lines);
  const expected = new Set(lines.flatMap(callsOf));
  const strange = calls.filter((call) => !expected.has(call));
  if (damage.length === 0 && strange.length === 0) return [];
  if (lines.length === 1) {
    const all = [...damage, ...strange.map((call) => `npm was called with ${JSON.stringify(call.split('\u0001'))}`)];
    return [`${JSON.stringify(lines[0])}: ${all.join('; ')}`];
  }
  const middle = Math.ceil(lines.length / 2);
  return [lines.slice(0, middle), lines.slice(middle)].flatMap((half) => damageOf({ box, lines: half }));
}

/** How `npm` is called if the words of a line are literal. */
function callsOf(line: string): string[] {
  return understandLine(line).commands.flatMap(({ names }) =>
    names.filter(([name]) => name === 'npm').map(([, ...args]) => args.map((word) => `${word}\u0001`).join('')),
  );
}

const hundredKilobytes = [
  `npm test${' a'.repeat(50_000)}`,
  'ls;'.repeat(33_000),
  `echo ${"'a'".repeat(33_000)}`,
  'cd a && '.repeat(12_000),
  'cat <<E\nx\nE\n'.repeat(8_000),
  `${'nice '.repeat(20_000)}ls`,
  `touch ${'../'.repeat(33_000)}`,
  `echo ${'"$('.repeat(33_000)}`,
];

/** In milliseconds. */
function slowestJudgment(): number {
  const judge = judgeFor({ setting: broad, root: '/nowhere' });
  return Math.max(
    ...hundredKilobytes.map((line) => {
      const started = performance.now();
      judge(line);
      return performance.now() - started;
    }),
  );
}
