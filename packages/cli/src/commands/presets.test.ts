import { type Policy, presets } from 'longhaul/engine';
import { describe, expect, test } from 'vitest';
import { fields, flatPolicy, sentences } from './presets.ts';
import { world } from './sessions.fixture.ts';

/** The members of a policy as paths: `when.late`, `keep`. */
function membersOf({ name, keep, ...groups }: Policy): string[] {
  const grouped = Object.entries(groups).flatMap(([group, of]) => Object.keys(of).map((key) => `${group}.${key}`));
  return ['name', 'keep', ...grouped];
}

describe('presets', () => {
  test('are a table that fits on a terminal, the one in force marked', async () => {
    const { call } = world();
    const { code, stdout } = await call('presets');
    const lines = stdout.split('\n');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^ +longhaul \* +chat +cli +pi$/);
    expect(stdout).toMatch(/\nstarts in background at +70 % +78 to 82 %, cold 90 % +80 % +never\n/);
    expect(stdout).toMatch(/\nwaits for a summary +never +if it does not fit +from 95 % +always\n/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110);
  });

  test('have a sentence each, and one for every member', () => {
    expect(Object.keys(sentences)).toEqual(Object.keys(presets));
    const members = new Set(Object.values(presets).flatMap(membersOf));
    const described = Object.values(fields).map(({ member }) => member);
    expect([...members].filter((member) => member !== 'name' && !described.includes(member))).toEqual([]);
  });

  test.each(Object.keys(presets))('%s is explained line by line', async (name) => {
    const { call } = world();
    const { code, stdout } = await call('presets', name);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith('    '))).toHaveLength(Object.keys(fields).length);
  });

  test('as data say what is in force with the settings', async () => {
    const { json } = world({ env: { LONGHAUL_COMPACTION_PRESET: 'pi', LONGHAUL_COMPACTION_AUTOMATIC: 'no' } });
    const { value } = await json('presets', '--threshold', '0.8');
    expect(value.presets).toEqual(JSON.parse(JSON.stringify(Object.values(presets).map(flatPolicy))));
    expect(value.inForce).toMatchObject({ name: 'pi', automatic: false, threshold: 0.8 });
    expect((await json('presets', 'CHAT')).value.presets).toEqual([
      JSON.parse(JSON.stringify(flatPolicy(presets.chat))),
    ]);
  });

  test("Copilot CLI's variables hold for its preset, and for no other", async () => {
    const { call, json } = world({ env: { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: '0.5' } });
    expect((await json('presets')).value.inForce.start.warm).toEqual([0.7, 0.7]);
    const { stdout } = await call('presets', '--preset', 'cli');
    expect(stdout).toContain('* In force here: cli, changed by your settings: starts in background at: 50 %.');
    const { value } = await world({ env: { COPILOT_BUFFER_EXHAUSTION_THRESHOLD: '95' } }).json(
      'presets',
      '--preset',
      'cli',
    );
    expect(value.error).toMatchObject({
      code: 'bad-threshold',
      message: expect.stringContaining('_EXHAUSTION_THRESHOLD'),
    });
  });

  test('that do not exist are reported', async () => {
    const { code, stderr } = await world().call('presets', 'chatt');
    expect(code).toBe(2);
    expect(stderr).toMatch(/Unknown preset "chatt". Did you mean "chat"\?\n {2}Use one of longhaul, chat, cli, pi\./);
  });
});
