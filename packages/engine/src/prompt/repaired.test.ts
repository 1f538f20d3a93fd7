import { describe, expect, it } from 'vitest';
import { BudgetExceededError as EngineBudgetExceededError } from '../errors.ts';
import { budgetRecorder, characters, textsOf } from './fixtures.fixture.ts';
import {
  AssistantMessage,
  BudgetExceededError,
  Chunk,
  Expandable,
  Fragment,
  h,
  IfEmpty,
  Image,
  PrioritizedList,
  PromptMetadata,
  type PromptPiece,
  type PromptSizing,
  render,
  renderJSON,
  SystemMessage,
  TextChunk,
  TokenLimit,
  ToolMessage,
  UserMessage,
  useKeepWith,
} from './index.ts';
import { CarriedMetadata } from './results/carried-metadata.ts';

const at = (budget: number, element: PromptPiece, more: object = {}) =>
  render({ element, budget, tokenizer: characters, ...more });

describe('children (editor.md 1.19.8)', () => {
  it('may be null', async () => {
    const { messages } = await at(100, h(UserMessage, {}, 'a', null, h(Fragment, null, null, 'b')));
    expect(textsOf(messages)).toEqual(['ab']);
  });

  it('are frozen with their props, and may be used several times with a priority each', async () => {
    const shared = h(UserMessage, {}, 'same');
    expect(Object.isFrozen(shared) && Object.isFrozen(shared.props) && Object.isFrozen(shared.children)).toBe(true);
    const lists = h(
      Fragment,
      null,
      h(PrioritizedList, { priority: 10, descending: true, passPriority: true }, shared, h(UserMessage, {}, 'first')),
      h(PrioritizedList, { priority: 20, descending: true, passPriority: true }, shared),
    );
    expect(textsOf((await at(15, lists)).messages)).toEqual(['same', 'same']);
    expect(shared.props).toEqual({});
  });

  it('may be function components, also asynchronous ones', async () => {
    const Greeting = async ({ name }: { name: string }) => h(UserMessage, {}, `Hello ${name}`);
    expect(textsOf((await at(100, h(Greeting, { name: 'Ada' }))).messages)).toEqual(['Hello Ada']);
  });
});

describe('layout counts everything that is sent (editor.md 1.7)', () => {
  it.each([
    ['an image', h(UserMessage, {}, h(Image, { src: 'x' })), 53],
    ['an opaque part', h(UserMessage, {}, h('opaque', { value: 1, tokenUsage: 40 })), 43],
    [
      'an opaque part for another output',
      h(UserMessage, {}, h('opaque', { value: 1, tokenUsage: 40, scope: 2 }), 'a'),
      4,
    ],
    ['a tool message', h(ToolMessage, { toolCallId: '1' }, 'abcd'), 7],
    ['a line break', h(UserMessage, {}, h('br')), 4],
  ])('%s', async (_name, message, size) => {
    const seen: number[] = [];
    await at(100, h(Fragment, null, message, h(budgetRecorder(seen), { flexGrow: 1 })));
    expect(seen).toEqual([100 - size]);
  });

  it('embedded JSON', async () => {
    const data = await renderJSON({ element: h(TextChunk, {}, 'twelve chars'), budget: 100, tokenizer: characters });
    const seen: number[] = [];
    await at(
      100,
      h(Fragment, null, h(UserMessage, {}, h('elementJSON', { data })), h(budgetRecorder(seen), { flexGrow: 1 })),
    );
    expect(seen).toEqual([85]);
  });
});

