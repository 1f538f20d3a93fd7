import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { advance } from '../context/advance.ts';
import { contextOf, emptyContext } from '../context/context.ts';
import type { Draft, Entry } from '../entry/entry.ts';
import { lineOf, said } from '../fixtures/entries.ts';
import { historyOf } from '../history/history.ts';
import { cloneOf } from '../live/copy.ts';
import { createLogCheck } from './check.ts';
import { divergence } from './divergence.ts';
import { createTree } from './tree.ts';
import { pathOf } from './walk.ts';

/** Entries from a drawing: each is `id<parent`, numbered in order. */
function drawn(drawing: string): Entry[] {
  return drawing.split(' ').map((word, index) => {
    const [id = '', parent] = word.split('<');
    return { v: 1, id, parentId: parent ?? null, handle: index + 1, at: 0, epoch: null, ...said(id) };
  });
}
const lookup = (entries: readonly Entry[]) => new Map(entries.map((entry) => [entry.id, entry]));
const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id).join(' ');
const codes = (entries: readonly Entry[]) => createTree({ entries }).problems.map(({ code }) => code);

describe('a tree', () => {
  it('knows roots, children, path and leaf', () => {
    const entries = drawn('a b<a c<b d<b e f<e');
    const tree = createTree({ entries });
    expect(ids(tree.roots)).toBe('a e');
    expect(ids(tree.children('b'))).toBe('c d');
    expect(tree.children('f')).toEqual([]);
    expect(tree.leaf).toBe('f');
    expect(ids(pathOf({ entries: tree.byId, leaf: 'd' }).entries)).toBe('a b d');
    expect(pathOf({ entries: tree.byId, leaf: null }).entries).toEqual([]);
    expect(tree.problems).toEqual([]);
  });

  it('has its leaf where the last move led: plain navigation is not forgotten (pi took the last line)', () => {
    const entries = drawn('a b<a c<b');
    const move: Entry = { ...base(4, 'c'), type: 'leaf', target: 'a', reason: 'move' };
    expect(createTree({ entries: [...entries, move] }).leaf).toBe('a');
  });

  it('does not take metadata for the leaf (pi #9930)', () => {
    const entries = drawn('a b<a');
    const rename: Entry = { ...base(3, 'a'), type: 'session_info', info: { name: 'x' } };
    const label: Entry = { ...base(4, 'a'), type: 'label', target: 'a', label: 'start' };
    const tree = createTree({ entries: [...entries, rename, label] });
    expect(tree.leaf).toBe('b');
    expect(ids(tree.notes('a'))).toBe('n3 n4');
    expect(tree.problems).toEqual([]);
  });

  it('knows the newest label of each entry', () => {
    const label = (handle: number, target: string, value: string | null): Entry => ({
      ...base(handle, 'a'),
      type: 'label',
      target,
      label: value,
    });
    const notes = [label(3, 'a', 'one'), label(4, 'a', 'two'), label(5, 'b', 'x'), label(6, 'b', null)];
    expect(createTree({ entries: [...drawn('a b<a'), ...notes] }).labels).toEqual(new Map([['a', 'two']]));
  });

  it('is made of ten thousand entries in one line without a deep stack', () => {
    const entries = lineOf({ drafts: Array.from({ length: 10_000 }, (_, n) => said(`${n}`)) });
    const tree = createTree({ entries });
    expect(pathOf({ entries: tree.byId, leaf: tree.leaf }).entries).toHaveLength(10_000);
  });
});

describe('the common ancestor', () => {
  const entries = drawn('a b<a c<b d<c e<b f<e g');
  const between = (from: string | null, to: string | null) => {
    const found = divergence({ entries: lookup(entries), from, to });
    return [found.ancestor, ids(found.abandoned), ids(found.gained)];
  };
  it.each([
    ['d', 'f', ['b', 'c d', 'e f']],
    ['d', 'b', ['b', 'c d', '']],
    ['b', 'd', ['b', '', 'c d']],
    ['d', 'd', ['d', '', '']],
    ['d', 'g', [null, 'a b c d', 'g']],
    ['d', null, [null, 'a b c d', '']],
    [null, 'c', [null, '', 'a b c']],
    [null, null, [null, '', '']],
  ])('of %j and %j', (from, to, expected) => {
    expect(between(from, to)).toEqual(expected);
  });

  it('looks only at what lies between', () => {
    const near = new Map([...lookup(entries)].filter(([id]) => 'bcdef'.includes(id)));
    expect(divergence({ entries: near, from: 'd', to: 'f' })).toMatchObject({ ancestor: 'b', problems: [] });
  });

  it('is reported as unknown where an entry is missing', () => {
    const holed = new Map([...lookup(entries)].filter(([id]) => id !== 'c'));
    const found = divergence({ entries: holed, from: 'd', to: 'f' });
    expect(found.problems).toMatchObject([{ code: 'missing-entry', entry: 'c' }]);
  });
});

