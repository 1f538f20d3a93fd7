import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineOf, said } from '../../fixtures/entries.ts';
import { temporaryFolder } from './fixtures.ts';
import { FullText } from './full-text.ts';
import type { ReadArgs, ReadReply } from './protocol.ts';
import { rowOf } from './row.ts';

describe('the index of words', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let index: FullText;
  let log: ReturnType<typeof lineOf> = [];
  let reads: number[] = [];

  beforeEach(() => {
    folder = temporaryFolder();
    reads = [];
    index = new FullText({
      path: join(folder.dir, 'index.sqlite'),
      sources: { read, last: () => log.at(-1)?.handle ?? 0, path: () => [{ from: 1, to: log.length }] },
    });
  });
  afterEach(() => {
    index.close();
    folder.remove();
  });

  function read({ query }: ReadArgs): ReadReply {
    const after = 'after' in query ? query.after : undefined;
    const handles = 'handles' in query ? query.handles : undefined;
    if (after !== undefined) reads.push(after);
    const wanted = log.filter(({ handle }) => (handles ? handles.includes(handle) : handle > (after ?? 0)));
    return { rows: wanted.map(rowOf), done: true };
  }

  const found = (text: string) =>
    index.search({ text, sessions: [{ id: 's1', last: log.length }] }).map(({ handle }) => handle);

  it('is not made anew for a plan that is older than what was indexed since', () => {
    log = lineOf({ drafts: ['one', 'two', 'three'].map(said) });
    expect(index.indexSlice({ id: 's1', last: 2 })).toBe(true);
    expect(index.indexSlice({ id: 's1', last: 2 })).toBe(false);
    expect(reads).toEqual([0]);
    expect(found('three')).toEqual([3]);
  });

  it('is made anew for another session of the same name, which ends before what is indexed', () => {
    log = lineOf({ drafts: ['old', 'older', 'oldest'].map(said) });
    index.indexSlice({ id: 's1', last: 3 });
    log = lineOf({ drafts: ['new'].map(said) });
    expect(index.indexSlice({ id: 's1', last: 1 })).toBe(true);
    expect(found('oldest')).toEqual([]);
    expect(found('new')).toEqual([1]);
  });
});
