import { describe, expect, test } from 'vitest';
import { createMask } from '../../analysis/secrets/mask.ts';
import type { Message, Part } from '../../message/index.ts';
import { modelInfo, type QuirkName } from '../../models/index.ts';
import { summaryMessage } from '../../session/internal.ts';
import { scriptedModel } from '../../testing/index.ts';
import { afterSummary } from './after.ts';
import { withQuirks } from './quirks.ts';
import { fullRequest } from './strategies/full.ts';
import { temperatureFor } from './temperature.ts';

const text = (words: string, origin: Part['origin'] = 'model'): Part => ({ type: 'text', origin, text: words });
const says = (...parts: Part[]): Message => ({ role: 'assistant', parts });
const asks = (...parts: Part[]): Message => ({ role: 'user', parts });
const called = (id: string, name = 'run'): Part => ({ type: 'tool_call', origin: 'model', id, name, arguments: '{}' });
const answered = (id: string, ...content: (Part & { type: 'text' | 'image' })[]): Message => ({
  role: 'tool',
  parts: [{ type: 'tool_result', origin: 'tool', callId: id, content }],
});
const image: Part & { type: 'image' } = { type: 'image', origin: 'human', source: { kind: 'url', url: 'https://x' } };
const only = (...quirks: QuirkName[]) => ({ quirks });

describe('D16: in a request without a cached prefix', () => {
  test('stripToolSearchPairs removes the provider’s tool search, and messages that become empty', () => {
    const opaque = (kind: string, name: string): Part => ({
      type: 'opaque',
      origin: 'model',
      dialect: 'anthropic',
      kind,
      value: { type: kind, name, id: 's' },
    });
    const messages = [
      says(text('Hm.'), opaque('server_tool_use', 'tool_search_tool_regex'), opaque('tool_search_tool_result', '')),
      says(opaque('server_tool_use', 'web_search')),
      says(called('t', 'tool_search')),
      answered('t'),
    ];
    expect(withQuirks({ messages, info: only('stripToolSearchPairs') })).toEqual([says(text('Hm.')), messages[1]]);
  });

  test('stripOrphanedCalls removes calls without results and results without calls', () => {
    const messages = [says(text('a'), called('1'), called('2')), answered('1'), answered('9'), says(called('3'))];
    expect(withQuirks({ messages, info: only('stripOrphanedCalls') })).toEqual([
      says(text('a'), called('1')),
      answered('1'),
    ]);
  });

  test('imagesToPlaceholders replaces images, in results as well', () => {
    const messages = [asks(image), answered('1', { type: 'text', origin: 'tool', text: 'x' }, image)];
    expect(JSON.stringify(withQuirks({ messages, info: only('imagesToPlaceholders') }))).not.toContain('https://x');
    expect(withQuirks({ messages, info: only() })).toEqual(messages);
  });

  test('stripBreakpoints removes cache breakpoints', () => {
    const messages = [asks({ ...text('a', 'human'), cache: { ttl: '1h' } })];
    expect(withQuirks({ messages, info: only('stripBreakpoints') })).toEqual([asks(text('a', 'human'))]);
  });
});

describe('D16: temperature 0', () => {
  test.each([
    ['gpt-4.1', undefined, { temperature: 0 }],
    ['gpt-5', undefined, {}],
    ['claude-sonnet-4-5', { budgetTokens: 2_000 }, {}],
    ['claude-sonnet-4-5', 'off', { temperature: 0 }],
    ['claude-sonnet-4-5', undefined, { temperature: 0 }],
    ['gemini-2.5-pro', undefined, { temperature: 0 }],
  ] as const)('for %s, thinking %j: %j', (name, thinking, expected) => {
    expect(temperatureFor({ info: modelInfo({ name }), thinking })).toEqual(expected);
  });
});

