import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMask } from '../../../analysis/secrets/mask.ts';
import { send } from '../../../engine/fixtures/send.ts';
import { dialects, type Message, writeRequest } from '../../../message/index.ts';
import { repairSoFar } from '../../../message/internal.ts';
import { modelInfo, promptTokens } from '../../../models/index.ts';
import { generateSession, judge, sessionTools, startLoopback } from '../../../testing/index.ts';
import { runs } from '../../../testing/runs.ts';
import { forkRequest } from './fork.ts';

const head: readonly Message[] = [
  { role: 'system', parts: [{ type: 'text', origin: 'engine', text: 'You are an agent.', cache: {} }] },
];
const mask = createMask();

describe.each(dialects)('the fork in the dialect %s', (dialect) => {
  const model = { dialect, info: modelInfo({ name: 'claude-opus-5' }) };

  test('begins byte for byte like the live request, whatever that ends with, and is valid', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(30), (seed, cut) => {
        const said = generateSession({ seed, turns: 4, imageRate: 0.1 });
        const { messages: items } = repairSoFar(said.slice(0, Math.max(1, said.length - cut)), dialect);
        if (items.length === 0) return;
        const live = {
          head,
          items,
          tools: sessionTools,
          model: { ...model, id: { provider: 'a', name: 'b' } },
          covers: 1,
        };
        const { items: asked, ...rest } = forkRequest({
          input: { items: [], kept: [], budget: 9_000, pins: [] },
          live,
          model,
          mask,
          words: 500,
        });
        const body = (messages: readonly Message[]) =>
          writeRequest({ dialect, conversation: { head: rest.head, messages, tools: rest.tools } });
        const [before, after] = [body(items), body(asked)];
        const key = {
          anthropic: 'messages',
          'openai-chat': 'messages',
          'openai-responses': 'input',
          gemini: 'contents',
        }[dialect];
        const [old, now] = [before[key] as unknown[], after[key] as unknown[]];
        expect(now.length).toBeGreaterThan(old.length);
        expect(JSON.stringify(now.slice(0, old.length))).toBe(JSON.stringify(old));
        expect(JSON.stringify({ ...after, [key]: 0 })).toBe(JSON.stringify({ ...before, [key]: 0 }));
        const extra = dialect === 'gemini' ? {} : { model: 'm', ...(dialect === 'anthropic' && { max_tokens: 100 }) };
        expect(judge({ dialect, body: { ...extra, ...after } }).legal).toBe(true);
      }),
      { ...runs(60), endOnFailure: true },
    );
  }, 600_000);
});

test.each(dialects)(
  'the provider reads the fork from its cache, except for the engine’s message: %s',
  async (dialect) => {
    const provider = await startLoopback({ count: (text: string) => text.length, cacheMinimum: 100 });
    try {
      const said = repairSoFar(generateSession({ seed: 5, turns: 6 }), dialect).messages.slice(0, -1);
      const items = [
        ...said,
        { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'And now?', cache: {} }] },
      ] as const;
      const model = { id: { provider: 'a', name: 'b' }, dialect, info: modelInfo({ name: 'gpt-4.1' }) };
      const live = { head, items: repairSoFar(items, dialect).messages, tools: sessionTools, model, covers: 1 };
      const input = { items: [], kept: [], budget: 9_000, pins: [] };
      const before = await send({ url: provider.url, dialect, prepared: live });
      const after = await send({
        url: provider.url,
        dialect,
        prepared: forkRequest({ input, live, model, mask, words: 500 }),
      });
      const [first, second] = [before, after].map((answer) => ('usage' in answer ? answer.usage : undefined));
      const sent = first ? promptTokens(first) : Number.NaN;
      expect(sent).toBeGreaterThan(10_000);
      expect(second?.cacheRead).toBeGreaterThan(sent - 200);
      expect(second ? promptTokens(second) - second.cacheRead : Number.NaN).toBeLessThan(6_000);
    } finally {
      await provider.close();
    }
  },
);

test('the fork keeps tool choice and thinking, sets its purpose, and drops stop sequences', () => {
  const info = modelInfo({ name: 'claude-opus-4-5' });
  const model = { id: { provider: 'anthropic', name: 'claude-opus-4-5' }, dialect: 'anthropic', info } as const;
  const options = {
    toolChoice: 'auto',
    thinking: { budgetTokens: 2_000 },
    temperature: 1,
    stop: ['END'],
    metadata: { user: 'u' },
  } as const;
  const live = { head, items: [], tools: sessionTools, model, covers: 0, options };
  const request = forkRequest({
    input: { items: [], kept: [], budget: 9_000, pins: [], focus: 'the lexer', state: { todos: ['one'] } },
    live,
    model,
    mask,
    words: 500,
  });
  expect(request.options).toEqual({
    toolChoice: 'auto',
    thinking: { budgetTokens: 2_000 },
    temperature: 1,
    metadata: { user: 'u' },
    purpose: 'conversation-compaction',
  });
  expect(request.tools).toBe(sessionTools);
  expect(request.head).toBe(head);
  const [part] = request.items.at(-1)?.parts ?? [];
  const text = part?.type === 'text' ? part.text : '';
  expect(text).toContain('Compact now');
  expect(text).toContain('Additional focus: the lexer');
  expect(text).toContain('Todos:\n  one');
  expect(text).toContain('Do not call any tool, whatever was said before.');
});
