import { describe, expect, test } from 'vitest';
import { world } from './sessions.fixture.ts';
import { withWork } from './work.fixture.ts';

const small = ['--window', '12000'] as const;

describe('compact', () => {
  test('a dry run answers with exactly these members, and writes nothing', async () => {
    const { json, id } = await withWork();
    const before = await json('context', id);
    const { code, value } = await json('compact', id, ...small, '--dry-run');
    expect(code).toBe(0);
    expect(value).toEqual({
      session: id,
      installed: false,
      reason: expect.stringMatching(/^It would be done: \d+ messages become a summary, \d+ stay\./),
      strategy: 'extractive',
      tokensBefore: expect.any(Number),
      tokensAfter: expect.any(Number),
      cut: { replacedTo: expect.stringMatching(/^@\d+$/), keptFrom: expect.stringMatching(/^@\d+$/) },
      summary: expect.stringContaining('- Never push to main. (@2.1:1-1)'),
      attempts: [],
      loss: {
        before: expect.any(Object),
        kept: expect.any(Object),
        lost: expect.any(Object),
        handles: { from: '@2', to: value.cut.replacedTo },
        reduced: expect.any(Number),
        pins: [{ text: 'Never push to main.', survived: true }],
      },
    });
    expect(value.tokensAfter).toBeLessThan(6_000);
    expect(await json('context', id)).toEqual(before);
  });

  test('replaces what is old, undo sends what was sent before, and redo what was sent after', async () => {
    const { json, call, id } = await withWork();
    const { value: before } = await json('context', id);
    const { code, stdout } = await call('compact', id, ...small, '--focus', 'record_7');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^before {3}█+ [\d,]+ of 12,000 tokens\nnow {6}█+░+ +[\d,]+\n\d+ messages become a summary/);
    expect(stdout).toMatch(
      /\nNo longer sent to the model: .*tool results \d+ of 29.*; still available at @2 to @\d+\.\n/,
    );
    expect(stdout).toContain('\nRules kept word for word: 1 of 1.\n');
    expect(stdout).toContain('\n  The user asked to keep this in view: record_7\n');
    const [, place = ''] = /\n {2}… [\d,]+ more lines: longhaul recall \S+ (@\d+)\n/.exec(stdout) ?? [];
    expect((await json('recall', id, place)).value.text).toContain('## Overview');
    const { value: after } = await json('context', id);
    expect(after.epoch.reason).toBe('compaction');
    expect(after.tokens).toBeLessThan(before.tokens / 2);
    await call('undo', id);
    expect((await json('context', id)).value.messages).toEqual(before.messages);
    await call('redo', id);
    expect((await json('context', id)).value.messages).toEqual(after.messages);
  });

  test('of a chosen stretch replaces that and nothing else', async () => {
    const { json, id } = await withWork();
    const { value } = await json('compact', id, ...small, '--from', '@8', '--to', '80');
    expect(value).toMatchObject({ installed: true, loss: { handles: { from: '@8' } } });
    const text = JSON.stringify((await json('context', id)).value.messages);
    expect(text).toContain('Make the importer fast.');
    expect(text).toContain('./bench --seed 23');
  });

  test('where it is not worth it, is exit code 1 and changes nothing', async () => {
    const { json, call, id } = await withWork();
    await call('compact', id, ...small);
    const before = await json('context', id);
    const again = await call('compact', id, ...small);
    expect(again).toMatchObject({ code: 1, stderr: '' });
    expect(again.stdout).toBe(
      'Nothing was compacted. Nothing would be gained: a summary would be no shorter than what it replaces.\n',
    );
    expect(await json('compact', id, ...small, '--dry-run')).toMatchObject({ code: 1, value: { installed: false } });
    expect(await json('context', id)).toEqual(before);
  });

  test('of a session in which nothing was said has the same members', async () => {
    const { json, call, id } = await withWork();
    await call('rewind', id, '@1');
    const { code, value } = await json('compact', id);
    expect(code).toBe(1);
    expect(value).toMatchObject({ installed: false, strategy: null, cut: null, summary: null, loss: null });
    expect(value.reason).toBe('There is nothing to compact: nothing was said yet.');
    expect((await call('compact', id)).stdout).toBe(`${value.reason}\n`);
  });

  test('in a window that the head alone fills is reported', async () => {
    const head = { system: 'careful '.repeat(2_000), messages: [{ role: 'user', content: 'hi' }] };
    const { json } = world({ files: { '/project/head.json': JSON.stringify(head) } });
    await json('import', 'head.json');
    const { code, value } = await json('compact', 'last', '--window', '2000');
    expect({ code, error: value.error.code }).toEqual({ code: 2, error: 'budget-exceeded' });
    expect(value.error.message).toMatch(/^The head and the tools may not be cut/);
  });

  test('Ctrl-C on a terminal calls it off, and nothing was written', async () => {
    const { call, json, id, io } = await withWork({ terminal: true });
    const before = await json('context', id);
    // In this world somebody presses it as soon as the command waits.
    const { code, stderr } = await call('compact', id, ...small);
    expect(code).toBe(130);
    expect(stderr).toContain('selecting what to keep');
    expect(stderr).toMatch(/longhaul:\S* Interrupted: nothing was compacted\.\n {2}Run the command again\.\n$/);
    expect(await json('context', id)).toEqual(before);
    expect(io.stores.size).toBe(1);
  });

  test.each([
    [['--from', '@20', '--to', '@10'], 'bad-usage', '--from @20 is after --to @10.'],
    [['--from', '@9999'], 'entry-missing', 'The session has no entry @9999'],
    [['--to', '@5.1'], 'bad-handle', '@5.1 is a part'],
    [['--from', 'first'], 'bad-handle', 'first'],
    [['--window', '10'], 'bad-usage', '--window must be an integer'],
    [['--summarizer', 'llm'], 'bad-setting', '--summarizer must be one of "auto", "extractive", "model", not "llm".'],
    [['--preset', 'chatty'], 'bad-setting', 'not "chatty". Did you mean "chat"?'],
    [['--threshold', '5'], 'bad-setting', '--threshold must be a share above 0 and up to 1, or tokens from 100 on'],
    [
      ['--summary-mode', 'simple'],
      'bad-usage',
      '--summary-mode configures a summarizing model, but the summary is made without one.',
    ],
    [
      ['--summarizer', 'extractive', '--endpoint', 'https://a.example'],
      'bad-usage',
      '--endpoint configures a summarizing model',
    ],
    [['--summarizer', 'model'], 'no-model', 'No model is configured for summaries'],
    [['--summarizer', 'model', '--endpoint', 'a.example'], 'bad-endpoint', '"a.example" is not an HTTP address.'],
    [
      ['--summarizer', 'model', '--endpoint', 'https://me:pw@a.example'],
      'bad-endpoint',
      'contains a user name or password',
    ],
    [
      ['--summarizer', 'model', '--endpoint', 'https://a.example', '--endpoint-key-variable', 'MY_KEY'],
      'no-key',
      'The environment variable MY_KEY, which holds the endpoint key, is not set.',
    ],
  ])('%j is refused', async (flags, code, cause) => {
    const { json, id } = await withWork();
    const { code: exit, value } = await json('compact', id, ...flags);
    expect({ exit, code: value.error.code }).toEqual({ exit: 2, code });
    expect(value.error.message).toContain(cause);
  });

  test('by another preset keeps what that keeps', async () => {
    const { json, id } = await withWork();
    const kept = async (...flags: readonly string[]) =>
      (await json('compact', id, ...small, '--dry-run', ...flags)).value.cut.keptFrom;
    const [ours, one] = [await kept(), await kept('--preset', 'chat')];
    expect(Number(one.slice(1))).toBeGreaterThan(Number(ours.slice(1)));
  });

  describe('with hooks', () => {
    const userFile = '/home/me/.config/longhaul/config.json';
    const hooks = (...names: readonly string[]) =>
      JSON.stringify({ hooks: { PreCompact: names.map((command) => ({ command })) } });
    const commands = { './pin': '{"pins":["Deploy on Friday."]}' };

    test('of the user runs them, tells which failed, and takes what the others say', async () => {
      const { call, io, id } = await withWork({ files: { [userFile]: hooks('exit 3', './pin') }, commands });
      const { code, stdout, stderr } = await call('compact', id, ...small, '--focus', 'record_7');
      expect(code).toBe(0);
      expect(stderr).toBe('hook exit 3 failed: It ended with exit code 3: ended with 3\n');
      expect(stdout).toContain('Deploy on Friday. (@');
      expect(stdout).toContain(', set by a hook)');
      const [reported] = io.ranCommands.map(({ input }) => JSON.parse(input));
      expect(reported).toMatchObject({ trigger: 'manual', custom_instructions: 'record_7', session_id: id });
      expect((await call('pin', id)).stdout).toContain('Pinned by a hook');
    });

    test('is called off by one, with its reason', async () => {
      const { json, id } = await withWork({ files: { [userFile]: hooks('exit 2') } });
      const { code, value } = await json('compact', id, ...small);
      expect({ code, installed: value.installed }).toEqual({ code: 1, installed: false });
      expect(value.reason).toBe('A hook cancelled it: ended with 2');
    });

    test('of the project runs none of them, and says so', async () => {
      const project = '/project/longhaul.config.json';
      const { call, io, id } = await withWork({ files: { [project]: hooks('exit 2') } });
      const { code, stderr } = await call('compact', id, ...small);
      expect({ code, ranCommands: io.ranCommands }).toEqual({ code: 0, ranCommands: [] });
      expect(stderr).toContain(`The hooks in ${project} are not run`);
      const named = await call('compact', id, ...small, '--config', project);
      expect(named).toMatchObject({ code: 1, stderr: '' });
      expect(io.ranCommands).toHaveLength(1);
    });

    test('a dry run runs none', async () => {
      const { json, io, id } = await withWork({ files: { [userFile]: hooks('exit 2') } });
      expect((await json('compact', id, ...small, '--dry-run')).code).toBe(0);
      expect(io.ranCommands).toEqual([]);
    });
  });

  test('an end that is no longer sent is refused by its handle', async () => {
    const { json, call, id } = await withWork();
    await call('rewind', id, '@50');
    const { value } = await json('compact', id, '--to', '@60');
    expect(value.error).toMatchObject({
      code: 'not-in-context',
      message: expect.stringMatching(/^@60 is not in the current context/),
    });
  });
});
