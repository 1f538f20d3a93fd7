import { describe, expect, test } from 'vitest';
import { withWork } from './work.fixture.ts';

describe('edit', () => {
  test('sends another text of a tool result, recall has the old one, and undo brings it back', async () => {
    const { json, call, id } = await withWork();
    const before = await json('context', id);
    const { code, stdout } = await call('edit', id, '@8', 'Nothing was parsed.');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^@8 is sent with the new text; the model is now sent \d+ messages\n$/);
    const { value: after } = await json('context', id);
    expect(after.epoch.reason).toBe('edit');
    expect(JSON.stringify(after.messages)).toContain('Nothing was parsed.');
    expect((await json('recall', id, '@8.1:1-1')).value.text).toBe('0.0 parsed record_0 in 0 ms');
    expect((await call('undo', id)).stdout).toMatch(/^edit at @\d+ undone/);
    expect((await json('context', id)).value.messages).toEqual(before.value.messages);
  });

  test('leaves a message out', async () => {
    const { json, id } = await withWork();
    const before = await json('context', id);
    const { code, value } = await json('edit', id, '8', '--remove');
    expect(code).toBe(0);
    expect(value).toEqual({
      session: id,
      edited: '@8',
      removed: true,
      handle: expect.stringMatching(/^@\d+$/),
      messages: expect.any(Number),
    });
    const text = '0.0 parsed record_0 in 0 ms';
    expect(JSON.stringify(before.value.messages)).toContain(text);
    expect(JSON.stringify((await json('context', id)).value.messages)).not.toContain(text);
    expect((await json('edit', id, '@8', 'again')).value.error.message).toBe(
      '@8 is not in what the model is sent now.',
    );
  });

  test('refuses what it cannot do, in one sentence and without writing', async () => {
    const { json, id } = await withWork();
    const before = await json('context', id);
    const refused = async (...args: readonly string[]) => (await json('edit', id, ...args)).value.error.message;
    expect(await refused('@8')).toBe('Give either a text or --remove.');
    expect(await refused('@8', 'x', '--remove')).toBe('Give either a text or --remove.');
    expect(await refused('@8', ' ')).toBe('@8 cannot be sent without any text.');
    expect(await refused('@99999', 'x')).toMatch(/^The session has no entry @99999; its newest is @\d+\.$/);
    expect(await refused('@1', 'x')).toBe('@1 is part of the system prompt.');
    expect(await json('context', id)).toEqual(before);
  });
});