describe('cache breakpoints (editor.md 1.12)', () => {
  const early = h(UserMessage, { priority: 1 }, 'aaaa', h('cacheBreakpoint', {}));
  const late = h(UserMessage, { priority: 9 }, 'xx');
  const both = h(Fragment, null, early, late);

  it('prune-after: a low message with a breakpoint does not block what comes after it', async () => {
    const { messages, report } = await at(8, both);
    expect(textsOf(messages)).toEqual(['aaaa<3>']);
    expect(report).toMatchObject({ policy: 'prune-after', steps: [{ action: 'pruned', removed: 2 }] });
  });

  it('prune-after: an error lists what was tried when that is not enough', async () => {
    const error = await at(6, both).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect((error as BudgetExceededError).report?.steps.at(-1)).toMatchObject({ action: 'blocked', at: 'Prompt' });
    expect(textsOf((error as BudgetExceededError).messages)).toEqual(['aaaa<3>', 'xx']);
  });

  it('drop-breakpoint: the last one is dropped when nothing else is left', async () => {
    const first = h(UserMessage, { priority: 5 }, 'first', h('cacheBreakpoint', {}));
    const { messages, report } = await at(9, h(Fragment, null, first, both), { breakpoints: 'drop-breakpoint' });
    expect(textsOf(messages)).toEqual(['first<3>']);
    expect(report.steps.map(({ action }) => action)).toContain('dropped-breakpoint');
  });

  it('escalate: nothing is pruned in place of what is protected', async () => {
    await expect(at(8, both, { breakpoints: 'escalate' })).rejects.toThrow(BudgetExceededError);
    const unprotected = h(Fragment, null, h(UserMessage, { priority: 9 }, 'aaaa', h('cacheBreakpoint', {})), late);
    expect(textsOf((await at(14, unprotected, { breakpoints: 'escalate' })).messages)).toEqual(['aaaa<3>', 'xx']);
  });
});

