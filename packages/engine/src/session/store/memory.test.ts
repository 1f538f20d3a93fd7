import { expect, test } from 'vitest';
import { lineOf, said } from '../fixtures/entries.ts';
import { createMemoryStore } from './memory.ts';
import { describeStore } from './suite.ts';

describeStore({
  name: 'the store in memory',
  open: async () => {
    const store = createMemoryStore();
    return { store, reopen: async () => store, dispose: () => store.close() };
  },
});

test('a word of millions of letters does not overflow the stack of a warm regular expression', async () => {
  const store = createMemoryStore();
  await store.create({ header: { v: 1, id: 's1', createdAt: 0 } });
  // The overflow needs the compiled form of the expression.
  for (let times = 0; times < 3_000; times += 1) await store.search({ text: 'some words' });
  const entries = lineOf({ drafts: [said(`fig ${'漢'.repeat(9_000_000)}`)] });
  await store.append({ session: 's1', expect: 0, entries, leaf: entries[0]?.id ?? null, epoch: null });
  expect(await store.search({ text: 'fig' })).toHaveLength(1);
});
