import { describe, expect, it } from 'vitest';
import { LonghaulError } from '../errors.ts';
import { characters } from './fixtures.fixture.ts';
import { h, type PromptPiece, render, renderJSON, SystemMessage, TextChunk, UserMessage } from './index.ts';

const at = (element: PromptPiece) => render({ element, budget: 100, tokenizer: characters });

describe('an invalid prompt', () => {
  it.each([
    [
      'text outside of a message',
      h(TextChunk, {}, 'loose'),
      'Cannot have a text node outside a ChatMessage. Text: "loose"',
    ],
    [
      'an element in a text',
      h(UserMessage, {}, h(TextChunk, {}, h(SystemMessage, {}))),
      'TextChunk cannot have extrinsic children!',
    ],
    ['an unknown intrinsic', h(UserMessage, {}, h('blink' as 'br')), 'Unknown intrinsic element blink!'],
    ['children of an intrinsic', h(UserMessage, {}, h('br', {}, 'x')), '<br /> must not have children!'],
    [
      'a breakpoint in a text',
      h(UserMessage, {}, h(TextChunk, {}, h('cacheBreakpoint'))),
      'Cache breakpoints may only be direct children of chat messages',
    ],
    [
      'a rule for breaks that finds one break only',
      h(UserMessage, {}, h(TextChunk, { breakOn: /x/ }, 'y'.repeat(200))),
      'must have the global flag set',
    ],
  ])('is rejected: %s', async (_name, element, message) => {
    await expect(at(element)).rejects.toThrow(message);
  });

  it('is rejected: a break rule that matches only once, even if nothing has to be cut', async () => {
    const element = h(UserMessage, {}, h(TextChunk, { breakOn: /x/ }, 'y'));
    await expect(at(element)).rejects.toThrow('must have the global flag set');
  });

  it('names the element that failed, once', async () => {
    const Broken = () => {
      throw new Error('no such file');
    };
    const Outer = () => h(UserMessage, {}, h(Broken, {}));
    await expect(at(h(Outer, {}))).rejects.toThrow(
      /^no such file \(at tsx element Prompt > Outer > UserMessage > Broken\)$/,
    );
  });
});

describe('a budget', () => {
  const element = h(UserMessage, {}, 'x');

  it.each([Number.NaN, -1, Number.NEGATIVE_INFINITY, undefined as never, '100' as never])(
    'of %s is rejected with a sentence',
    async (budget) => {
      for (const entry of [render, renderJSON]) {
        const failure = await entry({ element, budget, tokenizer: characters }).catch((thrown: unknown) => thrown);
        expect(LonghaulError.is(failure) && failure.toJSON()).toEqual({
          code: 'bad-budget',
          message: `Invalid budget ${budget}: it must be a number of tokens, at least 0.`,
          hint: 'Give the token limit of the messages, or Infinity.',
        });
      }
    },
  );

  it('may be infinite', async () => {
    const { tokenCount } = await render({ element, budget: Number.POSITIVE_INFINITY, tokenizer: characters });
    expect(tokenCount).toBe(4);
  });
});
