import { describe, expect, it } from 'vitest';
import { TextChunk as CompatTextChunk, PromptElement, PromptRenderer, vscpp } from '../compat.ts';
import { characters, textsOf } from '../fixtures.fixture.ts';
import { Fragment, h, type PromptPieceChild, render, TextChunk, UserMessage } from '../index.ts';

const own = async (props: object, children: readonly PromptPieceChild[], budget = 100) => {
  const element = h(UserMessage, {}, h(TextChunk, props, ...children));
  return textsOf((await render({ element, budget, tokenizer: characters })).messages);
};

describe('the children of a text with a break rule are those of one without', () => {
  it.each<[string, PromptPieceChild[]]>([
    ['booleans and nothing', ['a ', true, false, undefined, null, 'b']],
    ['a fragment', [h(Fragment, null, 'a b', h('br'), h(Fragment, null, 'c'))]],
    ['lists in lists', [['a ', ['b', [' c']]] as never]],
    ['numbers', ['a ', 1, ' ', 0]],
  ])('%s', async (_name, children) => {
    expect(await own({ breakOn: ' ' }, children)).toEqual(await own({}, children));
    expect(await own({ breakOnWhitespace: true }, children)).toEqual(await own({}, children));
  });

  it('and is cut', async () => {
    expect(await own({ breakOn: ' ' }, [h(Fragment, null, 'one two', [' three'] as never)], 12)).toEqual(['one two']);
  });

  it('but not in the compat entry: prompt-tsx prints booleans', async () => {
    class Prompt extends PromptElement {
      override render() {
        return vscpp(UserMessage, null, vscpp(CompatTextChunk, { breakOn: ' ' }, 'a ', true, 'b'));
      }
    }
    const renderer = new PromptRenderer({ modelMaxPromptTokens: 100 }, Prompt as never, {}, characters);
    expect(textsOf((await renderer.render()).messages)).toEqual(['a trueb']);
  });
});
