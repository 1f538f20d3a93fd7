import { describe, expect, it } from 'vitest';
import { characters, textsOf } from '../fixtures.fixture.ts';
import { Fragment, h, type PromptPiece, render, UserMessage } from '../index.ts';

class Shouted extends UserMessage {
  override render(): PromptPiece {
    return h(Fragment, null, `${this.props.children?.join('')}!`);
  }
}

class Signed extends UserMessage {
  #name = '';

  override prepare(): void {
    this.#name = ' (Ada)';
  }

  override render(): PromptPiece {
    const { ctor, props, children } = super.render();
    return { ctor, props, children: [...children, this.#name] };
  }
}

describe('a class that extends a group', () => {
  it.each([
    ['renders by itself, where it says how', h(Shouted, {}, 'Stop'), 'Stop!'],
    ['is prepared, and may render as the group does and more', h(Signed, {}, 'Hello'), 'Hello (Ada)'],
    ['renders what stands inside it, where it does not', h(class extends UserMessage {}, {}, 'As it is'), 'As it is'],
  ])('%s', async (_, element, expected) => {
    const { messages } = await render({ element, budget: 500, tokenizer: characters });
    expect(textsOf(messages)).toEqual([expected]);
  });
});
