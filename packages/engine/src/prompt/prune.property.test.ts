import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../testing/runs.ts';
import { LogicalWrapper } from './elements/wrappers.ts';
import { characters } from './fixtures.fixture.ts';
import {
  AssistantMessage,
  type Branch,
  BudgetExceededError,
  Chunk,
  Fragment,
  h,
  type ITokenizer,
  type ITraceData,
  type PromptPiece,
  render,
  TextChunk,
  TokenLimit,
  ToolMessage,
  type TreeNode,
  UserMessage,
  useKeepWith,
} from './index.ts';
import { intricatePrompts } from './intricate.fixture.ts';
import type * as Raw from './output/raw.ts';
import { isBranch } from './tree/node.ts';

const priority = fc.integer({ min: 0, max: 9 });
const words = fc.lorem({ maxCount: 6 });
const chunk = fc
  .record({ priority, words })
  .map(({ priority: rank, words: text }) => h(TextChunk, { priority: rank }, text));
const message = fc
  .record({ priority, chunks: fc.array(chunk, { minLength: 1, maxLength: 4 }) })
  .map(({ priority: rank, chunks }) => h(UserMessage, { priority: rank }, ...chunks));
const box = fc
  .record({
    priority,
    kind: fc.constantFrom(Chunk, LogicalWrapper),
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
  })
  .map(({ priority: rank, kind, messages }) => h(kind, { priority: rank }, ...messages));
const prompts = fc
  .array(fc.oneof(message, box), { minLength: 1, maxLength: 8 })
  .map((pieces) => h(Fragment, null, ...pieces));

/** The tree before and after, and the output; `undefined` if it cannot fit. */
async function pruned(element: PromptPiece, budget: number, more: object = {}) {
  let trace: ITraceData | undefined;
  const tracer = {
    didMaterializeTree: (data: ITraceData) => {
      trace = data;
    },
  };
  try {
    const result = await render({ element, budget, tokenizer: characters, tracer, ...more });
    const { fullTree, renderedTree, count } = trace as ITraceData;
    return { result, before: fullTree(), after: renderedTree.container, count };
  } catch (error) {
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect((error as BudgetExceededError).excess).toBeGreaterThan(0);
    return undefined;
  }
}

function keysIn(node: TreeNode, into = new Set<number>()): Set<number> {
  into.add(node.key);
  if (isBranch(node)) for (const child of node.children) keysIn(child, into);
  return into;
}

function* branches(node: TreeNode): Generator<Branch> {
  if (!isBranch(node)) return;
  yield node;
  for (const child of node.children) yield* branches(child);
}

describe('on a fixed tree', () => {
  it('the rest never exceeds the budget', async () => {
    await fc.assert(
      fc.asyncProperty(prompts, fc.integer({ min: 1, max: 400 }), async (element, budget) => {
        const outcome = await pruned(element, budget);
        if (!outcome) return;
        const { messages, tokenCount } = outcome.result;
        expect(tokenCount).toBeLessThanOrEqual(budget);
        expect(messages.reduce((sum, each) => sum + (characters.countMessageTokens(each) as number), 0)).toBe(
          tokenCount,
        );
      }),
      { seed: 9, ...runs(300) },
    );
  });

  it('within a container nothing survives that ranks below something pruned as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(prompts, fc.integer({ min: 10, max: 300 }), async (element, budget) => {
        const outcome = await pruned(element, budget);
        if (!outcome) return;
        const left = keysIn(outcome.after);
        for (const branch of branches(outcome.before)) {
          if (!left.has(branch.key)) continue;
          const gone = branch.children.filter((child) => !left.has(child.key));
          const stayed = branch.children.filter((child) => left.has(child.key));
          const highest = Math.max(...gone.map((child) => child.priority));
          for (const child of stayed) expect(child.priority).toBeGreaterThanOrEqual(highest);
        }
      }),
      { seed: 9, ...runs(300) },
    );
  });

  it('calls and results that are kept together are pruned together', async () => {
    const rounds = fc.array(fc.record({ ask: priority, answer: priority, words }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rounds, fc.integer({ min: 5, max: 200 }), async (all, budget) => {
        const pieces = all.flatMap(({ ask, answer, words: text }, index) => {
          const Pair = useKeepWith();
          const call = {
            id: `${index}`,
            type: 'function' as const,
            function: { name: 'f', arguments: '{}' },
            keepWith: Pair,
          };
          return [
            h(AssistantMessage, { priority: ask, toolCalls: [call] }),
            h(Pair, { priority: answer }, h(ToolMessage, { toolCallId: `${index}` }, text)),
          ];
        });
        const outcome = await pruned(h(Fragment, null, h(UserMessage, {}, '?'), ...pieces), budget);
        const messages = outcome?.result.messages ?? [];
        const calls = messages.flatMap((each) =>
          'toolCalls' in each ? (each.toolCalls ?? []).map(({ id }) => id) : [],
        );
        const results = messages.flatMap((each) => ('toolCallId' in each ? [each.toolCallId] : []));
        expect(calls).toEqual(results);
      }),
      { seed: 9, ...runs(300) },
    );
  });
});

