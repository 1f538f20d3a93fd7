import { describe, expect, it } from 'vitest';
import { PromptRenderer } from '../compat.ts';
import { BaseChatMessage } from '../elements/messages.ts';
import {
  AssistantMessage,
  Fragment,
  h,
  type ITokenizer,
  PrioritizedList,
  PromptElement,
  type PromptPiece,
  type PromptSizing,
  render,
  TextChunk,
  ToolMessage,
  UserMessage,
  useKeepWith,
} from '../index.ts';
import type * as Raw from '../output/raw.ts';
import { CountMemory } from './memory.ts';

/** A tokenizer that records the counted texts. */
function watched(additive: boolean): { readonly tokenizer: ITokenizer<1>; readonly asked: string[] } {
  const asked: string[] = [];
  const count = (text: string) => {
    if (text) asked.push(text);
    return text.length;
  };
  const size = (part: Raw.ChatCompletionContentPart) => (part.type === 1 ? count(part.text) : 0);
  const countMessageTokens = ({ content }: Raw.ChatMessage) => content.reduce((sum, part) => sum + size(part), 3);
  return { tokenizer: { mode: 1, additive, tokenLength: size, countMessageTokens }, asked };
}

const texts = Array.from({ length: 60 }, (_, index) => `message number ${index}`);
const flat = (all: readonly string[]) =>
  h(PrioritizedList, { priority: 9, descending: false }, ...all.map((text) => h(UserMessage, {}, text)));

