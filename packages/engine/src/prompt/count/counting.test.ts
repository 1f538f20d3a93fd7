import { describe, expect, it } from 'vitest';
import {
  CountMemory,
  Fragment,
  h,
  type ITokenizer,
  PrioritizedList,
  type PromptPiece,
  render,
  TextChunk,
  UserMessage,
} from '../index.ts';
import type * as Raw from '../output/raw.ts';

/** A tokenizer that tells which texts it was asked for. */
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
  it('once, if the tokenizer says that a message is its frame and its text', async () => {
    const { tokenizer, asked } = watched(true);
    const { tokenCount } = await render({ element: flat(texts), budget: 500, tokenizer });
    expect(tokenCount).toBeLessThanOrEqual(500);
    expect(asked.toSorted()).toEqual(texts.toSorted());
  });

  it('once also by a tokenizer that answers later', async () => {
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

  it('once by itself and once in its message, if it does not', async () => {
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

  it('not again in the next turn, if counts are remembered', async () => {
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

  it('memory forgets what was not asked for in a long time', () => {
    const memory = new CountMemory({ chars: 400 });
    for (let index = 0; index < 100; index += 1) memory.texts.set(`${index}`.padStart(10), index);
    expect(memory.texts.get('99'.padStart(10))).toBe(99);
    expect(memory.texts.get('0'.padStart(10))).toBeUndefined();
  });
});