describe('JSON keeps everything (editor.md 1.15)', () => {
  class Note extends PromptMetadata {
    readonly note: string;
    constructor(note: string) {
      super();
      this.note = note;
    }
  }
  const Pair = useKeepWith();
  const call = { id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{}' }, keepWith: Pair };
  const element = h(
    Fragment,
    null,
    h(AssistantMessage, { toolCalls: [call] }, 'looking'),
    h(
      Pair,
      { priority: 1 },
      h(
        ToolMessage,
        { toolCallId: '1' },
        h(TokenLimit, { max: 4 }, h(TextChunk, { priority: 1 }, 'abc'), h(TextChunk, { priority: 2 }, 'xyz')),
      ),
    ),
    h(
      UserMessage,
      {},
      'q',
      h('meta', { value: new Note('kept'), local: true }),
      h('cacheBreakpoint', { type: 'ephemeral' }),
      h('opaque', { value: 7, tokenUsage: 2, scope: 1 }),
    ),
  );

  it('renders to the same messages after a round trip', async () => {
    const data = JSON.parse(JSON.stringify(await renderJSON({ element, budget: 1000, tokenizer: characters })));
    const direct = await at(1000, element);
    const embedded = await at(1000, h('elementJSON', { data }));
    expect(embedded.messages).toEqual(direct.messages);
    expect(embedded.tokenCount).toBe(direct.tokenCount);
    expect(embedded.metadata.get(CarriedMetadata)).toMatchObject({ name: 'Note', value: { note: 'kept' } });
  });

  it('prunes the same: calls with their results', async () => {
    const data = JSON.parse(JSON.stringify(await renderJSON({ element, budget: 1000, tokenizer: characters })));
    for (const budget of [18, 14, 10]) {
      const direct = await at(budget, element, { breakpoints: 'drop-breakpoint' });
      const embedded = await at(budget, h('elementJSON', { data }), { breakpoints: 'drop-breakpoint' });
      expect(embedded.messages).toEqual(direct.messages);
    }
  });

  it('is the same for the same element, whatever was created before', async () => {
    const make = () => {
      const Other = useKeepWith();
      return renderJSON({ element: h(Other, {}, h(UserMessage, {}, 'a')), budget: 10, tokenizer: characters });
    };
    expect(await make()).toEqual(await make());
  });
});

describe('after pruning', () => {
  it('IfEmpty shows its alternative when its content was pruned (editor.md 1.19.5)', async () => {
    const element = h(
      UserMessage,
      {},
      'log: ',
      h(IfEmpty, { alt: 'none', priority: 1 }, h(TextChunk, {}, 'x'.repeat(50))),
    );
    expect(textsOf((await at(100, element)).messages)).toEqual([`log: \n${'x'.repeat(50)}`]);
    expect(textsOf((await at(20, element)).messages)).toEqual(['log: none']);
    expect(textsOf((await at(8, element)).messages)).toEqual(['log: ']);
  });

  it('a whole message may be the alternative', async () => {
    const usual = h(UserMessage, {}, 'y'.repeat(40));
    const element = h(
      Fragment,
      null,
      h(SystemMessage, {}, 'sys'),
      h(IfEmpty, { priority: 1, alt: h(UserMessage, {}, 'short') }, usual),
    );
    expect(textsOf((await at(20, element)).messages)).toEqual(['sys', 'short']);
  });

  it('if nothing fits, that is an error, not an empty prompt (editor.md 1.10)', async () => {
    const error = await at(2, h(UserMessage, {}, 'hello')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error).toBeInstanceOf(EngineBudgetExceededError);
    expect((error as BudgetExceededError).messages).toHaveLength(1);
  });

  it('a removed call is not counted anymore', async () => {
    const Pair = useKeepWith();
    const counting = {
      ...characters,
      countMessageTokens: (message: Parameters<typeof characters.countMessageTokens>[0]) =>
        (characters.countMessageTokens(message) as number) + ('toolCalls' in message ? 10 : 0),
    };
    const call = { id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{}' }, keepWith: Pair };
    const element = h(
      Fragment,
      null,
      h(AssistantMessage, { toolCalls: [call] }, 'text'),
      h(Pair, { priority: 1 }, h(ToolMessage, { toolCallId: '1' }, 'result')),
    );
    const { messages, tokenCount } = await render({ element, budget: 20, tokenizer: counting });
    expect(textsOf(messages)).toEqual(['text']);
    expect(tokenCount).toBe(7);
  });

  it('a grown element keeps its priority', async () => {
    const value = ({ tokenBudget }: PromptSizing) => 'g'.repeat(Math.max(0, tokenBudget));
    const element = h(
      UserMessage,
      {},
      h(Expandable, { value, priority: 1, flexGrow: 1 }),
      h(TextChunk, { priority: 2 }, 'kept'),
    );
    const { messages } = await at(20, element);
    expect(textsOf(messages)[0]).toContain('kept');
  });
});

describe('opaque parts', () => {
  it('count their declared usage once (editor.md 1.19.4)', async () => {
    const element = h(UserMessage, {}, 'abc', h('opaque', { value: { type: 'custom' }, tokenUsage: 10 }));
    expect((await at(100, element)).tokenCount).toBe(16);
    await expect(at(15, h(Chunk, {}, element))).rejects.toThrow(BudgetExceededError);
  });
});

describe('concurrent renders', () => {
  it('give the same results as alone, even if they share pieces and keep-withs', async () => {
    const Pair = useKeepWith();
    const late = async ({ text }: { text: string }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return h(TextChunk, { breakOnWhitespace: true }, text);
    };
    const element = h(
      Fragment,
      null,
      h(Pair, { priority: 1 }, h(UserMessage, {}, h(late, { text: 'one two three' }))),
      h(Pair, { priority: 2 }, h(UserMessage, {}, h(late, { text: 'four five six' }))),
    );
    const budgets = [100, 60, 40, 30, 20];
    const settle = (budget: number) => at(budget, element).then(({ messages }) => textsOf(messages), String);
    const alone: unknown[] = [];
    for (const budget of budgets) alone.push(await settle(budget));
    expect(await Promise.all(budgets.map(settle))).toEqual(alone);
  });
});
