import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, type Json } from '../../json.ts';
import { runs } from '../../testing/runs.ts';
import { dialects, type Message } from '../message.ts';
import { codecs } from './index.ts';
import { itemsOf } from './items.arbitrary.ts';

const bytes = (value: Json) => JSON.stringify(canonical(value));

/** The same message built in another order, as a store or another process would hand it back. */
function shuffled<T>(value: T): T {
  if (Array.isArray(value)) return value.map(shuffled) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  ) as T;
}

describe.each(dialects)('the %s codec', (dialect) => {
  const codec = codecs[dialect];

  it('gives back deep-equal JSON for whatever it was given', () => {
    fc.assert(
      fc.property(itemsOf[dialect], (items) => {
        expect(bytes(codec.encode(codec.decode(items)))).toBe(bytes(items));
      }),
      runs(5_000),
    );
  });

  it('writes equal messages as equal bytes, whatever order their members were built in', () => {
    fc.assert(
      fc.property(itemsOf[dialect], (items) => {
        const messages = codec.decode(items);
        expect(JSON.stringify(codec.encode(shuffled(messages)))).toBe(JSON.stringify(codec.encode(messages)));
      }),
      runs(2_000),
    );
  });

  it('decodes a longer list to the same start, so that a growing conversation keeps its prefix', () => {
    fc.assert(
      fc.property(itemsOf[dialect], fc.nat(8), (items, cut) => {
        const start = items.slice(0, cut);
        expect(codec.decode(items).slice(0, start.length)).toEqual(codec.decode(start));
      }),
      runs(500),
    );
  });

  it('encodes every other dialect without failing, and the result is stable', () => {
    for (const other of dialects) {
      fc.assert(
        fc.property(itemsOf[other], (items) => {
          const messages: Message[] = codecs[other].decode(items);
          const once = codec.encode(messages);
          expect(bytes(codec.encode(codec.decode(once)))).toBe(bytes(once));
        }),
        runs(1_000),
      );
    }
  });
});
