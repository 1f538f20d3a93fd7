import { describe, expect, it } from 'vitest';
import { createClock } from './clock.ts';
import { characterTokenizer } from './tokenizer.ts';

describe('the fake clock', () => {
  it('resolves sleeps in order of time, including those started meanwhile', async () => {
    const clock = createClock({ start: 0 });
    const woken: string[] = [];
    const nap = async (name: string, ...times: number[]) => {
      for (const ms of times) {
        await clock.sleep(ms);
        woken.push(`${name}@${clock.now()}`);
      }
    };
    const naps = Promise.all([nap('a', 10, 10), nap('b', 15)]);
    await clock.advance(100);
    await naps;
    expect(woken).toEqual(['a@10', 'b@15', 'a@20']);
    expect(clock.now()).toBe(100);
  });

  it('rejects a sleep whose signal aborts before or during it', async () => {
    const clock = createClock();
    const controller = new AbortController();
    const nap = clock.sleep(10, controller.signal);
    controller.abort(new Error('enough'));
    await expect(nap).rejects.toThrow('enough');
    await expect(clock.sleep(10, controller.signal)).rejects.toThrow('enough');
    expect(clock.sleepers).toBe(0);
  });
});

describe('the character tokenizer', () => {
  it('counts code points, not surrogates, and stops at a limit', () => {
    expect(characterTokenizer.count('héllo 👋')).toBe(7);
    expect(characterTokenizer.encode('a👋')).toEqual([97, 128075]);
    expect(characterTokenizer.countUpTo('aaaaaa', 3)).toBe(3);
    expect(characterTokenizer.count('')).toBe(0);
  });
});
