import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { LogicalWrapper } from '../elements/wrappers.ts';
import { characters } from '../fixtures.fixture.ts';
import {
  Chunk,
  Fragment,
  h,
  IfEmpty,
  PrioritizedList,
  type PromptPiece,
  type PromptPieceChild,
  render,
  renderJSON,
  TextChunk,
  TokenLimit,
  UserMessage,
} from '../index.ts';

const rank = fc.integer({ min: 0, max: 5 });
const words = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', 'b', ' ') });
const props = fc.record({ priority: rank, passPriority: fc.constant(true) }, { requiredKeys: [] });
const opaque = fc.record(
  { value: words, tokenUsage: rank, priority: rank, scope: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: ['value', 'tokenUsage'] },
);

/** Content of a message. */
const { child } = fc.letrec<{ child: PromptPieceChild; children: PromptPieceChild[] }>((tie) => ({
  children: fc.array(tie('child'), { maxLength: 3 }),
  child: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.tuple(props, words).map(([given, text]) => h(TextChunk, given, text)),
    opaque.map((given) => h('opaque', given)),
    fc.constant(h('br')),
    fc.tuple(props, tie('children')).map(([given, inside]) => h(LogicalWrapper, given, ...inside)),
    fc.tuple(props, tie('children')).map(([given, inside]) => h(Chunk, given, ...inside)),
    fc.tuple(props, words, tie('children')).map(([given, alt, inside]) => h(IfEmpty, { ...given, alt }, ...inside)),
    fc.tuple(props, rank, tie('children')).map(([given, max, inside]) => h(TokenLimit, { ...given, max }, ...inside)),
    fc
      .tuple(rank, fc.boolean(), tie('children'))
      .map(([priority, descending, inside]) => h(PrioritizedList, { priority, descending }, ...inside)),
    tie('children').map((inside) => h(Fragment, null, ...inside)),
  ),
}));
const piece = child.filter(
  (each): each is PromptPiece => typeof each === 'object' && typeof (each as PromptPiece).ctor !== 'string',
);
const message = fc.tuple(props, fc.array(child, { minLength: 1, maxLength: 3 }));

describe('any element, rendered to JSON and embedded', () => {
  it('gives the same messages and counts as in place, at any budget', async () => {
    const at = (budget: number, element: PromptPiece) =>
      render({ element, budget, tokenizer: characters }).then(
        ({ messages, tokenCount }) => ({ messages, tokenCount }),
        (error: { readonly code?: string }) => error.code,
      );
    await fc.assert(
      fc.asyncProperty(piece, props, child, child, message, async (inner, given, before, after, [more, rest]) => {
        const data = JSON.parse(
          JSON.stringify(await renderJSON({ element: inner, budget: 99, tokenizer: characters })),
        );
        const around = (inside: PromptPiece) =>
          h(Fragment, null, h(UserMessage, given, before, inside, after), h(UserMessage, more, ...rest));
        const embedded = h('elementJSON', { data });
        for (let budget = 4; budget < 60; budget += 4)
          expect(await at(budget, around(embedded))).toEqual(await at(budget, around(inner)));
      }),
      { seed: 9, ...runs(150) },
    );
  });
});