describe('the full request', () => {
  const mask = createMask();
  const input = (name: string, tokens = {}) => {
    const info = modelInfo({ name });
    const dialect = info.dialects[0] ?? 'openai-chat';
    const model = { id: { provider: info.provider ?? 'x', name }, dialect, info };
    const head = [{ role: 'system', parts: [text('You are an agent.', 'engine')] }] as const;
    const thought: Part = {
      type: 'thinking',
      origin: 'model',
      text: 'hm',
      signature: 's',
      encrypted: 'e',
      wire: { dialect, fields: { id: 'rs_1' } },
    };
    const items = [asks(text('Go.', 'human'), image), says(thought, text('Yes.')), asks(text('More.', 'human'))];
    const tools = [{ name: 'run', inputSchema: {} }];
    const live = { head, items, tools, model, covers: 2, ...tokens };
    return { model, live, input: { items: [], kept: [], budget: 4_000, pins: [], live } };
  };

  test('is sent unchanged if the provider has it in its cache, otherwise with the quirks applied', () => {
    const cached = input('gpt-4.1');
    const asIs = fullRequest({ ...cached, mask, words: 300 });
    expect(asIs.head).toBe(cached.live.head);
    expect(asIs.items.slice(0, 2)).toEqual(cached.live.items.slice(0, 2));
    expect(asIs.items).toHaveLength(3);
    const explicit = fullRequest({ ...input('claude-opus-4-1'), mask, words: 300 });
    expect(JSON.stringify(explicit.items)).not.toContain('https://x');
    expect(JSON.stringify(explicit.items)).not.toContain('thinking');
    expect(JSON.stringify(asIs.items)).toContain('thinking');
    expect(explicit.options).toMatchObject({ toolChoice: 'none', purpose: 'conversation-compaction' });
    expect(JSON.stringify(explicit.items)).toContain('Do not call any tool, whatever was said before.');
    expect(JSON.stringify(asIs.items)).not.toContain('Do not call any tool, whatever was said before.');
  });
});

describe('after a summary', () => {
  const made = summaryMessage({ of: 'compaction', summary: 'S' });
  const thought: Part = {
    type: 'thinking',
    origin: 'model',
    text: 'so',
    signature: 'sig',
    wire: { dialect: 'anthropic' },
  };
  const claude = { dialect: 'anthropic', info: modelInfo({ name: 'claude-sonnet-4-5' }) } as const;

  test('GPT-4.1 gets a reminder to continue, others do not', () => {
    const info = modelInfo({ name: 'gpt-4.1' });
    const reminded = afterSummary({ made, kept: [], replaced: [], model: { dialect: 'openai-chat', info } });
    expect(reminded.made.parts.at(-1)).toMatchObject({
      origin: 'engine',
      text: expect.stringContaining('Continue it'),
    });
    expect(afterSummary({ made, kept: [], replaced: [], model: claude }).made).toBe(made);
  });

  test('the last thinking of an open turn is reattached first (Anthropic)', () => {
    const replaced = [asks(text('go', 'human')), says(thought, called('1')), answered('1')];
    const kept = [says(called('2')), answered('2')];
    const after = afterSummary({ made, kept, replaced, model: claude });
    expect(after.kept).toEqual([says(thought, called('2')), answered('2')]);
    const gemini = { dialect: 'gemini', info: modelInfo({ name: 'gemini-2.5-pro' }) } as const;
    expect(afterSummary({ made, kept, replaced, model: gemini }).kept).toBe(kept);
  });

  test('it is not reattached after a human message, if there is thinking already, or if it is unsigned', () => {
    const replaced = [asks(text('go', 'human')), says(thought, called('1')), answered('1')];
    const spoken = [asks(text('and?', 'human')), says(called('2'))];
    const own = [says({ ...thought, text: 'other' }, called('2'))];
    const finished = [...replaced, asks(text('next', 'human'))];
    const unsigned = [says({ type: 'thinking', origin: 'model', text: 'so' })];
    expect(afterSummary({ made, kept: spoken, replaced, model: claude }).kept).toBe(spoken);
    expect(afterSummary({ made, kept: own, replaced, model: claude }).kept).toBe(own);
    for (const before of [finished, unsigned, []]) {
      const kept = [says(called('2'))];
      expect(afterSummary({ made, kept, replaced: before, model: claude }).kept).toBe(kept);
    }
  });

  test('no model name is hardcoded: a quirk added by the user has the same effect', () => {
    const { dialect } = scriptedModel({ script: [] });
    const info = modelInfo({ name: 'mine', extra: [{ match: ['mine'], quirks: ['keepGoingReminder'] }] });
    expect(afterSummary({ made, kept: [], replaced: [], model: { dialect, info } }).made).not.toBe(made);
  });
});
