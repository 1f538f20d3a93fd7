import { describe, expect, it } from 'vitest';
import { PromptElement, PromptRenderer, TextChunk, UserMessage, vscpp } from '../compat.ts';
import { characters, textsOf } from '../fixtures.fixture.ts';

describe('texts that are cut concurrently', () => {
  it('keep their words: in prompt-tsx they share the position of an expression, which duplicates some', async () => {
    const texts = ['one two three four', 'five six seven', 'eight nine ten eleven twelve'];
    class Cut extends PromptElement {
      override render() {
        const rule = /\s+/g;
        return vscpp(
          UserMessage,
          null,
          ...texts.map((text) => vscpp(TextChunk, { breakOnWhitespace: true }, text)),
          ...texts.map((text) => vscpp(TextChunk, { breakOn: rule }, text)),
        );
      }
    }
    const { messages } = await new PromptRenderer({ modelMaxPromptTokens: 500 }, Cut, {}, characters).renderRaw();
    expect(textsOf(messages)).toEqual([[...texts, ...texts].join('\n')]);
  });
});
