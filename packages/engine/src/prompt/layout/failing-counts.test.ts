import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PromptElement as CompatElement, PromptRenderer, vscpp } from '../compat.ts';
import { Fragment, h, type ITokenizer, render, TextChunk, UserMessage } from '../index.ts';

/** A tokenizer that always rejects. */
const failing: ITokenizer<1> = {
  mode: 1,
  tokenLength: async (part) => {
    throw new Error(`tok ${part.type === 1 ? part.text : part.type}`);
  },
  countMessageTokens: async ({ content }) => content.length + 3,
};

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => process.off('unhandledRejection', note));

async function failureOf(failure: Promise<unknown>): Promise<string> {
  const reason = await failure.then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  return reason;
}

const unknown = h('nope' as 'br');

describe('a failing tokenizer next to an invalid child leaves no unhandled rejection', () => {
  it.each([
    ['in a message', h(UserMessage, {}, 'a', unknown, 'b')],
    ['in a text', h(UserMessage, {}, h(TextChunk, {}, 'a', unknown))],
    ['an element in a text', h(UserMessage, {}, h(TextChunk, {}, 'a', h(UserMessage, {})))],
  ])('%s', async (_name, element) => {
    expect(await failureOf(render({ element, budget: 100, tokenizer: failing }))).toBe('tok a');
    expect(unhandled).toEqual([]);
  });

  it('in the compat entry, with the error of prompt-tsx', async () => {
    class Prompt extends CompatElement {
      override render() {
        return vscpp(UserMessage, null, 'a', vscpp('nope', null), 'b');
      }
    }
    const renderer = new PromptRenderer({ modelMaxPromptTokens: 100 }, Prompt as never, {}, failing);
    expect(await failureOf(renderer.render())).toBe('tok a');
    expect(unhandled).toEqual([]);
  });

  it('when the message itself cannot be counted', async () => {
    const tokenizer: ITokenizer<1> = {
      mode: 1,
      tokenLength: () => 1,
      countMessageTokens: async () => {
        throw new Error('no messages');
      },
    };
    const element = h(UserMessage, {}, 'a', unknown);
    expect(await failureOf(render({ element, budget: 100, tokenizer }))).toBe('no messages');
    expect(unhandled).toEqual([]);
  });

  it('when one count fails later and another immediately', async () => {
    const tokenizer: ITokenizer<1> = {
      mode: 1,
      tokenLength: () => 1,
      countMessageTokens: ({ content: [first] }) => {
        if (first?.type !== 1) return 3;
        if (first.text === 'late') return Promise.reject(new Error('later'));
        throw new Error('at once');
      },
    };
    const element = h(Fragment, null, h(UserMessage, {}, 'late'), h(UserMessage, {}, 'soon'));
    expect(await failureOf(render({ element, budget: 100, tokenizer }))).toMatch(/^(at once|later)$/);
    expect(unhandled).toEqual([]);
  });
});