describe('how often a text is counted', () => {
  it('once, if the tokenizer is additive', async () => {
    const { tokenizer, asked } = watched(true);
    const { tokenCount } = await render({ element: flat(texts), budget: 500, tokenizer });
    expect(tokenCount).toBeLessThanOrEqual(500);
    expect(asked.toSorted()).toEqual(texts.toSorted());
  });

  it('once also by an asynchronous tokenizer', async () => {
    const { tokenizer, asked } = watched(true);
    const later: ITokenizer<1> = {
      ...tokenizer,
      tokenLength: async (part) => await tokenizer.tokenLength(part),
      countMessageTokens: async (message) => await tokenizer.countMessageTokens(message),
    };
    const at = (element: PromptPiece) => render({ element, budget: 500, tokenizer: later });
    await at(flat(texts));
    expect(asked.toSorted()).toEqual(texts.toSorted());
    asked.length = 0;
    await at(h(UserMessage, {}, h(TextChunk, {}, 'in a chunk')));
    expect(asked).toEqual(['in a chunk']);
  });

  it('once alone and once in its message, if it is not', async () => {
    const { tokenizer, asked } = watched(false);
    await render({ element: flat(texts), budget: 500, tokenizer });
    expect(asked).toHaveLength(texts.length * 2);
  });

  it('a message that loses parts once for each form it takes', async () => {
    const { tokenizer, asked } = watched(true);
    const chunks = texts.slice(0, 8).map((text, index) => h(TextChunk, { priority: index }, text));
    await render({ element: h(UserMessage, {}, ...chunks), budget: 60, tokenizer });
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('not again in the next turn, with a memory', async () => {
    const { tokenizer, asked } = watched(true);
    const memory = new CountMemory();
    await render({ element: flat(texts), budget: 500, tokenizer, memory });
    asked.length = 0;
    await render({
      element: h(Fragment, null, flat(texts), h(UserMessage, {}, 'new')),
      budget: 500,
      tokenizer,
      memory,
    });
    expect(asked).toEqual(['new']);
  });

  it('memory evicts counts that were not used for a long time', () => {
    const memory = new CountMemory({ chars: 400 });
    for (let index = 0; index < 100; index += 1) memory.texts.set(`${index}`.padStart(10), index);
    expect(memory.texts.get('99'.padStart(10))).toBe(99);
    expect(memory.texts.get('0'.padStart(10))).toBeUndefined();
  });
});

describe('how often a message without content is counted', () => {
  const same = (count: number) =>
    h(Fragment, null, ...Array.from({ length: count }, () => h(UserMessage, {}, h(TextChunk, {}, 'same'), 'text')));
  /** The counted messages, as JSON. */
  function listening(answer: (tokens: number) => number | Promise<number>, additive: boolean) {
    const asked: string[] = [];
    const { tokenizer } = watched(additive);
    const countMessageTokens = (message: Raw.ChatMessage) => {
      asked.push(JSON.stringify(message));
      return answer(tokenizer.countMessageTokens(message) as number);
    };
    return { asked, tokenizer: { ...tokenizer, countMessageTokens } };
  }
  const bare = '{"role":1,"content":[]}';
  const emptied = '{"role":1,"content":[{"type":1,"text":""}]}';

  it.each([
    ['at once', (tokens: number) => tokens],
    ['later', async (tokens: number) => tokens],
  ])('once by a tokenizer that returns %s', async (_name, answer) => {
    const { asked, tokenizer } = listening(answer, true);
    await render({ element: same(100), budget: 10_000, tokenizer });
    expect(asked).toEqual([bare]);
  });

  it('not at all in the next turn, with a memory', async () => {
    const { asked, tokenizer } = listening(async (tokens) => tokens, true);
    const memory = new CountMemory();
    await render({ element: same(20), budget: 10_000, tokenizer, memory });
    asked.length = 0;
    await render({ element: same(20), budget: 10_000, tokenizer, memory });
    expect(asked).toEqual([]);
  });

  it('once with an empty text, when messages are pruned', async () => {
    const { asked, tokenizer } = listening((tokens) => tokens, false);
    await render({ element: same(30), budget: 200, tokenizer });
    expect(asked.filter((message) => message === emptied)).toHaveLength(1);
  });

  it('again after a failure', async () => {
    let isFailing = true;
    const { asked, tokenizer } = listening(async (tokens) => {
      if (isFailing) throw new Error('not now');
      return tokens;
    }, true);
    const memory = new CountMemory();
    await expect(render({ element: same(3), budget: 100, tokenizer, memory })).rejects.toThrow('not now');
    isFailing = false;
    expect((await render({ element: same(3), budget: 100, tokenizer, memory })).tokenCount).toBe(33);
    expect(asked).toEqual([bare, bare]);
  });
});

describe('the count of a message', () => {
  const { tokenizer } = watched(false);
  const perProp: ITokenizer<1> = {
    ...tokenizer,
    countMessageTokens: (message) => {
      const calls = 'toolCalls' in message ? (message.toolCalls?.length ?? 0) : 0;
      return (tokenizer.countMessageTokens(message) as number) + (message.name ? 1 : 0) + calls * 5;
    },
  };
  const toolCalls = [{ id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{}' } }];
  const kept = [{ ...toolCalls[0], keepWith: useKeepWith() }] as never;

  it.each([
    ['a name of a tool', h(ToolMessage, { toolCallId: '1', name: 'bob' }, 'abc'), 6],
    ['calls of a user', h(BaseChatMessage as never, { role: 1, toolCalls } as never, 'abc'), 6],
    ['no calls', h(AssistantMessage, { toolCalls: [] }, 'abc'), 6],
    ['calls', h(AssistantMessage, { toolCalls }, 'abc'), 11],
    ['calls that are kept with something', h(AssistantMessage, { toolCalls: kept }, 'abc'), 11],
    ['a name', h(UserMessage, { name: 'bob' }, 'abc'), 7],
  ])('is that of the sent message, additive or not: %s', async (_name, element, tokens) => {
    for (const additive of [false, true])
      for (const renderIt of [ownCount, compatCount])
        expect(await renderIt(element, { ...perProp, additive })).toBe(tokens);
  });

  const ownCount = async (element: PromptPiece, counter: ITokenizer<1>) =>
    (await render({ element, budget: 100, tokenizer: counter })).tokenCount;

  async function compatCount(element: PromptPiece, counter: ITokenizer<1>) {
    class Prompt extends PromptElement {
      override render() {
        const { ctor, props, children } = element;
        return { ctor, props: { ...(props as object) }, children } as PromptPiece;
      }
    }
    return (await new PromptRenderer({ modelMaxPromptTokens: 100 }, Prompt as never, {}, counter).render()).tokenCount;
  }

  it('also determines its share of the budget', async () => {
    const shares: number[] = [];
    const Witness = (_props: object, sizing: PromptSizing) => {
      shares.push(sizing.tokenBudget);
      return undefined;
    };
    const message = h(ToolMessage, { toolCallId: '1', name: 'bob' }, 'abc');
    await render({ element: h(Fragment, null, message, h(Witness, { flexGrow: 1 })), budget: 100, tokenizer: perProp });
    expect(shares).toEqual([94]);
  });
});
