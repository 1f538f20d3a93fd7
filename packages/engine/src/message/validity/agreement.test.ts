import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import { judge } from '../../testing/judge/index.ts';
import { createRandom, type Random } from '../../testing/random.ts';
import { runs } from '../../testing/runs.ts';
import { generateSession } from '../../testing/session/generate.ts';
import { codecs } from '../codecs/index.ts';
import { readConversation } from '../document.ts';
import { type Dialect, dialects } from '../message.ts';
import { check } from './check.ts';
import { repair } from './repair.ts';

const envelope: { readonly [D in Dialect]: JsonObject } = {
  anthropic: { model: 'claude-opus-5', max_tokens: 1024, thinking: { type: 'adaptive' } },
  'openai-chat': { model: 'gpt-5' },
  'openai-responses': { model: 'gpt-5' },
  gemini: {},
};

/** A request as a client of the dialect would send it, with a few things done to it that clients and logs do. */
function request(dialect: Dialect): fc.Arbitrary<JsonObject> {
  return fc.tuple(fc.nat(), fc.array(fc.nat(), { maxLength: 3 })).map(([seed, harms]) => {
    const session = generateSession({ seed, turns: 3, rounds: 2, lines: 2, thinking: dialect });
    const items = structuredClone(codecs[dialect].encode(session)) as Json[];
    for (const harm of harms) harmed(items, createRandom(harm), dialect);
    return { ...envelope[dialect], [codecs[dialect].itemsKey]: items };
  });
}

type Mutable = Record<string, Json | undefined>;

/** Does one thing to the list, in place. */
function harmed(items: Json[], random: Random, dialect: Dialect): void {
  const at = random.int(0, items.length - 1);
  const item = items[at];
  const listKey = isObject(item) ? ['content', 'parts', 'output'].find((key) => isArray(item[key])) : undefined;
  const list = listKey && isObject(item) ? (item[listKey] as Json[]) : undefined;
  const block = list?.[random.int(0, list.length - 1)];
  const target = (random.chance(0.5) && isObject(block) ? block : item) as Mutable | undefined;
  if (!target) return;
  const set = (members: JsonObject, on: (value: Mutable) => boolean) => () => {
    const found = [target, item as Mutable].find((value) => value !== undefined && on(value));
    if (found) Object.assign(found, members);
  };
  const common: (() => void)[] = [
    () => items.splice(at, 1),
    () => items.splice(at, 0, structuredClone(item ?? null)),
    () => items.splice(random.int(0, items.length), 0, ...items.splice(at, 1)),
    () => items.splice(at),
    () => items.splice(0, at),
    () => list?.splice(random.int(0, list.length - 1), 1),
    () => list?.push(structuredClone(block ?? null)),
    () => list?.reverse(),
    set({ content: '' }, ({ content }) => content !== undefined),
    set({ content: [] }, ({ content }) => isArray(content)),
    set({ text: random.pick(['', ' ', '\ud800']) }, ({ text }) => text !== undefined),
  ];
  const mark: JsonObject = { type: 'ephemeral', ...(random.chance(0.3) && { ttl: '1h' }) };
  const own: { readonly [D in Dialect]: (() => void)[] } = {
    anthropic: [
      set({ is_error: true }, ({ type }) => type === 'tool_result'),
      set({ is_error: true, content: '' }, ({ type }) => type === 'tool_result'),
      set({ content: null }, ({ type }) => type === 'tool_result'),
      set({ input: [1] }, ({ type }) => type === 'tool_use'),
      set({ cache_control: mark }, ({ type }) => type !== undefined),
      set({ signature: '' }, ({ type }) => type === 'thinking'),
      set({ id: 'msg_1', model: 'x', usage: {} }, ({ role }) => role !== undefined),
      set({ role: 'system', content: 'Plan mode is on.' }, ({ role }) => role === 'user'),
      () =>
        isObject(item) &&
        item.role === 'assistant' &&
        list?.push({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
    ],
    'openai-chat': [
      set({ tool_calls: [] }, ({ role }) => role === 'assistant'),
      set({ content: null, refusal: 'No.' }, ({ role }) => role === 'assistant'),
    ],
    'openai-responses': [
      set({ id: random.pick(['msg_1', 'nope']) }, ({ role }) => role === 'assistant'),
      set({ id: random.pick(['fc_2', 'nope']) }, ({ type }) => type === 'function_call'),
      set({ type: 'input_text' }, ({ type }) => type === 'output_text'),
      set({ encrypted_content: undefined }, ({ type }) => type === 'reasoning'),
    ],
    gemini: [
      set({ role: 'function' }, ({ role }) => role === 'user'),
      set({ text: '', thoughtSignature: 's' }, ({ text }) => text !== undefined),
    ],
  };
  const deeds = [...common, ...own[dialect]];
  deeds[random.int(0, deeds.length - 1)]?.();
}

const isDialects = (body: JsonObject, dialect: Dialect) => judge({ dialect, body }).legal;

describe.each(dialects)('check and the judge look at requests of %s', (dialect) => {
  it('no false alarm: what the judge takes, the check takes, and repair leaves every byte alone', () => {
    fc.assert(
      fc.property(request(dialect), (body) => {
        fc.pre(isDialects(body, dialect));
        const { conversation, rules, write } = readConversation({ value: body, dialect });
        expect(check(conversation.messages, dialect, rules)).toEqual([]);
        const { messages, repairs } = repair(conversation.messages, dialect, rules);
        expect(repairs).toEqual([]);
        expect(write({ conversation: { ...conversation, messages } })).toEqual(body);
      }),
      runs(1_500),
    );
  });

  it('nothing missed: what the judge refuses is repaired to its satisfaction, or reported as beyond repair', () => {
    fc.assert(
      fc.property(request(dialect), (body) => {
        fc.pre(!isDialects(body, dialect));
        const { conversation, rules, write } = readConversation({ value: body, dialect });
        const { messages } = repair(conversation.messages, dialect, rules);
        const left = check(messages, dialect, rules);
        const verdict = judge({ dialect, body: write({ conversation: { ...conversation, messages } }) });
        expect(left.length > 0 || verdict.legal, JSON.stringify(verdict)).toBe(true);
      }),
      runs(1_500),
    );
  });
});
