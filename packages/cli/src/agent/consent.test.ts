import type { Access, PermissionRequest } from 'longhaul/agent';
import { describe, expect, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { consentOf, flagFor } from './consent.ts';
import { readRememberedRules } from './remembered-rules.ts';

const cwd = '/project';
const command = (text: string): Access => ({ kind: 'execute', command: text, cwd });
const file = (kind: 'read' | 'write', path: string, isOutside = false): Access => ({ kind, paths: [path], isOutside });

function request(access: Access): PermissionRequest {
  return { callId: 'c1', tool: access.kind === 'execute' ? 'bash' : access.kind, input: {}, access, summary: 'it' };
}

async function decide({
  answer,
  access = command('npm test'),
  yes = false,
  times = 1,
}: {
  readonly answer?: string;
  readonly access?: Access;
  readonly yes?: boolean;
  readonly times?: number;
}) {
  const asked: string[] = [];
  const world = memoryIo(answer === undefined ? {} : { answer });
  const io = {
    ...world,
    ask: (question: string) => {
      asked.push(question);
      return world.ask(question);
    },
  };
  const flags = { mode: yes ? ('yes' as const) : ('ask' as const), allow: [], deny: [], folders: [] };
  const remembered = await readRememberedRules({ io, folder: cwd });
  const { permissions, missed } = consentOf({ io, flags, cwd, isAsking: answer !== undefined, remembered });
  const decisions = [];
  for (let time = 0; time < times; time += 1)
    decisions.push(await permissions.decide(request(access), new AbortController().signal));
  return { decisions, missed, asked, saved: (await readRememberedRules({ io, folder: cwd })).rules };
}

describe('a person on a terminal', () => {
  test.each(['y', 'Yes', ' a ', 'always'])('%j allows it', async (answer) => {
    expect((await decide({ answer })).decisions).toEqual([{ allowed: true }]);
  });

  test.each(['', 'n', 'No'])('%j denies it', async (answer) => {
    const { decisions, missed } = await decide({ answer });
    expect(decisions).toMatchObject([{ allowed: false }]);
    expect(missed).toEqual([]);
  });

  test('any other input is a reason, which the model receives', async () => {
    const { decisions } = await decide({ answer: 'use pnpm' });
    expect(decisions).toMatchObject([{ allowed: false, why: expect.stringContaining('use pnpm') }]);
  });

  test('y is asked again the next time, always is not', async () => {
    expect((await decide({ answer: 'y', times: 2 })).asked).toHaveLength(2);
    expect((await decide({ answer: 'always', times: 2 })).asked).toHaveLength(1);
  });

  test('f saves a rule for this folder, and a call that no rule can express is not saved', async () => {
    expect((await decide({ answer: 'f' })).saved).toEqual(['bash(npm test)']);
    expect((await decide({ answer: 'f', access: file('write', '/project/src/a.ts') })).saved).toEqual([
      'write(src/a.ts)',
    ]);
    const { decisions, saved, asked } = await decide({ answer: 'f', access: command('for x in a; do rm $x; done') });
    expect({ decisions, saved }).toMatchObject({ decisions: [{ allowed: false }], saved: [] });
    expect(asked[0]).not.toContain('f = always');
  });
});

describe('without a terminal', () => {
  test('it is denied with the flag that allows it, and remembered', async () => {
    const { decisions, missed, asked } = await decide({});
    const why = expect.stringContaining("--yes or --allow 'bash(npm test)'");
    expect(decisions).toMatchObject([{ allowed: false, why }]);
    expect([missed.length, asked.length]).toEqual([1, 0]);
  });

  test('--yes allows the usual, and what is dangerous wants a rule', async () => {
    expect((await decide({ yes: true })).decisions).toEqual([{ allowed: true }]);
    const { decisions } = await decide({ yes: true, access: command('rm -rf /') });
    expect(decisions).toMatchObject([{ allowed: false, why: expect.stringContaining("--allow 'bash(rm -rf /)'") }]);
    expect(decisions).not.toMatchObject([{ why: expect.stringContaining('--yes') }]);
  });
});

describe('the flag that would allow a call', () => {
  const io = memoryIo();
  test.each([
    [command('npm test'), "--yes or --allow 'bash(npm test)'"],
    [command('npm test && rm -rf "$HOME"'), '--yes or --allow and rules for its parts'],
    [command("echo 'x'"), '--yes or --allow and rules for its parts'],
    [file('write', '/project/src/a.ts'), "--yes or --allow 'write(src/a.ts)'"],
    [file('read', '/etc/hosts', true), "--allow 'read(/etc/hosts)'"],
  ])('%j', (access, flag) => expect(flagFor({ request: { access }, cwd, io, yes: false })).toBe(flag));
});