/** One token per character, and 5 per call. */
const withCalls: ITokenizer<1> = {
  ...characters,
  countMessageTokens: (message) => (characters.countMessageTokens(message) as number) + 5 * callsIn(message),
};

function callsIn(message: Raw.ChatMessage): number {
  return 'toolCalls' in message ? (message.toolCalls?.length ?? 0) : 0;
}

function counted(messages: readonly Raw.ChatMessage[]): number {
  return messages.reduce((sum, each) => sum + (withCalls.countMessageTokens(each) as number), 0);
}

describe('with keep-withs, alternatives, limits, unsent messages and calls', () => {
  const policies = fc.constantFrom('prune-after' as const, 'drop-breakpoint' as const, 'escalate' as const);
  const budgets = fc.integer({ min: 0, max: 60 });

  it('the output has the reported count, and is not empty unless the prompt is', async () => {
    await fc.assert(
      fc.asyncProperty(
        intricatePrompts({ breakpoints: true }),
        budgets,
        policies,
        async (pieces, budget, breakpoints) => {
          const outcome = await pruned(h(Fragment, null, ...pieces), budget, { tokenizer: withCalls, breakpoints });
          if (!outcome) return;
          const { messages, tokenCount } = outcome.result;
          expect(tokenCount).toBe(counted(messages));
          expect(tokenCount).toBeLessThanOrEqual(budget);
          if (!outcome.before.isEmpty) expect(messages).not.toEqual([]);
        },
      ),
      { seed: 9, ...runs(600) },
    );
  });

  it('every limit holds, also for alternatives', async () => {
    await fc.assert(
      fc.asyncProperty(intricatePrompts({ breakpoints: true }), budgets, async (pieces, budget) => {
        const outcome = await pruned(h(Fragment, null, ...pieces), budget, { tokenizer: withCalls });
        if (!outcome) return;
        for (const branch of branches(outcome.after)) {
          const { element } = branch.source;
          if (!((element as unknown) instanceof TokenLimit)) continue;
          const { max } = (element as unknown as TokenLimit).props;
          expect(await outcome.count(branch)).toBeLessThanOrEqual(max);
        }
      }),
      { seed: 9, ...runs(600) },
    );
  });

  it('the same nodes are pruned, however many siblings there are', async () => {
    const unsent = Array.from({ length: 8 }, () => h(UserMessage, { priority: 99 }));
    await fc.assert(
      fc.asyncProperty(
        intricatePrompts({ breakpoints: true }),
        budgets,
        policies,
        async (pieces, budget, breakpoints) => {
          const narrow = await pruned(h(Fragment, null, ...pieces), budget, { breakpoints });
          const wide = await pruned(h(Fragment, null, ...pieces, ...unsent), budget, { breakpoints });
          expect(wide?.result.messages).toEqual(narrow?.result.messages);
        },
      ),
      { seed: 9, ...runs(600) },
    );
  });

  it('the output is the same with asynchronous counts', async () => {
    const later: ITokenizer<1> = {
      mode: 1,
      tokenLength: async (part) => withCalls.tokenLength(part),
      countMessageTokens: async (message) => withCalls.countMessageTokens(message),
    };
    await fc.assert(
      fc.asyncProperty(
        intricatePrompts({ breakpoints: true }),
        budgets,
        policies,
        async (pieces, budget, breakpoints) => {
          const element = h(Fragment, null, ...pieces);
          const atOnce = await pruned(element, budget, { tokenizer: withCalls, breakpoints });
          const late = await pruned(element, budget, { tokenizer: later, breakpoints });
          expect(late?.result.messages).toEqual(atOnce?.result.messages);
          expect(late?.result.report).toEqual(atOnce?.result.report);
        },
      ),
      { seed: 9, ...runs(300) },
    );
  });

  it('what is kept together stays or is pruned together', async () => {
    await fc.assert(
      fc.asyncProperty(intricatePrompts({ breakpoints: true }), budgets, async (pieces, budget) => {
        const outcome = await pruned(h(Fragment, null, ...pieces), budget, { tokenizer: withCalls });
        if (!outcome) return;
        const left = keysIn(outcome.after);
        const kept = [...branches(outcome.before)].filter(({ keepWithId }) => keepWithId !== undefined);
        const gone = new Set(kept.filter(({ key }) => !left.has(key)).map(({ keepWithId }) => keepWithId));
        for (const { key, keepWithId } of kept) expect(left.has(key) && gone.has(keepWithId)).toBe(false);
      }),
      { seed: 9, ...runs(600) },
    );
  });

  it('the most important content stays if it fits alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        intricatePrompts({ breakpoints: false }),
        fc.nat(8),
        fc.integer({ min: 11, max: 50 }),
        async (pieces, place, budget) => {
          const question = h(UserMessage, { priority: 99 }, 'question');
          const outcome = await pruned(h(Fragment, null, ...pieces.toSpliced(place, 0, question)), budget);
          expect(outcome?.result.messages).toContainEqual({ role: 1, content: [{ type: 1, text: 'question' }] });
        },
      ),
      { seed: 9, ...runs(600) },
    );
  });
});
