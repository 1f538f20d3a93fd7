import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type HeapUse, watchMemory } from './memory.ts';

function begin() {
  const listeners = new Set<(use: HeapUse) => void>();
  const seen: number[] = [];
  const stop = watchMemory({
    onPressure: ({ used }) => seen.push(used),
    observe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const collect = (...uses: number[]) => {
    for (const used of uses) for (const listener of listeners) listener({ used, limit: 100 });
  };
  return { seen, stop, collect };
}

test('D6: memory pressure that remains after a collection is reported once, and again after it was relieved', () => {
  const { seen, stop, collect } = begin();
  collect(50, 84, 85, 95, 80, 99, 76, 90);
  expect(seen).toEqual([85, 90]);
  stop();
  collect(10, 99);
  expect(seen).toEqual([85, 90]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no'))],
])('a listener that %s does not end the process', async (_, onPressure) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  let collected: ((use: HeapUse) => void) | undefined;
  watchMemory({
    onPressure,
    observe(listener) {
      collected = listener;
      return () => undefined;
    },
  });
  expect(() => collected?.({ used: 99, limit: 100 })).not.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', note);
  expect([collected === undefined, unhandled]).toEqual([false, []]);
});

test('the collections of this process are seen', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const seen = Promise.withResolvers<HeapUse>();
  const stop = watchMemory({ share: 0, onPressure: seen.resolve });
  collect();
  const use = await seen.promise;
  stop();
  expect(use.used).toBeGreaterThan(0);
  expect(use.limit).toBeGreaterThan(use.used);
});
