import { describe, expect, it } from 'vitest';
import { LogicalWrapper } from '../elements/wrappers.ts';
import { budgetRecorder, characters, textsOf } from '../fixtures.fixture.ts';
import {
  Chunk,
  Fragment,
  h,
  Image,
  PrioritizedList,
  PromptMetadata,
  type PromptPiece,
  render,
  renderJSON,
  SystemMessage,
  TextChunk,
  TokenLimit,
  UserMessage,
} from '../index.ts';
import { CarriedMetadata } from '../results/carried-metadata.ts';

const at = (budget: number, element: PromptPiece, tokenizer = characters) => render({ element, budget, tokenizer });

/** A piece from another process. */
async function embedded(element: PromptPiece): Promise<PromptPiece> {
  const data = JSON.parse(JSON.stringify(await renderJSON({ element, budget: 1000, tokenizer: characters })));
  return h('elementJSON', { data });
}

const chunk = (priority: number, text: string) => h(TextChunk, { priority }, text);
const twice = await embedded(h(Fragment, null, chunk(0, 'zero'), 'x'));

describe('an embedded element is pruned like in place', () => {
  const among = (piece: PromptPiece) => h(UserMessage, {}, chunk(5, 'five'), piece, chunk(1, 'one'));
  const inMessage = (piece: PromptPiece) =>
    h(UserMessage, { priority: 3 }, chunk(5, 'five'), 'a', piece, chunk(4, 'b'));
  const amongMessages = (piece: PromptPiece) =>
    h(
      Fragment,
      null,
      h(UserMessage, {}, chunk(2, 'two'), chunk(7, 'seven')),
      h(UserMessage, {}, chunk(6, 'six'), piece),
    );

  it.each([
    ['one element', chunk(0, 'zero')],
    ['one element in fragments', h(Fragment, null, h(Fragment, null, chunk(0, 'zero')))],
    ['several', h(Fragment, null, chunk(0, 'zero'), chunk(3, 'three'), chunk(9, 'nine'))],
    ['texts and elements', h(Fragment, null, 'text', chunk(2, 'two'), h('br'), 'more')],
    ['what was embedded before', twice],
  ])('%s', async (_name, piece) => {
    const asJSON = await embedded(piece);
    for (const place of [among, inMessage, amongMessages])
      for (let budget = 5; budget < 45; budget += 1) {
        const settled = (element: PromptPiece) => at(budget, element).then(({ messages }) => textsOf(messages), String);
        expect([budget, await settled(place(asJSON))]).toEqual([budget, await settled(place(piece))]);
      }
  });

  it.each([
    ['a text', chunk(50, 'zero')],
    ['an element of texts and others', h(LogicalWrapper, { priority: 2 }, 'text', chunk(2, 'two'), chunk(8, 'eight'))],
    ['one that has no priority', h(LogicalWrapper, {}, 'text', chunk(8, 'eight'))],
  ])('in a prioritized list: %s', async (_name, piece) => {
    const asJSON = await embedded(piece);
    for (const descending of [true, false])
      for (let budget = 5; budget < 45; budget += 1) {
        const list = (inside: PromptPiece) =>
          h(UserMessage, {}, h(PrioritizedList, { priority: 9, descending }, 'first', inside, inside, 'last'));
        const settled = (element: PromptPiece) => at(budget, element).then(({ messages }) => textsOf(messages), String);
        expect([budget, await settled(list(asJSON))]).toEqual([budget, await settled(list(piece))]);
      }
  });

  it('its limits apply from the innermost outwards', async () => {
    const inner = h(TokenLimit, { max: 0 }, 'b');
    const limited = h(TokenLimit, { max: 2 }, h(Chunk, {}, 'a'), inner);
    expect(textsOf((await at(20, among(limited))).messages)).toEqual(['five\na\none']);
    expect(textsOf((await at(20, among(await embedded(limited)))).messages)).toEqual(['five\na\none']);
  });

  it('keeps what ranks above its siblings', async () => {
    const zero = await embedded(chunk(0, 'zero'));
    expect(textsOf((await at(12, among(zero))).messages)).toEqual(['five\none']);
    expect(textsOf((await at(9, among(zero))).messages)).toEqual(['five']);
  });

  it('and has the classes and props of its elements', async () => {
    const { node } = await renderJSON({ element: chunk(0, 'zero'), budget: 100, tokenizer: characters });
    expect(node).toMatchObject({ ctorName: 'TextChunk', props: { priority: 0 } });
  });
});

describe('prompt-wide data of an embedded element', () => {
  class Note extends PromptMetadata {
    readonly note: string;
    constructor(note: string) {
      super();
      this.note = note;
    }
  }
  const files = { uri: { scheme: 'file', path: '/a' }, version: 1, ranges: [] };
  const ignored = { scheme: 'file', path: '/b' };
  const Sources = () =>
    h(
      Fragment,
      null,
      h('usedContext', { value: [files] as never }),
      h('ignoredFiles', { value: [ignored] as never }),
      h('meta', { value: new Note('everywhere') }),
      h('meta', { value: new Note('here'), local: true }),
      'a text that is long',
    );
  const low = (piece: PromptPiece) =>
    h(Fragment, null, h(SystemMessage, {}, 'sys'), h(UserMessage, { priority: 1 }, piece));

  it('its sources become those of the prompt', async () => {
    const { usedContext, ignoredFiles, hasIgnoredFiles } = await at(100, low(await embedded(h(Sources, {}))));
    expect({ usedContext, ignoredFiles, hasIgnoredFiles }).toEqual({
      usedContext: [files],
      ignoredFiles: [ignored],
      hasIgnoredFiles: true,
    });
  });

  it.each([
    ['in an element', h(Sources, {})],
    ['in a fragment', Sources()],
  ])('metadata that is not local stays when it is pruned: %s', async (_name, piece) => {
    const notes = (budget: number, element: PromptPiece) =>
      at(budget, element).then(({ metadata }) => metadata.getAll(CarriedMetadata).map(({ value }) => value));
    const twice = await embedded(h(UserMessage, { priority: 1 }, await embedded(piece)));
    for (const element of [low(await embedded(piece)), h(Fragment, null, h(SystemMessage, {}, 'sys'), twice)]) {
      expect(await notes(100, element)).toEqual([{ note: 'everywhere' }, { note: 'here' }]);
      expect(await notes(10, element)).toEqual([{ note: 'everywhere' }]);
    }
  });
});

describe('siblings get the same share next to an embedded element as next to the original', () => {
  it.each([
    ['an image with its type', h(Image, { src: 'https://x/y', mimeType: 'image/png' })],
    ['an opaque part for another output', h(Fragment, null, h('opaque', { value: 1, tokenUsage: 40, scope: 2 }), 'a')],
    ['texts', h(Fragment, null, 'abc', h('br'), chunk(1, 'd'))],
  ])('%s', async (_name, piece) => {
    const looking = {
      ...characters,
      tokenLength: (part: Parameters<typeof characters.tokenLength>[0]) =>
        part.type === 0 && part.imageUrl.mediaType ? 7 : characters.tokenLength(part),
    };
    const share = async (inside: PromptPiece) => {
      const seen: number[] = [];
      await at(100, h(Fragment, null, h(UserMessage, {}, inside), h(budgetRecorder(seen), { flexGrow: 1 })), looking);
      return seen;
    };
    expect(await share(await embedded(piece))).toEqual(await share(piece));
  });
});
