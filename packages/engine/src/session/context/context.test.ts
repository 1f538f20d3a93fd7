import { describe, expect, it } from 'vitest';
import type { Draft, Entry } from '../entry/entry.ts';
import { lineOf, said, testIds } from '../fixtures/entries.ts';
import { texts } from '../fixtures/sessions.ts';
import { advance } from './advance.ts';
import { contextOf, emptyContext } from './context.ts';

const lookup = (entries: readonly Entry[]) => new Map(entries.map((entry) => [entry.id, entry]));
const epoch = (items: object): Draft => ({ type: 'epoch', reason: 'x', items, codec: 1 }) as Draft;

describe('what is sent', () => {
  it('at a leaf that is not there is a problem, not the last branch (pi 2.1)', () => {
    const entries = lineOf({ drafts: [said('a')] });
    const context = contextOf({ entries: lookup(entries), leaf: 'nobody' });
    expect(context.items).toEqual([]);
    expect(context.problems).toMatchObject([{ code: 'missing-entry', entry: 'nobody' }]);
  });

  it('holds what extensions say in the user role, shown or not, and branch summaries that say something', () => {
    const parts = [{ type: 'text', origin: 'engine', text: 'from an extension' }] as const;
    const entries = lineOf({
      drafts: [
        { type: 'custom_message', customType: 'x', parts, display: false },
        { type: 'branch_summary', fromId: null, summary: '' },
        { type: 'model_change', model: { provider: 'p', name: 'n' } },
      ],
    });
    const { items } = contextOf({ entries: lookup(entries), leaf: entries.at(-1)?.id ?? null });
    expect(items).toMatchObject([{ message: { role: 'user', parts }, isMade: false }]);
  });

  it('of a log whose nodes do not stand on the leaf is built anew, not added to', () => {
    const [a, b, c] = lineOf({ drafts: [said('a'), said('b'), said('c')] });
    if (!a || !b || !c) throw new Error('no entries');
    const log = [a, b, { ...c, parentId: a.id }];
    const context = advance({ context: emptyContext, appended: log, entries: lookup(log) });
    expect(texts({ context })).toEqual(['a', 'c']);
  });

  it('restored by an epoch that names a younger place ends, with the problem', () => {
    const [a, e, c] = lineOf({ drafts: [said('a'), epoch({ list: [] }), said('c')], nextId: testIds(3) });
    if (!a || !e || !c) throw new Error('no entries');
    const forged = { ...e, items: { restore: { node: c.id, after: a.id } } } as Entry;
    const context = contextOf({ entries: lookup([a, forged, c]), leaf: c.id });
    expect(context.problems).toMatchObject([{ code: 'cycle', entry: e.id }]);
    expect(texts({ context })).toEqual(['c']);
  });

  it('restored after something that is not on the path says so', () => {
    const [a, e] = lineOf({ drafts: [said('a'), epoch({ restore: { node: null, after: 'elsewhere' } })] });
    if (!a || !e) throw new Error('no entries');
    expect(contextOf({ entries: lookup([a, e]), leaf: e.id }).problems).toMatchObject([{ code: 'bad-reference' }]);
  });

  it('is restored through thousands of undos without a deep stack', () => {
    const nextId = testIds(4);
    const log = lineOf({ drafts: [said('a'), epoch({ list: [] })], nextId });
    for (let round = 0; round < 3000; round += 1) {
      const last = log.at(-1);
      if (!last) throw new Error('no entry');
      log.push(...lineOf({ drafts: [epoch({ restore: { node: last.id, after: last.id } })], nextId, after: last }));
    }
    const context = contextOf({ entries: lookup(log), leaf: log.at(-1)?.id ?? null });
    expect(context).toMatchObject({ items: [], problems: [], epoch: log.at(-1)?.id });
  });

  it('grows without looking at what is there, and is right whenever it is asked for, in any order', () => {
    const log = lineOf({ drafts: Array.from({ length: 3000 }, (_, n) => said(`${n}`)) });
    const entries = lookup(log);
    const contexts = [emptyContext];
    for (const entry of log) {
      contexts.push(advance({ context: contexts.at(-1) ?? emptyContext, appended: [entry], entries }));
    }
    for (const at of [2999, 3000, 5, 1000, 1001, 0, 1500, 3000]) {
      expect(contexts[at]).toEqual(contextOf({ entries, leaf: log[at - 1]?.id ?? null }));
    }
    const [one, two] = [said('one'), said('two')].map((draft, seed) => {
      const [entry] = lineOf({ drafts: [draft], nextId: testIds(seed + 50), ...(log[9] && { after: log[9] }) });
      if (!entry) throw new Error('no entry');
      const context = contexts[10] ?? emptyContext;
      return advance({ context, appended: [entry], entries: new Map([...entries, [entry.id, entry]]) });
    });
    expect(texts({ context: one ?? emptyContext }).slice(-2)).toEqual(['9', 'one']);
    expect(texts({ context: two ?? emptyContext }).slice(-2)).toEqual(['9', 'two']);
  });
});
