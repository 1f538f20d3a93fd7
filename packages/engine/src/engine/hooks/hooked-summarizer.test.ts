import { describe, expect, test } from 'vitest';
import { user } from '../../message/index.ts';
import type { Summarizer, SummaryInput } from '../../summarize/summarizer.ts';
import { hookEvents } from '../fixtures/hook-events.ts';
import { itemsOf } from '../fixtures/items.ts';
import type { HookFailure } from '../types.ts';
import type { BeforeCompactionAnswer, Hooks } from './hooks.ts';
import { hookedSummarizers } from './run-hooks.ts';

const count = (text: string) => text.length;
const items = itemsOf([user('hello')]);
const input: SummaryInput = { items, kept: [], budget: 1_000, pins: [{ text: 'Never push.', from: '@1.1' }] };

function hooked(of: { readonly hooks?: Hooks; readonly before?: BeforeCompactionAnswer; readonly strategy?: string }) {
  const asked: SummaryInput[] = [];
  const failures: HookFailure[] = [];
  const stub = (strategy: string): Summarizer => ({
    strategy,
    summarize: async (given) => {
      asked.push(given);
      return { text: 'made', short: 'm' };
    },
  });
  const made = hookedSummarizers({
    summarizer: stub(of.strategy ?? 'full'),
    last: stub('extractive'),
    count,
    hooks: of.hooks ?? {},
    event: hookEvents.before,
    before: of.before ?? {},
    reportFailure: (failure) => void failures.push(failure),
  });
  return { ...made, asked, failures };
}

describe('a summary that a hook brings', () => {
  test('is taken in place of ours, with the rules that it leaves out', async () => {
    const { summarizer, asked } = hooked({ before: { replace: { text: 'Mine.\nAll of it.' } } });
    const summary = await summarizer.summarize(input);
    expect(summary).toEqual({
      strategy: 'hook',
      short: 'Mine.',
      text: 'Rules that hold, word for word:\n- Never push. (@1.1)\n\nMine.\nAll of it.',
    });
    expect(asked).toEqual([]);
  });

  test('that says the rules itself is taken as it is', async () => {
    const { summarizer } = hooked({ before: { replace: { text: 'Never push.', short: 's' } } });
    expect(await summarizer.summarize(input)).toEqual({ text: 'Never push.', short: 's', strategy: 'hook' });
  });

  test('sessions.md 9.1: what does not fit is reported once, and the default summary is made', async () => {
    const { summarizer, last, failures } = hooked({ before: { replace: { text: 'x'.repeat(5_000) } } });
    expect(await summarizer.summarize(input)).toMatchObject({ text: 'made' });
    expect(await last.summarize(input)).toMatchObject({ text: 'made' });
    expect(failures).toMatchObject([{ hook: 'beforeCompaction', kind: 'answer' }]);
  });
});

describe('what hooks add', () => {
  const compacting: Hooks = {
    compacting: () => ({ instructions: 'Be brief.', context: ['two'], keep: { mine: 1 } }),
  };

  test('goes to the model that summarizes', async () => {
    const { summarizer, asked } = hooked({ hooks: compacting, before: { context: ['one'], focus: 'the bug' } });
    expect(await summarizer.summarize({ ...input, focus: 'asked' })).toEqual({
      text: 'made',
      short: 'm',
      kept: { mine: 1 },
    });
    expect(asked).toMatchObject([
      { instructions: 'Be brief.', context: ['one', 'two'], focus: 'the bug', focusBy: 'hook' },
    ]);
  });

  test('is below a summary that needs no model, and never attributed to the user', async () => {
    const { last, asked } = hooked({ before: { context: ['The server is down.'] } });
    const { text } = await last.summarize(input);
    expect(text).toBe('made\n\n## Added by a hook\n\nThe user did not say this:\n- The server is down.');
    expect((asked[0]?.budget ?? 0) + text.length - 'made'.length).toBe(input.budget);
  });

  test('is at most a fifth of it; the rest is omitted and reported', async () => {
    const { last, failures } = hooked({ before: { context: ['short', 'x'.repeat(500)] } });
    const { text } = await last.summarize(input);
    expect(text).toMatch(/- short$/);
    expect(failures).toMatchObject([{ hook: 'compacting', kind: 'answer' }]);
  });

  test('is requested once, however often the summary is made, with the covered range', async () => {
    const events: unknown[] = [];
    const { summarizer, last } = hooked({ hooks: { compacting: (event) => void events.push(event) } });
    await summarizer.summarize({ ...input, focus: 'f' });
    await last.summarize(input);
    expect(events).toMatchObject([{ handles: { from: 1, to: 1 }, budget: 1_000, focus: 'f', trigger: 'threshold' }]);
  });
});