describe('a broken log', () => {
  it('no cycle guard (pi): a loop ends, is reported, and what is in it stays in sight', () => {
    for (const drawing of ['a<a', 'a<b b<a', 'a<c b<a c<b d<c']) {
      const entries = drawn(drawing);
      const tree = createTree({ entries });
      expect(codes(entries)).toContain('cycle');
      expect(tree.roots.length).toBeGreaterThan(0);
      for (const { id } of entries) expect(pathOf({ entries: tree.byId, leaf: id }).entries.length).toBeLessThan(5);
    }
  });

  it('reports a missing parent, and shows its children as roots', () => {
    const entries = drawn('a b<gone c<b');
    expect(createTree({ entries }).problems).toMatchObject([{ code: 'missing-entry', entry: 'gone' }]);
    expect(ids(createTree({ entries }).roots)).toBe('a b');
    expect(pathOf({ entries: lookup(entries), leaf: 'c' })).toMatchObject({
      entries: [{ id: 'b' }, { id: 'c' }],
      problems: [{ code: 'missing-entry', entry: 'gone' }],
    });
  });

  it('reports ids and handles that are used twice, and keeps the first', () => {
    const [a, b] = drawn('a b<a');
    if (!a || !b) throw new Error('no entries');
    const tree = createTree({ entries: [a, b, { ...b, handle: 3, at: 99 }] });
    expect(tree.problems).toMatchObject([{ code: 'duplicate-id', entry: 'b' }]);
    expect(tree.byId.get('b')?.at).toBe(0);
    expect(codes([a, { ...b, handle: 1, parentId: null }])).toEqual(['duplicate-handle']);
  });

  it('reports a note that is stood on, but not a kind that a later version may have made a node', () => {
    const [a, b] = drawn('a b<n2');
    if (!a || !b) throw new Error('no entries');
    const note: Entry = { ...base(2, 'a'), type: 'custom', customType: 'x' };
    const later: Entry = { ...base(2, 'a'), type: 'unknown', kind: 'hologram', value: {} };
    const last = { ...b, handle: 3 };
    expect(codes([a, note, last])).toEqual(['note-as-parent']);
    expect(codes([a, later, last])).toEqual([]);
    expect(ids(pathOf({ entries: lookup([a, later, last]), leaf: 'b' }).entries)).toBe('a n2 b');
  });

  it('reports an entry of the wrong epoch and a head that is not where the log leads', () => {
    const [a, b] = drawn('a b<a');
    if (!a || !b) throw new Error('no entries');
    expect(codes([a, { ...b, epoch: 'other' }])).toEqual(['wrong-epoch']);
    const check = createLogCheck();
    check.add(a);
    check.add(b);
    const problems = check.finish({ head: { last: 2, count: 2, leaf: 'a', epoch: null } });
    expect(problems).toMatchObject([{ code: 'wrong-head', what: expect.stringContaining('leaf a') }]);
  });

  it('reports what an epoch sends and restores and is not there', () => {
    const items = { list: [{ entry: 'gone' }, { entry: 'a' }] };
    const epoch: Entry = { ...base(2, 'a'), id: 'e', epoch: 'e', type: 'epoch', reason: 'x', items, codec: 1 };
    expect(createTree({ entries: [...drawn('a'), epoch] }).problems).toMatchObject([
      { code: 'missing-item', entry: 'gone' },
    ]);
    const restore: Entry = { ...epoch, items: { restore: { node: 'later', after: 'a' } } };
    const later: Entry = { ...base(3, 'e'), id: 'later', epoch: 'e', ...said('x') };
    expect(codes([...drawn('a'), restore, later])).toEqual(['cycle']);
  });

  it('forged in any way, never makes anything throw or go on for ever', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const parent = fc.option(id);
    const draft: fc.Arbitrary<Draft> = fc.oneof(
      fc.constant(said('x')),
      fc
        .record({ node: fc.option(id), after: id })
        .map((restore): Draft => ({ type: 'epoch', reason: 'undo', items: { restore }, codec: 1 })),
      fc.array(id, { maxLength: 3 }).map(
        (list): Draft => ({
          type: 'epoch',
          reason: 'x',
          items: { list: list.map((entry) => ({ entry })) },
          codec: 1,
        }),
      ),
      fc.option(id).map((target): Draft => ({ type: 'leaf', target, reason: 'undo', reverses: 'a' })),
    );
    const entry = fc
      .tuple(id, parent, fc.integer({ min: 1, max: 8 }), draft)
      .map(
        ([own, parentId, handle, what]): Entry => ({ v: 1, id: own, parentId, handle, at: 0, epoch: null, ...what }),
      );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 10 }), parent, parent, (entries, leaf, other) => {
        const tree = createTree({ entries });
        const context = contextOf({ entries: tree.byId, leaf });
        advance({ context: emptyContext, appended: entries, entries: tree.byId });
        pathOf({ entries: tree.byId, leaf });
        divergence({ entries: tree.byId, from: leaf, to: other });
        historyOf({ entries });
        cloneOf({ entries, byId: tree.byId, leaf });
        expect(context.leaf).toBe(leaf);
      }),
      runs(2000),
    );
  });
});

function base(handle: number, parentId: string) {
  return { v: 1, id: `n${handle}`, parentId, handle, at: 0, epoch: null } as const;
}
