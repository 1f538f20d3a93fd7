import { describe, expect, test } from 'vitest';
import type { HookFailure } from '../types.ts';
import { type AnswerMembers, flag, object, reason, text, texts } from './read-answer.ts';
import { runHookSequence } from './run-sequence.ts';

const members: AnswerMembers = {
  cancel: { read: reason, ends: 'alone' },
  deny: { read: text({ cutTo: 5 }), ends: 'merged' },
  input: { read: object },
  allow: { read: flag },
  context: { read: texts({ cutTo: 5 }) },
};

async function run(
  calls: readonly (() => unknown)[],
  { timeout = 10_000, signal = undefined as AbortSignal | undefined } = {},
) {
  const failures: Omit<HookFailure, 'hook'>[] = [];
  const hooks = calls.map((call) => ({ call, timeout }));
  const listeners = [(failure: Omit<HookFailure, 'hook'>) => void failures.push(failure)];
  return { answer: await runHookSequence({ hooks, members, signal, listeners }), failures };
}

describe('a sequence of hooks', () => {
  test('concatenates lists and takes the last of other members', async () => {
    const { answer } = await run([
      () => ({ context: ['a'], input: { a: 1 } }),
      () => ({ context: 'b', input: { b: 2 } }),
    ]);
    expect(answer).toEqual({ context: ['a', 'b'], input: { b: 2 } });
  });

  test('ends with a decision: alone, or merged with the earlier answers', async () => {
    const first = () => ({ context: ['a'] });
    const never = () => expect.unreachable();
    expect((await run([first, () => ({ cancel: true, input: 7 }), never])).answer).toEqual({
      cancel: 'It gave no reason.',
    });
    const { answer, failures } = await run([first, () => ({ deny: 'No, never.' }), never]);
    expect(answer).toEqual({ context: ['a'], deny: 'No, n' });
    expect(failures).toEqual([]);
  });

  test('stops when the signal aborts, keeps the answers so far, and reports no failure', async () => {
    const controller = new AbortController();
    const stop = () => {
      controller.abort();
      throw new Error('aborted');
    };
    const { answer, failures } = await run([() => ({ context: ['a'] }), stop, () => ({ context: ['b'] })], {
      signal: controller.signal,
    });
    expect(answer).toEqual({ context: ['a'] });
    expect(failures).toEqual([]);
  });

  test('reports a timeout with its limit and continues', async () => {
    const { answer, failures } = await run([() => new Promise(() => undefined), () => ({ allow: true })], {
      timeout: 5,
    });
    expect(answer).toEqual({ allow: true });
    expect(failures).toMatchObject([{ kind: 'late', why: 'It took longer than 5 ms and was skipped.' }]);
  });

  test('treats null and false as not answered and ignores unknown members', async () => {
    const { answer, failures } = await run([() => ({ deny: null, allow: false, other: 1 })]);
    expect(answer).toBeUndefined();
    expect(failures).toEqual([]);
  });

  test.each([
    [{ allow: 'yes' }, 'allow is not `true`'],
    [{ input: [] }, 'input is not an object'],
    [{ deny: ' ' }, 'deny is empty'],
    [{ context: [1] }, 'context is not a text'],
    ['no', 'it is not an object'],
  ])('reports %j as invalid', async (value, why) => {
    const { answer, failures } = await run([() => value]);
    expect(answer).toBeUndefined();
    expect(failures).toMatchObject([{ kind: 'answer', why: `Its answer is invalid: ${why}.` }]);
  });
});
