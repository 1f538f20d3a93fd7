import { describe, expect, test } from 'vitest';
import { createClock } from '../../testing/index.ts';
import { BackgroundJob } from './job.ts';

function begin(backOff = { first: 1_000, most: 5_000 }) {
  const clock = createClock();
  const job = new BackgroundJob<string>({ now: clock.now, backOff });
  const works: { resolve(text: string): void; reject(error: Error): void; signal: AbortSignal }[] = [];
  const late: string[] = [];
  const start = (isGood?: (text: string) => boolean) =>
    job.start({
      work: (signal) => new Promise((resolve, reject) => works.push({ resolve, reject, signal })),
      onLate: (settled) => 'result' in settled && late.push(settled.result),
      ...(isGood && { isGood }),
    });
  const settled = () => clock.advance(0);
  return { clock, job, works, late, start, settled };
}

describe('a background job (editor.md 2.3)', () => {
  test('runs, is ready, is taken once', async () => {
    const { job, works, start, settled } = begin();
    expect([job.view.state, start(), job.view.state]).toEqual(['idle', true, 'running']);
    await settled();
    expect([start(), job.take(), job.view.state]).toEqual([false, undefined, 'running']);
    works[0]?.resolve('S');
    await settled();
    expect([job.view.state, start(), job.take(), job.view.state, job.take()]).toEqual([
      'ready',
      false,
      'S',
      'idle',
      undefined,
    ]);
  });

  test('called off and begun again, it does not take the old answer for the new one', async () => {
    const { job, works, late, start, settled } = begin();
    start();
    await settled();
    expect([job.cancel(), job.view.state, works[0]?.signal.aborted]).toEqual([true, 'idle', true]);
    start();
    await settled();
    works[0]?.resolve('old');
    await settled();
    expect([job.view.state, late]).toEqual(['running', ['old']]);
    works[1]?.resolve('new');
    await settled();
    expect(job.take()).toBe('new');
  });

  test('called off while its answer waits, loses it; idle, says so', async () => {
    const { job, works, start, settled } = begin();
    expect(job.cancel()).toBe(false);
    start();
    await settled();
    works[0]?.resolve('S');
    await settled();
    expect([job.cancel(), job.take()]).toEqual([true, undefined]);
  });

  test('after a failure it waits longer and longer, up to a most, until one is good', async () => {
    const { clock, job, works, start, settled } = begin();
    const waits: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      start();
      await settled();
      works[round]?.reject(new Error('no'));
      await settled();
      expect(job.view.state).toBe('failed');
      waits.push((job.view.notBefore ?? 0) - clock.now());
    }
    expect([waits, job.failures]).toEqual([[1_000, 2_000, 4_000, 5_000], 4]);
    start();
    await settled();
    works[4]?.resolve('S');
    await settled();
    expect([job.view.notBefore, job.failures]).toEqual([undefined, 0]);
  });

  test('an answer that is there, but not the one that was asked for, is a failure to learn from (cli#4663)', async () => {
    const { job, works, start, settled } = begin();
    start(() => false);
    await settled();
    works[0]?.resolve('without a model');
    await settled();
    expect([job.view.state, job.failures, job.view.notBefore !== undefined]).toEqual(['ready', 1, true]);
  });

  test('waiting for it ends with it, with the time, or with the signal, and never throws', async () => {
    const { clock, job, works, start, settled } = begin();
    const wait = (signal?: AbortSignal) =>
      job.wait({ atMost: 500, sleep: clock.sleep, signal }).then(() => job.view.state);
    await expect(wait()).resolves.toBe('idle');
    start();
    await settled();
    const inTime = wait();
    await clock.advance(500);
    expect(await inTime).toBe('running');
    const stop = new AbortController();
    const called = wait(stop.signal);
    stop.abort();
    expect(await called).toBe('running');
    const last = wait();
    works[0]?.reject(new Error('no'));
    expect(await last).toBe('failed');
    expect(clock.sleepers).toBe(0);
  });

  test('left alone, it goes on, and what it says comes late', async () => {
    const { job, works, late, start, settled } = begin();
    start();
    await settled();
    job.leave();
    expect([job.view.state, works[0]?.signal.aborted]).toEqual(['idle', false]);
    works[0]?.resolve('late');
    await settled();
    expect([late, job.take()]).toEqual([['late'], undefined]);
  });

  test('left alone, it still counts as a failure where it fails; called off, it does not', async () => {
    const { job, works, start, settled } = begin();
    start();
    await settled();
    job.leave();
    works[0]?.reject(new Error('no'));
    await settled();
    expect([job.failures, job.view.state]).toEqual([1, 'idle']);
    start();
    await settled();
    job.cancel();
    works[1]?.reject(new Error('called off'));
    await settled();
    expect(job.failures).toBe(1);
  });

  test('work that throws before it begins is a failure like any other', async () => {
    const { job, settled } = begin();
    job.start({
      work: () => {
        throw new Error('at once');
      },
    });
    await settled();
    expect(job.view.state).toBe('failed');
  });
});
