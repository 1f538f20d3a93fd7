/** @jsxRuntime classic */
/** @jsx vscpp */
/** @jsxFrag vscppf */
import { describe, expect, it } from 'vitest';
import { PromptElement, PromptRenderer, renderPrompt, SystemMessage, TextChunk, UserMessage } from '../compat.ts';
import { characters, textsOf } from '../fixtures.fixture.ts';

class Greeting extends PromptElement<{ name: string }> {
  override render() {
    return (
      <>
        <SystemMessage>Be kind.</SystemMessage>
        <UserMessage>
          <TextChunk>Hello {this.props.name}</TextChunk>
        </UserMessage>
      </>
    );
  }
}

describe('an existing prompt, after its import was changed', () => {
  it('renders with the global factory', async () => {
    const renderer = new PromptRenderer({ modelMaxPromptTokens: 100 }, Greeting, { name: 'Ada' }, characters);
    const { messages, tokenCount } = await renderer.render();
    expect(textsOf(messages)).toEqual(['Be kind.', 'Hello Ada']);
    expect(tokenCount).toBe(23);
  });

  it('renders through the function as well', async () => {
    const { messages, usedContext } = await renderPrompt(
      Greeting,
      { name: 'Ada' },
      { modelMaxPromptTokens: 14 },
      characters,
    );
    expect(textsOf(messages)).toEqual(['Hello Ada']);
    expect(usedContext).toEqual([]);
  });

  it('loads the module `vscode` only for its message format', async () => {
    const tokenizer = { countTokens: async () => 1 };
    const rendering = renderPrompt(Greeting, { name: 'Ada' }, { modelMaxPromptTokens: 100 }, tokenizer);
    await expect(rendering).rejects.toThrow("Cannot find module 'vscode'");
  });

  it('lets a renderer create elements itself', async () => {
    class Injecting extends PromptRenderer<{ name: string }, 1> {
      readonly made: unknown[] = [];
      protected override createElement(element: Parameters<PromptRenderer<{ name: string }, 1>['createElement']>[0]) {
        this.made.push(element.path.length);
        return new element.ctor(element.props);
      }
    }
    const renderer = new Injecting({ modelMaxPromptTokens: 100 }, Greeting, { name: 'Ada' }, characters);
    await renderer.render();
    expect(renderer.made).toEqual([1, 2, 2, 3]);
  });
});
