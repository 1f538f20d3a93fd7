import { describe, expect, test } from 'vitest';
import { hookEvents } from '../fixtures/hook-events.ts';
import type { HookFailure } from '../types.ts';
import { combineHooks } from './combine.ts';
import type { Hooks } from './hooks.ts';

const { before, compacting, afterMove } = hookEvents;

function combined(hooks: readonly Hooks[], timeout?: number) {
  const failures: HookFailure[] = [];
  const onFailure = (failure: HookFailure) => void failures.push(failure);
  return { failures, all: combineHooks({ hooks, onFailure, ...(timeout !== undefined && { timeout }) }) };
}

describe('several hooks', () => {
  test('are asked in order; of what there is one of, the last answer holds, and lists add up', async () => {
    const { all } = combined([
      { beforeCompaction: () => ({ focus: 'a', pins: ['one'], replace: { text: 'first' } }) },
      { beforeCompaction: () => undefined },
      { beforeCompaction: async () => ({ focus: 'b', pins: ['two'], context: ['c'] }) },
    ]);
    const answer = await all.beforeCompaction?.(before);
    expect(answer).toEqual({ focus: 'b', pins: ['one', 'two'], context: ['c'], replace: { text: 'first' } });
  });

  test('a cancel is the answer at once and ends the sequence (sessions.md 9.1)', async () => {
    const asked: string[] = [];
    const { all } = combined([
      { beforeCompaction: () => void asked.push('first') },
      { beforeCompaction: () => ({ cancel: 'not now', pins: ['lost'] }) },
      { beforeCompaction: () => void asked.push('third') },
    ]);
    expect(await all.beforeCompaction?.(before)).toEqual({ cancel: 'not now' });
    expect(asked).toEqual(['first']);
  });

  test('a hook that no member has is absent', () => {
    const { all } = combined([{ beforeMove: () => undefined }]);
    expect(all.beforeMove).toBeDefined();
    expect(all.beforeCompaction).toBeUndefined();
    expect(all.afterMove).toBeUndefined();
  });
});

describe('a hook that fails stops nothing', () => {
  test('one that throws is reported and skipped, and the others run', async () => {
    const { all, failures } = combined([
      {
        compacting: () => {
          throw new Error('no disk');
        },
      },
      { compacting: () => Promise.reject(new Error('no net')) },
      { compacting: () => ({ context: ['still here'] }) },
    ]);
    expect(await all.compacting?.(compacting)).toEqual({ context: ['still here'] });
    expect(failures).toMatchObject([
      { hook: 'compacting', kind: 'threw', why: 'no disk' },
      { hook: 'compacting', kind: 'threw', why: 'no net' },
    ]);
  });

  test('one that never answers is reported, aborted and skipped', async () => {
    let isStopped = false;
    const { all, failures } = combined(
      [
        {
          afterMove: ({ signal }) =>
            new Promise(() => {
              signal?.addEventListener('abort', () => {
                isStopped = true;
              });
            }),
        },
      ],
      5,
    );
    await all.afterMove?.(afterMove);
    expect(failures).toMatchObject([{ hook: 'afterMove', kind: 'late' }]);
    expect(isStopped).toBe(true);
  });

  test('one with its own timeout is given that', async () => {
    const slow = {
      timeout: 60_000,
      compacting: () => new Promise<undefined>((done) => void setTimeout(() => done(undefined), 30)),
    };
    const { all, failures } = combined([slow], 1);
    await all.compacting?.(compacting);
    expect(failures).toEqual([]);
  });

  test('a listener that throws stops nothing either', async () => {
    const all = combineHooks({
      hooks: [{ compacting: () => Promise.reject(new Error('x')) }, { compacting: () => ({ instructions: 'y' }) }],
      onFailure: () => {
        throw new Error('z');
      },
    });
    expect(await all.compacting?.(compacting)).toEqual({ instructions: 'y' });
  });

  test('a failure inside a combination is reported outside too', async () => {
    const inner = combineHooks({ hooks: [{ compacting: () => Promise.reject(new Error('deep')) }] });
    const { all, failures } = combined([inner]);
    const heard: HookFailure[] = [];
    await all.compacting?.({ ...compacting, onFailure: (failure) => void heard.push(failure) });
    expect(heard).toMatchObject([{ why: 'deep' }]);
    expect(failures).toEqual([]);
  });

  test('the caller may abort: then there is no answer, and that is no failure', async () => {
    const { all, failures } = combined([{ beforeCompaction: () => new Promise(() => undefined) }]);
    const off = new AbortController();
    const answer = all.beforeCompaction?.({ ...before, signal: off.signal });
    off.abort();
    expect(await answer).toBeUndefined();
    expect(failures).toEqual([]);
  });
});

describe('what a hook answers is looked at before it is believed', () => {
  test.each([
    ['a text', 'nonsense', 'it is not an object'],
    ['an empty replacement', { replace: { text: '  ' } }, 'replace.text is empty'],
    ['a replacement without words', { replace: { short: 'x' } }, 'replace.text is not a text'],
    ['pins that are no texts', { pins: [{ text: 'x' }] }, 'pins is not a text'],
    ['context without end', { context: 'x'.repeat(40_000) }, 'context has 40000 characters'],
    ['a focus that is a number', { focus: 7 }, 'focus is not a text'],
  ])('%s is a failure', async (_, answer, why) => {
    const { all, failures } = combined([{ beforeCompaction: () => answer as never }]);
    expect(await all.beforeCompaction?.(before)).toBeUndefined();
    expect(failures).toMatchObject([{ kind: 'answer', why: expect.stringContaining(why) }]);
  });

  test('a replacement may be a plain text, and a reason to cancel may be missing', async () => {
    const plain = combined([{ beforeCompaction: () => ({ replace: 'a summary' }) as never }]);
    expect(await plain.all.beforeCompaction?.(before)).toEqual({ replace: { text: 'a summary' } });
    const bare = combined([{ beforeCompaction: () => ({ cancel: true }) as never }]);
    expect(await bare.all.beforeCompaction?.(before)).toEqual({ cancel: 'It gave no reason.' });
  });

  test('what is to be kept is JSON, and a copy of it', async () => {
    const keep = { list: [1], when: new Date(0) };
    const { all } = combined([{ compacting: () => ({ keep: keep as never }) }]);
    const answer = await all.compacting?.(compacting);
    expect(answer).toEqual({ keep: { list: [1], when: '1970-01-01T00:00:00.000Z' } });
  });
});
