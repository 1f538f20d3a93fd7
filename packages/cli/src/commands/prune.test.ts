import { describe, expect, test } from 'vitest';
import { withSession } from './sessions.fixture.ts';
import { withWork } from './work.fixture.ts';

const small = ['--window', '12000'] as const;

describe('prune', () => {
  test('a dry run answers with exactly these members, and writes nothing', async () => {
    const { json, id } = await withWork();
    const before = await json('context', id);
    const { code, value } = await json('prune', id, ...small, '--dry-run');
    expect(code).toBe(0);
    expect(value).toEqual({
      session: id,
      installed: false,
      reason: expect.stringMatching(/^It would be done: \d+ tool outputs of \d+ tokens go\.$/),
      tokensBefore: before.value.tokens,
      tokensAfter: expect.any(Number),
      outputs: expect.any(Array),
    });
    expect(value.outputs[0]).toEqual({
      handle: expect.stringMatching(/^@\d+\.1$/),
      notice: expect.stringMatching(/^\[.*; recall @\d+\.1 for all of it\]$/),
    });
    expect(await json('context', id)).toEqual(before);
  });

  test('leaves outputs out until undo brings them back, and says what was freed', async () => {
    const { json, call, id } = await withWork();
    const before = await json('context', id);
    const { code, stdout } = await call('prune', id, ...small);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^before {3}.*\nnow {6}.*\n\d+ tool outputs pruned, [\d,]+ tokens freed:\n {2}@\d+\.1 +\[/);
    expect(stdout).toMatch(/\n {2}… \d+ more: --json\n`longhaul undo \S+` reverts it\.\n$/);
    const { value: after } = await json('context', id);
    expect(after.epoch.reason).toBe('prune');
    expect(after.tokens).toBeLessThan(before.value.tokens * 0.6);
    expect((await json('recall', id, '@8.1:1-1')).value.text).toBe('0.0 parsed record_0 in 0 ms');
    await call('undo', id);
    expect((await json('context', id)).value.messages).toEqual(before.value.messages);
  });

  test('where nothing is old enough, is exit code 1', async () => {
    const { call, json } = await withSession();
    expect(await call('prune', 'last')).toMatchObject({
      code: 1,
      stdout: 'Nothing was pruned. No tool output is old enough to go.\n',
    });
    expect((await json('prune', 'last')).value).toMatchObject({ installed: false, outputs: [] });
    expect((await json('prune', 'last', '--window', 'x')).value.error.code).toBe('bad-usage');
  });
});
