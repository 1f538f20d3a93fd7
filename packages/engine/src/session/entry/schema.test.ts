import { describe, expect, it } from 'vitest';
import { lineOf, said } from '../fixtures/entries.ts';
import { draftProblems, readEntry, writeEntry } from './schema.ts';

const base = { v: 1, id: 'a', parentId: null, handle: 1, at: 0, epoch: null };

describe('reading an entry', () => {
  it('gives back what was written, members and their order included', () => {
    const value = { zeta: 1, ...base, type: 'label', extra: { b: 1, a: 2 }, target: 'x', label: null };
    const { entry } = readEntry({ value });
    expect(JSON.stringify(entry)).toBe(JSON.stringify(value));
  });

  it('keeps a kind it does not know, whole', () => {
    const value = { ...base, type: 'hologram', light: { beams: 3 }, deep: [[[]]] };
    const { entry } = readEntry({ value });
    expect(entry).toMatchObject({ type: 'unknown', kind: 'hologram', value: { light: { beams: 3 }, deep: [[[]]] } });
    expect(entry && writeEntry(entry)).toEqual(value);
  });

  it('keeps an entry of a later version, whole, even of a kind it knows', () => {
    const value = { ...base, v: 2, type: 'message', message: 'no longer an object' };
    const { entry } = readEntry({ value });
    expect(entry).toMatchObject({ v: 1, type: 'unknown', kind: 'message', value: { v: 2 } });
    expect(entry && writeEntry(entry)).toEqual(value);
  });

  it('keeps a member called __proto__ as a member', () => {
    const value = JSON.parse(
      '{"v":1,"id":"a","parentId":null,"handle":1,"at":0,"epoch":null,"type":"x","__proto__":{"a":1}}',
    );
    const { entry } = readEntry({ value });
    expect(JSON.stringify(entry && writeEntry(entry))).toContain('"__proto__":{"a":1}');
  });

  it.each([
    [null, 'not an object'],
    [[], 'not an object'],
    ['text', 'not an object'],
    [{ ...base, type: 'label', label: 'x' }, 'target'],
    [{ ...base, type: 'message', message: { role: 'wizard', parts: [] } }, 'message.role'],
    [
      { ...base, type: 'message', message: { role: 'user', parts: [{ type: 'text', origin: 'human' }] } },
      'parts.0.text',
    ],
    [{ ...base, handle: 0, type: 'x' }, 'handle'],
    [{ ...base, id: '', type: 'x' }, 'id'],
    [{ v: 1, type: 'x' }, 'id'],
    [{ ...base }, 'type'],
    [{ ...base, type: 'epoch', reason: 'x', items: { list: [{}] }, codec: 1 }, 'items'],
  ])('tells what is wrong with %j instead of throwing', (value, place) => {
    const { entry, problems } = readEntry({ value });
    expect(entry).toBeUndefined();
    expect(problems.join(' ')).toContain(place);
  });

  it('is not felled by nesting that no stack could hold', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(readEntry({ value: { ...base, type: 'custom', customType: 'x', data: deep } }).problems).toEqual([]);
    expect(readEntry({ value: { ...base, type: deep } }).entry).toBeUndefined();
  });

  it('takes every entry that a session appends', () => {
    for (const entry of lineOf({ drafts: [said('a')] })) expect(readEntry({ value: entry }).problems).toEqual([]);
  });
});

describe('a draft', () => {
  it('is checked like an entry, without what the session gives it', () => {
    expect(draftProblems(said('a'))).toEqual([]);
    expect(draftProblems({ type: 'label' })).not.toEqual([]);
    expect(draftProblems({ type: 'hologram' })).toEqual([expect.stringContaining('hologram')]);
  });
});
