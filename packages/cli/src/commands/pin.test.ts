import { describe, expect, test } from 'vitest';
import { withSession } from './sessions.fixture.ts';
import { withWork } from './work.fixture.ts';

describe('pin', () => {
  test('alone lists the rules in force, by who set them', async () => {
    const { json, call, id } = await withWork();
    expect((await json('pin', id, 'Use tabs.')).value).toEqual({
      session: id,
      handle: expect.stringMatching(/^@\d+$/),
      text: 'Use tabs.',
      removed: null,
    });
    const { value } = await json('pin', id);
    const pinned = value.rules[0].entry;
    expect(value).toEqual({
      session: id,
      rules: [
        { text: 'Use tabs.', by: 'hand', from: pinned, entry: pinned },
        { text: 'Never push to main.', by: 'human', from: '@2.1:1-1', entry: '@2' },
      ],
    });
    expect((await call('pin', id)).stdout).toBe(
      `Pinned by hand\n  ${pinned}  Use tabs.\n\nFound in your messages\n  @2.1:1-1  Never push to main.\n`,
    );
  });

  test('takes a pin off, and what was found in a message', async () => {
    const { json, call, id } = await withWork();
    const { handle } = (await json('pin', id, 'Use tabs.')).value;
    expect((await json('pin', id, '--remove', handle)).value).toMatchObject({ text: null, removed: handle });
    expect((await call('pin', id, '--remove', '2')).stdout).toBe('@2 is no longer a rule\n');
    expect((await call('pin', id)).stdout).toBe('No rules are in force.\n');
  });

  test('in an instruction file is distinguished from a human message', async () => {
    const file = '# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nAlways run the linter.\n</INSTRUCTIONS>';
    const { json, id, io } = await withSession();
    const [store] = io.stores.values();
    const { openSession } = await import('longhaul/session');
    if (!store) throw new Error('no store');
    const live = await openSession({ store, id });
    const part = { type: 'text', origin: 'engine', text: file } as const;
    await live.append({ type: 'message', message: { role: 'user', parts: [part] } });
    expect((await json('pin', id)).value.rules).toMatchObject([{ by: 'instructions', text: 'Always run the linter.' }]);
  });

  test.each([
    [['  '], 'pin-empty'],
    [['word '.repeat(600)], 'pin-too-long'],
    [['--remove', '@99999'], 'entry-missing'],
    [['--remove', '@3'], 'not-pinned'],
    [['a rule', '--remove', '@2'], 'bad-usage'],
  ])('%j is refused, and nothing is pinned', async (args, code) => {
    const { json, id } = await withWork();
    const { code: exit, value } = await json('pin', id, ...args);
    expect({ exit, code: value.error.code }).toEqual({ exit: 2, code });
    expect((await json('pin', id)).value.rules).toHaveLength(1);
  });

  test('is bounded: the one too many is refused', async () => {
    const { json, id } = await withWork();
    for (const name of ['one', 'two', 'three', 'four']) {
      expect((await json('pin', id, `Rule ${name} ${'word '.repeat(480)}`)).code).toBe(0);
    }
    expect((await json('pin', id, `Rule five ${'word '.repeat(480)}`)).value.error.code).toBe('pins-full');
  });
});
