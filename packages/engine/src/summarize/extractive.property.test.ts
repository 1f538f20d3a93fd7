import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sectionNames } from '../analysis/extract/document/sections.ts';
import { itemsOf } from '../engine/fixtures/items.ts';
import { storyOf } from '../engine/fixtures/story.ts';
import { brokenMessages } from '../message/messages.arbitrary.ts';
import { generateSession } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import { extractive, tailFor } from './extractive.ts';
import { createExtractiveSummarizer } from './in-worker.ts';
import type { Narrative } from './summarizer.ts';

const timeout = 3_600_000;
const count = (text: string) => text.length;

/** Histories of any kind, valid or not. */
const histories = fc.oneof(
  fc.array(brokenMessages(), { maxLength: 6 }).map((lists) => lists.flat()),
  fc.nat().map((seed) => storyOf({ seed, chapters: 3 }).chapters.flat()),
  fc.nat().map((seed) => generateSession({ seed, turns: 5, imageRate: 0.3, huge: { every: 9, lines: 300 } })),
  fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 12 }).map((texts) =>
    texts.map((text) => ({
      role: 'user' as const,
      parts: [{ type: 'text' as const, origin: 'human' as const, text }],
    })),
  ),
);

/** Arbitrary narratives, possibly empty. */
const narratives: fc.Arbitrary<Narrative> = fc.record(
  {
    sections: fc.dictionary(fc.constantFrom(...sectionNames), fc.string({ unit: 'binary', maxLength: 9_000 })),
    short: fc.string({ unit: 'binary' }),
    title: fc.string({ unit: 'binary' }),
  },
  { requiredKeys: ['sections'] },
);

test(
  'any history gives a summary within its budget, deterministically',
  () => {
    fc.assert(
      fc.property(
        histories,
        fc.nat(4),
        fc.integer({ min: 0, max: 20_000 }),
        narratives,
        (messages, cut, budget, narrative) => {
          const all = itemsOf(messages);
          const at = Math.max(0, all.length - cut);
          const items = all.slice(0, at);
          const kept = all.slice(at).map(({ message }) => message);
          const pins = [{ text: 'Never touch the database.', from: '@1.1' }];
          const input = {
            narrative,
            kept,
            later: all.slice(at),
            budget,
            pins,
            focus: 'the parser',
            state: { plan: 'x'.repeat(999) },
          };
          const summary = extractive({ items, input, count });
          expect(extractive({ items, input, count })).toEqual(summary);
          expect(summary.text).toContain('Never touch the database.');
          if (budget >= smallest) expect(summary.text.length).toBeLessThanOrEqual(budget);
          expect(tailFor({ items, budget, count })).toBeLessThanOrEqual(budget);
        },
      ),
      { ...runs(300), endOnFailure: true },
    );
  },
  timeout,
);

/** Below this, the required parts exceed the budget: the rules, and where the full text is. */
const smallest = 1_500;

test(
  'the worker returns the same bytes as this thread',
  async () => {
    const [there, here] = [createExtractiveSummarizer(), createExtractiveSummarizer({ worker: false })];
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 300, max: 4_000 }), async (messages, budget) => {
        const input = { items: itemsOf(messages), kept: [], budget, pins: [] };
        expect(await there.summarize(input)).toEqual(await here.summarize(input));
        expect(await there.tailFor?.(input)).toEqual(await here.tailFor?.(input));
      }),
      { ...runs(25), endOnFailure: true },
    );
  },
  timeout,
);
