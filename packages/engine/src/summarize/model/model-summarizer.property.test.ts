import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimIn } from '../../analysis/claims/claims.ts';
import { itemsOf } from '../../engine/fixtures/items.ts';
import { storyOf } from '../../engine/fixtures/story.ts';
import { createClock, generateSession, type ScriptedAnswer, scriptedModel } from '../../testing/index.ts';
import { runs } from '../../testing/runs.ts';
import { createExtractiveSummarizer } from '../in-worker.ts';
import type { Narrative, PreviousSummary, SummaryInput } from '../summarizer.ts';
import { createModelSummarizer } from './model-summarizer.ts';

const last = createExtractiveSummarizer({ worker: false });
const timeout = 3_600_000;

const limits = { timeout: 5_000, deadline: 60_000, attempts: 6 };

const words = fc.oneof(
  fc.constantFrom('<summary>', '</summary>', '<analysis>', '</analysis>', '## Overview\n', '## Progress\n'),
  fc.constantFrom(
    'The user approved it. ',
    'It works. ',
    '@7 user\n',
    'Rules that hold, word for word:\n',
    '<title>t</title>',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.nat(3_000).map((times) => 'many words '.repeat(times)),
);

const answers: fc.Arbitrary<ScriptedAnswer> = fc.oneof(
  { weight: 4, arbitrary: fc.array(words, { maxLength: 8 }).map((list) => ({ text: list.join('') })) },
  {
    weight: 2,
    arbitrary: fc.array(words, { maxLength: 4 }).map((list) => ({ text: `<summary>${list.join('')}</summary>` })),
  },
  fc.constantFrom<ScriptedAnswer>(
    { text: '' },
    { thinking: 'long', text: '' },
    { toolCalls: [{ name: 'bash', arguments: '{broken' }] },
    { text: '<summary>half', reason: 'length' },
    { reason: 'refused' },
    { reason: 'paused' },
    { text: '<summary>slow</summary>', delayMs: 4_000 },
    { text: '<summary>too slow</summary>', delayMs: 1e9 },
    { failure: 'rate' },
    { failure: 'network' },
    { failure: 'auth' },
    { failure: 'overflow' },
    { failure: 'invalid' },
    { failure: 'unknown' },
    { failure: { kind: 'rate', message: 'later', retryable: true, delayMs: 20_000 } },
    { failure: { kind: 'overflow', message: 'long', retryable: false, limit: 3_000 } },
  ),
);

const histories = fc.oneof(
  fc.nat().map((seed) => storyOf({ seed, chapters: 3 }).chapters.flat()),
  fc.nat().map((seed) => generateSession({ seed, turns: 5, imageRate: 0.2, huge: { every: 9, lines: 300 } })),
);

test(
  'promise 4: whatever models answer, there is a summary within its budget, in bounded calls, without claims about people',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([
          histories,
          fc.array(answers, { minLength: 1, maxLength: 12 }),
          fc.integer({ min: 900, max: 8_000 }),
        ] as const),
        fc.constantFrom('auto', 'full', 'simple'),
        fc.constantFrom(6_000, 40_000, 400_000),
        async (messages, script, budget, mode, window) => {
          const clock = createClock();
          const model = scriptedModel({ clock, window, script: (_, index) => script[index % script.length] ?? {} });
          const items = itemsOf(messages);
          const live = { head: [], items: messages, tools: [], model, covers: messages.length };
          const input: SummaryInput = { items, kept: [], budget, pins: [{ text: 'Never push.' }], live };
          const summarizer = createModelSummarizer({
            models: [model, { model: () => model }],
            mode,
            last,
            clock,
            limits,
          });
          let summary: Awaited<ReturnType<typeof summarizer.summarize>> | undefined;
          const pending = summarizer.summarize(input).then((made) => {
            summary = made;
          });
          while (!summary) await clock.advance(1_000);
          await pending;
          // Counted by o200k_base, like the extractive summarizer.
          expect(summary.text).toContain('Never push.');
          expect(await tokens(summary.text)).toBeLessThanOrEqual(budget);
          expect(model.requests.length).toBeLessThanOrEqual(limits.attempts + 26);
          const { strategy, narrative, attempts = [] } = summary;
          expect(narrative === undefined).toBe(strategy === 'extractive');
          if (narrative) expect(attempts.at(-1)).toMatchObject({ strategy, outcome: 'accepted' });
          for (const line of Object.values(narrative?.sections ?? {})
            .join('\n')
            .split('\n')) {
            if (claimIn(line) !== 'none') expect(line).toMatch(/["“«„‘]/);
          }
        },
      ),
      { ...runs(150), endOnFailure: true },
    );
  },
  timeout,
);

const tokenizer = import('../../tokens/index.ts').then(({ createTokenizer }) => createTokenizer('o200k_base'));

async function tokens(text: string): Promise<number> {
  return (await tokenizer).count(text);
}

test('sessions.md 6.5: a summary that is updated twenty times does not grow, whatever the model adds', async () => {
  // The model repeats its input and adds more: unbounded, the summary would grow more than 8.6-fold.
  const { chapters } = storyOf({ seed: 11, chapters: 20 });
  const sizes: number[] = [];
  let previous: PreviousSummary | undefined;
  let written: Narrative | undefined;
  const model = scriptedModel({
    script: (_, index) => {
      const sections = Object.entries(written?.sections ?? {}).map(([name, text]) => `## ${name}\n${text}`);
      const more = `Chapter ${index} was finished in ${index} steps. `.repeat(12);
      return {
        text: `<summary>${sections.join('\n')}\n## Progress\n${written?.sections.progress ?? ''}\n${more}\n## Overview\n${more}</summary>`,
      };
    },
  });
  const summarizer = createModelSummarizer({ models: [model], mode: 'simple', last });
  for (let round = 1; round <= 20; round += 1) {
    const items = itemsOf(chapters.slice(0, round).flat());
    const input = { items, kept: [], budget: 3_000, pins: [], ...(previous && { previous }) };
    const { text, narrative, strategy } = await summarizer.summarize(input);
    expect(strategy).toBe('simple');
    sizes.push(Object.values(narrative?.sections ?? {}).join('').length);
    expect(await tokens(text)).toBeLessThanOrEqual(3_000);
    written = narrative;
    previous = { narrative: narrative ?? { sections: {} }, to: items.length };
    expect(JSON.stringify(narrative)).toContain(`Chapter ${round - 1} was finished`);
  }
  expect(Math.max(...sizes)).toBeLessThan((sizes[4] ?? 0) * 1.2);
  const asked = model.requests.map(({ items: [message] }) => JSON.stringify(message));
  expect(asked[0]).not.toContain('Rewrite it so that it is true now');
  expect(asked[19]).toContain('Rewrite it so that it is true now');
  expect(asked[19]).toContain('<previous-summary>');
  // Requests contain only new items, so they do not grow either.
  expect(asked[19]?.length).toBeLessThan((asked[2]?.length ?? 0) * 3);
});
