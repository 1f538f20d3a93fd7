import { describe, expect, test } from 'vitest';
import { dialects, type Json, type Message, sameItem } from '../message/index.ts';
import { createModel } from '../models/clients/index.ts';
import { collect, promptTokens } from '../models/index.ts';
import { createModelSummarizer } from '../summarize/model/model-summarizer.ts';
import { createClock, startLoopback } from '../testing/index.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin } from './fixtures/engine.ts';
import { result, say } from './fixtures/messages.ts';

const names = {
  anthropic: 'anthropic/claude-opus-5-5',
  'openai-chat': 'openai-chat/gpt-5',
  'openai-responses': 'openai/gpt-5',
  gemini: 'google/gemini-3.8-flash',
} as const;

const window = 9000;
const tools = [{ name: 'run', inputSchema: { type: 'object' } }];

/** What no test of a codec sees: answers of real clients in a real session, through epochs, judged at each request. */
describe.each(dialects)('a session with a client of %s', (dialect) => {
  test('sends only what its provider takes, through compactions and thoughts that are bound to their place', async () => {
    const provider = await startLoopback({
      bindThinking: true,
      window,
      count: (text: string) => text.length,
      script: ({ index }) =>
        index % 5 === 4
          ? { thinking: `so ${index}`, text: 'Finished.' }
          : {
              thinking: `I think ${index} `.repeat(5),
              text: 'Let me look.',
              toolCalls: [1, 2].map((at) => ({ name: 'run', arguments: { at: index, and: at } })),
            },
    });
    const baseUrl = `${provider.url}${dialect.startsWith('openai') ? '/v1' : ''}`;
    const extra = [{ match: ['*'], window, maxOutput: 1000 }];
    const model = await createModel({ name: names[dialect], env: {}, baseUrl, extra });
    const { session } = await begin();
    let turn: { messages: Message[] } = { messages: [say('Begin.')] };
    let epochs = 0;
    let before: readonly Json[] = [];
    try {
      for (let index = 0; index < 40; index += 1) {
        const prepared = await session.prepare({ model, tools, turn });
        const { head, items } = prepared;
        epochs += prepared.report.opened.length;
        const { rebindsThinking } = prepared.report;
        const options = { thinking: { effort: 'high' }, maxOutputTokens: 500, rebindsThinking };
        const { message, usage, end } = await collect(model.stream({ head, items, tools: prepared.tools, options }));
        expect(provider.requests.at(-1)?.verdict).toEqual({ legal: true });
        expect(['stop', 'tool_calls']).toContain(end.reason);
        const sent = itemsOf(provider.requests.at(-1)?.body);
        const isSame = prepared.report.opened.length === 0;
        if (isSame) expect(before.every((item, at) => sameItem(item, sent[at] ?? null))).toBe(true);
        before = sent;
        await session.report({ usage: { input: usage ? promptTokens(usage) : 0 } });
        await session.append({ type: 'message', message });
        const calls = message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
        for (const id of calls) await session.append({ type: 'message', message: result(id, 'z'.repeat(300)) });
        turn = { messages: calls.length === 0 ? [say(`And ${index}?`)] : [] };
      }
    } finally {
      await provider.close();
    }
    expect(epochs).toBeGreaterThan(1);
    expect(provider.requests).toHaveLength(40);
  });
});

test.each(dialects)('a client of %s writes the summaries, in calls that are legal and tagged', async (dialect) => {
  const summary = '<analysis>So.</analysis><summary>\n## Overview\nThe work goes on.\n</summary>';
  const isSummary = (headers: Readonly<Record<string, string>>) => headers['x-interaction-type'] !== undefined;
  const provider = await startLoopback({
    count: (text: string) => text.length,
    script: ({ headers, index }) =>
      isSummary(headers)
        ? { thinking: 'Sum it up.', text: summary }
        : { thinking: 'Hm.', text: 'Look.', toolCalls: [{ name: 'run', arguments: { at: index } }] },
  });
  const baseUrl = `${provider.url}${dialect.startsWith('openai') ? '/v1' : ''}`;
  const extra = [{ match: ['*'], window: 40_000, maxOutput: 4000 }];
  const model = await createModel({ name: names[dialect], env: {}, baseUrl, extra });
  const count = (text: string) => text.length;
  const summarizer = createModelSummarizer({ models: [model], last: byCharacter, clock: createClock(), count });
  const { session } = await begin({ summarizer });
  let turn: { messages: Message[] } = { messages: [say('Begin.')] };
  try {
    for (let index = 0; index < 12; index += 1) {
      const { head, items, tools: offered } = await session.prepare({ model, tools, turn });
      const { message } = await collect(model.stream({ head, items, tools: offered, options: {} }));
      await session.append({ type: 'message', message });
      for (const part of message.parts)
        if (part.type === 'tool_call')
          await session.append({ type: 'message', message: result(part.id, `line ${index}\n`.repeat(200)) });
      turn = { messages: [] };
    }
    const done = await session.compact({ model, tools });
    expect(done.installed).toBe(true);
    expect(done.summary).toContain('The work goes on.');
    const tagged = provider.requests.filter(({ headers }) => isSummary(headers));
    expect(tagged.length).toBeGreaterThan(0);
    for (const { headers, verdict } of tagged) {
      expect(headers['x-interaction-type']).toBe('conversation-compaction');
      expect(verdict).toEqual({ legal: true });
    }
  } finally {
    await provider.close();
  }
});

function itemsOf(body: unknown): readonly Json[] {
  const { messages, input, contents } = body as Record<string, readonly Json[] | undefined>;
  return messages ?? input ?? contents ?? [];
}
