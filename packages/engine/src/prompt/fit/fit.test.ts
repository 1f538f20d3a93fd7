import { describe, expect, it } from 'vitest';
import { LegacyPrioritization, LogicalWrapper } from '../elements/wrappers.ts';
import { characters, textsOf } from '../fixtures.fixture.ts';
import {
  AssistantMessage,
  BudgetExceededError,
  Chunk,
  Expandable,
  Fragment,
  h,
  IfEmpty,
  type ITokenizer,
  PromptMetadata,
  type PromptPiece,
  type PromptSizing,
  render,
  SystemMessage,
  TextChunk,
  TokenLimit,
  UserMessage,
  useKeepWith,
} from '../index.ts';
import { PromptReference } from '../results/reference.ts';

const at = (budget: number, element: PromptPiece, more: object = {}) =>
  render({ element, budget, tokenizer: characters, ...more });
const failure = (budget: number, element: PromptPiece, more: object = {}) =>
  at(budget, element, more).then(
    () => expect.unreachable('it was rendered'),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(BudgetExceededError);
      return thrown as BudgetExceededError;
    },
  );
const user = (priority: number, ...content: (string | PromptPiece)[]) => h(UserMessage, { priority }, ...content);
const breakpoint = () => h('cacheBreakpoint', {});
const call = { id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{}' } };

describe('the alternative of an IfEmpty', () => {
  it('is not inserted into a node that is pruned itself, and what fits stays', async () => {
    const Pair = useKeepWith();
    const asking = h(AssistantMessage, { toolCalls: [{ ...call, keepWith: Pair }] }, 'x'.repeat(30));
    const round = h(Pair, { priority: 1 }, h(IfEmpty, { alt: h(UserMessage, {}, 'left out') }, asking));
    const { messages, tokenCount } = await at(12, h(Fragment, null, round, user(9, 'question')));
    expect(textsOf(messages)).toEqual(['question']);
    expect(tokenCount).toBe(11);
  });

  it('does not count in a limit outside of which it is', async () => {
    const Kept = useKeepWith();
    const alternative = h(UserMessage, {}, 'ALT'.repeat(20));
    const element = h(
      Fragment,
      null,
      h(IfEmpty, { alt: alternative }, h(Kept, {}, h(UserMessage, {}, 'x'))),
      h(TokenLimit, { max: 20 }, h(Kept, { priority: 1 }, h(UserMessage, {}, 'y'.repeat(10))), user(2, 'zzzzz')),
    );
    const { messages, tokenCount } = await at(1000, element);
    expect(textsOf(messages)).toEqual(['ALT'.repeat(20), 'zzzzz']);
    expect(tokenCount).toBe(71);
  });

  it('is subject to a limit inside it', async () => {
    const limited = h(
      TokenLimit,
      { max: 5 },
      h(TextChunk, { priority: 1 }, 'aaaaaaaa'),
      h(TextChunk, { priority: 2 }, 'bbbb'),
    );
    const usual = h(TextChunk, {}, 'x'.repeat(40));
    const chosenLate = h(UserMessage, {}, 'log:', h(IfEmpty, { alt: limited, priority: 1 }, usual));
    const chosenAtOnce = h(UserMessage, {}, 'log:', h(IfEmpty, { alt: limited, priority: 1 }));
    expect(textsOf((await at(30, chosenAtOnce)).messages)).toEqual(['log:\nbbbb']);
    const { messages, tokenCount } = await at(30, chosenLate);
    expect(textsOf(messages)).toEqual(['log:\nbbbb']);
    expect(tokenCount).toBe(12);
  });

  it('is subject to a limit around it, outside or inside the message', async () => {
    const Kept = useKeepWith();
    const alternatives = [h(TextChunk, { priority: 1 }, 'a'.repeat(30)), h(TextChunk, { priority: 2 }, 'bbbb')];
    const usual = h(Kept, {}, h(TextChunk, {}, 'x'));
    const choice = h(IfEmpty, { alt: h(Fragment, null, ...alternatives), priority: 1 }, usual);
    const gone = h(Kept, { priority: 1 }, h(UserMessage, {}, 'y'.repeat(90)));
    const outside = h(TokenLimit, { max: 20 }, h(UserMessage, {}, 'log:', choice));
    const inside = h(UserMessage, {}, h(TokenLimit, { max: 20 }, 'log:', choice));
    for (const limited of [outside, inside]) {
      const { messages, tokenCount } = await at(80, h(Fragment, null, gone, limited));
      expect(textsOf(messages)).toEqual(['log:\nbbbb']);
      expect(tokenCount).toBe(12);
    }
  });

  it('counts in the limit of the message it is inserted into', async () => {
    const usual = h(TextChunk, {}, 'x'.repeat(40));
    const choice = h(IfEmpty, { alt: 'a'.repeat(30), priority: 1 }, usual);
    const element = h(UserMessage, {}, h(TokenLimit, { max: 20 }, choice, h(TextChunk, { priority: 2 }, 'kept')));
    expect(textsOf((await at(100, element)).messages)).toEqual(['kept']);
  });

  it('also replaces blanks, and nothing else is pruned for these', async () => {
    const usual = [h(TextChunk, { priority: 1 }, 'x'.repeat(10)), h(TextChunk, { priority: 2 }, ' '.repeat(300))];
    const choice = h(IfEmpty, { alt: 'none', priority: 1 }, ...usual);
    const element = h(
      UserMessage,
      {},
      h(TextChunk, { priority: 2 }, 'log'),
      choice,
      h(TextChunk, { priority: 3 }, 'end'),
    );
    expect(textsOf((await at(20, element)).messages)).toEqual(['log\nnone\nend']);
  });

  it('protects content before a breakpoint in it', async () => {
    const usual = h(UserMessage, {}, 'x'.repeat(40));
    const alternative = h(UserMessage, {}, 'alt', breakpoint());
    const element = h(
      Fragment,
      null,
      user(5, 'first'),
      h(IfEmpty, { alt: alternative, priority: 1 }, usual),
      user(9, 'last'),
    );
    expect(textsOf((await at(20, element)).messages)).toEqual(['first', 'alt<3>']);
  });
});

describe('a grown element', () => {
  class Note extends PromptMetadata {}

  class Source extends Expandable {
    override render(_state: unknown, { tokenBudget }: PromptSizing): PromptPiece {
      if (tokenBudget <= 50) return h(Fragment, null, 'short');
      const reference = new PromptReference({ variableName: 'file' });
      return h(
        Fragment,
        null,
        'much longer',
        h('references', { value: [reference] }),
        h('meta', { value: new Note(), local: true }),
      );
    }
  }

  it('adds its metadata and references', async () => {
    const element = h(
      UserMessage,
      {},
      h(Source, { value: () => '', flexBasis: 1 }),
      h(LogicalWrapper, { flexBasis: 1 }, 'q'),
    );
    const { messages, metadata, references } = await at(100, element);
    expect(textsOf(messages)[0]).toContain('much longer');
    expect(metadata.getAll(Note)).toHaveLength(1);
    expect(references).toHaveLength(1);
  });
});

describe('a prompt that is pruned to nothing', () => {
  it('is an error also if its text was cut to nothing', async () => {
    const element = h(UserMessage, {}, h(TextChunk, { breakOnWhitespace: true }, 'alpha beta gamma'));
    expect((await failure(6, element)).excess).toBe(13);
    expect((await failure(100, h(TokenLimit, { max: 6 }, element))).excess).toBe(13);
  });

  it('is an error also if that text was in a fragment', async () => {
    const text = h(Fragment, null, 'alpha ', ['beta gamma']);
    const element = h(UserMessage, {}, h(TextChunk, { breakOnWhitespace: true }, text));
    expect((await failure(6, element)).excess).toBe(13);
  });

  it('is an error also if its content grew to nothing', async () => {
    let isFirst = true;
    const value = () => {
      const text = isFirst ? 'text' : '';
      isFirst = false;
      return text;
    };
    await failure(100, h(UserMessage, {}, h(Expandable, { value })));
  });

  it('says what is missing', async () => {
    const error = await failure(2, h(UserMessage, {}, 'hello'));
    expect(error.excess).toBe(6);
    expect(error.report?.steps).toEqual([{ action: 'pruned', at: 'Prompt', removed: 2, tokens: 0, isUnranked: true }]);
  });

  it('names the limit that left nothing', async () => {
    const error = await failure(100, h(TokenLimit, { max: 4 }, h(UserMessage, {}, 'hello')));
    expect(error).toMatchObject({ part: 'Prompt -> TokenLimit', excess: 4 });
  });

  it.each([
    ['no children', h(Fragment, null)],
    ['null', h(Fragment, null, null)],
    ['a message without content', h(UserMessage, {})],
    ['a blank text that is cut', h(UserMessage, {}, h(TextChunk, { breakOnWhitespace: true }, '      '))],
    ['a blank text in a limit', h(UserMessage, {}, h(TokenLimit, { max: 1 }, '    '))],
  ])('is empty, not an error, if there was nothing: %s', async (_name, element) => {
    for (const budget of [0, 2, 100]) expect(await at(budget, element)).toMatchObject({ messages: [], tokenCount: 0 });
  });
});

describe('empty messages', () => {
  const element = h(Fragment, null, user(1, 'abc'), user(2, '  '), h(UserMessage, { priority: 3 }));

  it.each([14, 10, 6])('count nothing, and nothing is pruned for them: budget %i', async (budget) => {
    const { messages, tokenCount } = await at(budget, element);
    expect(textsOf(messages)).toEqual(['abc']);
    expect(tokenCount).toBe(6);
  });
});

describe('LegacyPrioritization', () => {
  it('prunes a message as a whole if only calls are left', async () => {
    const counting: ITokenizer<1> = {
      ...characters,
      countMessageTokens: (message) =>
        (characters.countMessageTokens(message) as number) + ('toolCalls' in message ? 5 : 0),
    };
    const asking = h(AssistantMessage, { toolCalls: [call] }, 'abc');
    const element = h(Fragment, null, h(LegacyPrioritization, { priority: 1 }, asking), user(2, 'q'));
    const { messages } = await at(5, element, { tokenizer: counting });
    expect(textsOf(messages)).toEqual(['q']);
  });

  it('is pruned when it is empty', async () => {
    const nothing = h(LegacyPrioritization, { priority: 1 }, h(UserMessage, {}));
    const { messages } = await at(5, h(Fragment, null, nothing, user(2, 'aaaa'), user(3, 'q')));
    expect(textsOf(messages)).toEqual(['q']);
  });
});

describe('the error of a prompt that does not fit', () => {
  const element = h(
    Fragment,
    null,
    h(SystemMessage, {}, 'sys', breakpoint()),
    user(1, 'old old'),
    user(2, 'mid', breakpoint()),
    user(9, 'new new'),
  );

  it.each([
    { budget: 20, excess: 2 },
    { budget: 5, excess: 17 },
  ])('lists what was pruned and what is left: budget $budget', async ({ budget, excess }) => {
    const error = await failure(budget, element);
    expect(error.excess).toBe(excess);
    expect(error.report?.steps).toEqual([
      { action: 'pruned', at: 'Prompt', removed: 2, tokens: 22 },
      { action: 'blocked', at: 'Prompt', removed: 0, tokens: 22 },
    ]);
  });

  it('lists dropped breakpoints as well', async () => {
    const { messages, report } = await at(16, element, { breakpoints: 'drop-breakpoint' });
    expect(textsOf(messages)).toEqual(['sys<3>', 'mid']);
    expect(report.steps).toEqual([
      { action: 'pruned', at: 'Prompt', removed: 2, tokens: 22 },
      { action: 'dropped-breakpoint', at: 'Prompt -> 1', removed: 0, tokens: 22 },
      { action: 'pruned', at: 'Prompt', removed: 2, tokens: 12 },
    ]);
  });
});

describe('a Chunk with a breakpoint', () => {
  it.each([1, 9])('escalates when it is the lowest among %i others', async (others) => {
    const chunk = h(Chunk, { priority: 0 }, h(UserMessage, {}, 'early', breakpoint()));
    const rest = Array.from({ length: others }, (_, index) => user(index + 1, 'aaaa'));
    const error = await failure(10, h(Fragment, null, chunk, ...rest), { breakpoints: 'escalate' });
    expect(error).toMatchObject({ part: 'Prompt -> Chunk', excess: 8 + 7 * others - 10 });
  });
});

describe('content protected by a breakpoint', () => {
  it.each([
    { others: 3, budget: 60 },
    { others: 8, budget: 110 },
  ])('is pruned first once the breakpoint is gone, among $others others', async ({ others, budget }) => {
    const Kept = useKeepWith();
    const early = h(
      LogicalWrapper,
      { priority: 1 },
      h(UserMessage, {}, 'A'.repeat(20)),
      h(Kept, {}, h(UserMessage, {}, 'Z', breakpoint())),
    );
    const tied = h(Kept, { priority: 5 }, h(UserMessage, {}, 'X'.repeat(10)));
    const rest = Array.from({ length: others }, (_, index) => user(10 + index, `r${index}`.padEnd(10, '.')));
    const { messages } = await at(budget, h(Fragment, null, early, tied, ...rest));
    expect(textsOf(messages)).toEqual(rest.map((_, index) => `r${index}`.padEnd(10, '.')));
  });
});
