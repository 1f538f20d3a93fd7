import { describe, expect, test } from 'vitest';
import { createModelSummarizer } from '../summarize/model/model-summarizer.ts';
import { promptVersion } from '../summarize/model/prompts/version.ts';
import type { SummaryMode } from '../summarize/summarizer.ts';
import { scriptedModel } from '../testing/index.ts';
import { begin } from './fixtures/engine.ts';
import { talk } from './fixtures/talk.ts';

const answer = (words: string) => `<summary><title>Talk</title>\n## Progress\n${words}</summary>`;

async function talking(words: readonly string[], mode: SummaryMode = 'auto') {
  const model = scriptedModel({ window: 100_000, script: (_, index) => ({ text: answer(words[index] ?? 'More.') }) });
  const { session } = await begin({ summarizer: createModelSummarizer({ models: [model], mode }) });
  return { model, session };
}

describe('a session whose summaries a model writes', () => {
  test('is forked from the request that would go out, and keeps account of it', async () => {
    const { model, session } = await talking(['The first steps are done.']);
    await talk({ session, turns: 5, model });
    const prepared = await session.prepare({ model });
    const done = await session.compact({ model });
    expect(done).toMatchObject({
      installed: true,
      strategy: 'fork',
      title: 'Talk',
      attempts: [{ outcome: 'accepted' }],
    });
    expect(done.summary).toContain('The first steps are done.');
    const [request] = model.requests;
    expect(request?.items.slice(0, -1)).toEqual(prepared.items);
    expect(request?.head).toEqual(prepared.head);
    const [entry] = await session.session.read({ types: ['compaction'] });
    expect(entry).toMatchObject({
      details: {
        rung: 'fork',
        made: { prompt: promptVersion },
        narrative: { sections: { progress: 'The first steps are done.' } },
        attempts: [{ rung: 'fork', outcome: 'accepted' }],
      },
    });
  });

  test('has its narrative updated the next time', async () => {
    const { model, session } = await talking(['The first steps are done.', 'All steps are done.']);
    await talk({ session, turns: 5, model });
    await session.compact({ model });
    await talk({ session, turns: 5, model });
    const { summary } = await session.compact({ model });
    expect(summary).toContain('All steps are done.');
    expect(summary).not.toContain('The first steps are done.');
    expect(JSON.stringify(model.requests[1]?.items.at(-1))).toContain('Rewrite it so that it is true now');
    expect(JSON.stringify(model.requests[0]?.items.at(-1))).not.toContain('Rewrite it so that it is true now');
  });

  test.each([
    ['auto', 'fork'],
    ['full', 'full'],
  ] as const)(
    'D10: with %s, words that came too late are shown to it, and those that are sent are not shown twice',
    async (mode, strategy) => {
      const { model, session } = await talking(['The first steps are done.', 'All of them are done.'], mode);
      await talk({ session, turns: 5, model });
      const asked = (index: number) => JSON.stringify(model.requests[index]?.items.at(-1));
      const data = { narrative: { sections: { progress: 'LATE WORDS' } }, cut: { replacedTo: 3 } };
      await session.append({ type: 'custom', customType: 'longhaul:narrative', data });
      expect((await session.compact({ model })).strategy).toBe(strategy);
      expect(asked(0)).toContain('Rewrite it so that it is true now');
      expect(asked(0)).toContain('LATE WORDS');
      await talk({ session, turns: 5, model });
      await session.compact({ model });
      expect(asked(1)).toContain('Rewrite it so that it is true now');
      expect(asked(1)).not.toContain('previous-summary>');
      expect(JSON.stringify(model.requests[1]?.items)).toContain('The first steps are done.');
    },
  );

  test('D10: words of a compaction that was replaced by one without a model are shown to it', async () => {
    const script = (_: unknown, index: number) =>
      index === 1
        ? ({ failure: 'quota' } as const)
        : { text: answer(index === 0 ? 'The first steps are done.' : 'All.') };
    const model = scriptedModel({ window: 100_000, script });
    const { session } = await begin({ summarizer: createModelSummarizer({ models: [model] }) });
    const strategies: (string | undefined)[] = [];
    for (let round = 0; round < 3; round += 1) {
      await talk({ session, turns: 5, model });
      strategies.push((await session.compact({ model })).strategy);
    }
    expect(strategies).toEqual(['fork', 'extractive', 'fork']);
    const asked = model.requests.map(({ items }) => JSON.stringify(items.at(-1)).includes('The first steps are done.'));
    expect(asked).toEqual([false, false, true]);
  });

  test('tells of a part in the middle that part, not the whole request', async () => {
    const { model, session } = await talking(['A part.']);
    await talk({ session, turns: 6, model });
    const ids = session.context.items.map(({ entry }) => entry ?? '');
    const { strategy } = await session.compact({ model, from: ids[4] ?? '', to: ids[7] ?? '' });
    expect(strategy).toBe('full');
    const asked = JSON.stringify(model.requests[0]?.items);
    expect(asked).toContain('answer 2');
    expect(asked).toContain('answer 3');
    expect(asked).not.toMatch(/answer [145]/);
  });
});
