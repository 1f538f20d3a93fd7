import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutsOf } from '../../analysis/cuts.ts';
import type { Message } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import { answer, call, result, say, system, think } from '../fixtures/messages.ts';
import type { PlanItem } from '../types.ts';
import { budgetOf, keepRecentFor } from './budget.ts';
import { planCut } from './cut.ts';

const planItem = (message: Message, tokens = 10): PlanItem => ({ message, tokens });

describe('the arithmetic of a window', () => {
  test('the smaller of threshold and limit holds', () => {
    expect(budgetOf({ window: 200_000 })).toMatchObject({ limit: 183_616, threshold: 183_616, target: 64_000 });
    expect(budgetOf({ window: 200_000, threshold: 0.8 }).threshold).toBe(160_000);
    expect(budgetOf({ window: 200_000, threshold: 500_000 }).threshold).toBe(183_616);
    expect(budgetOf({ window: 200_000, threshold: 1 }).threshold).toBe(183_616);
  });

  test('a tenth is left where there are tools', () => {
    expect(budgetOf({ window: 100_000, threshold: 50_000, toolTokens: 10_000 }).threshold).toBe(46_000);
  });

  test('a threshold that is neither a share nor a number of tokens is refused', () => {
    for (const threshold of [0, -1, 1.01, 99, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => budgetOf({ window: 100_000, threshold })).toThrow(/neither a share/);
    }
  });

  test('small windows keep a smaller tail', () => {
    expect([24_000, 200_000].map((window) => keepRecentFor({ window }))).toEqual([9_600, 20_000]);
  });
});

describe('places for a cut', () => {
  test('never at a result, inside a parallel batch, or between two messages of an answer', () => {
    const messages = [
      say('go'),
      answer('I will'),
      call('a', 'b'),
      result('b'),
      result('a'),
      answer('done'),
      say('more'),
    ];
    expect(cutsOf(messages)).toEqual(['clean', 'clean', 'none', 'none', 'none', 'clean', 'clean', 'clean']);
  });

  test('inside a chain of thought only as second best', () => {
    const messages = [say('go'), think('hm', call('a')), result('a'), think('ah', call('b')), result('b'), say('next')];
    expect(cutsOf(messages)).toEqual(['clean', 'clean', 'none', 'mid-chain', 'none', 'clean', 'clean']);
  });

  test('a call whose result never came holds nothing up', () => {
    expect(cutsOf([call('lost'), say('go on')])).toEqual(['clean', 'clean', 'clean']);
  });
});

describe('planning a cut', () => {
  const turn = (name: string): PlanItem[] =>
    [say(name), call(name), result(name), answer(`${name} done`)].map((m) => planItem(m));
  const items = [planItem(system('rules')), ...turn('one'), ...turn('two'), ...turn('three')];

  test('keeps the head and what is recent', () => {
    expect(planCut({ items, headCount: 1, keepRecent: 40 })).toMatchObject({
      start: 1,
      cut: 9,
      breaksThinking: false,
      tokens: { replaced: 80, kept: 40 },
      why: '8 messages become a summary, 4 stay.',
    });
  });

  test('a cut through a turn says where the turn began', () => {
    expect(planCut({ items, headCount: 1, keepRecent: 10 })).toMatchObject({ cut: 12, turnStart: 9 });
  });

  test('pi #9740, #7201: trailing results larger than what may stay do not keep everything', () => {
    const trailing = [...items, planItem(say('four')), planItem(call('x')), planItem(result('x'), 5000)];
    expect(planCut({ items: trailing, headCount: 1, keepRecent: 100 })).toMatchObject({ start: 1, cut: 14 });
  });

  test('pi 5.6: metadata before a fresh user message does not make the turn before it a split one', () => {
    const plan = planCut({
      items: [...turn('one'), planItem(say('huge'), 50), planItem(answer('ok'))],
      headCount: 0,
      keepRecent: 60,
    });
    expect(plan).toMatchObject({ cut: 4 });
    expect(plan).not.toHaveProperty('turnStart');
  });

  test('a chosen range is taken, and gives way where it would part a call from its result', () => {
    expect(planCut({ items, headCount: 1, keepRecent: 0, from: 5, to: 9 })).toMatchObject({ start: 5, cut: 9 });
    expect(planCut({ items, headCount: 1, keepRecent: 0, from: 5, to: 7 })).toMatchObject({ start: 5, cut: 8 });
  });

  test('says why there is nothing to do', () => {
    expect(planCut({ items: [planItem(system('rules'))], headCount: 1, keepRecent: 10 })).toEqual({
      why: expect.stringContaining('nothing was said yet'),
    });
    expect(planCut({ items, headCount: 1, keepRecent: 1000 })).toEqual({ why: expect.stringContaining('recent') });
  });

  test('whatever the list: what stays has its calls, and is recent enough', () => {
    const step = fc.record({ kind: fc.constantFrom('say', 'answer', 'parallel'), tokens: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(500), (steps, keepRecent) => {
        const list = steps.flatMap(({ kind, tokens }, index): PlanItem[] => {
          if (kind === 'say') return [planItem(say(`${index}`), tokens)];
          if (kind === 'answer') return [planItem(answer(`${index}`), tokens)];
          const ids = [`${index}x`, `${index}y`];
          return [planItem(call(...ids)), ...ids.map((id) => planItem(result(id), tokens))];
        });
        const plan = planCut({ items: list, headCount: 0, keepRecent });
        if (plan.start === undefined) return;
        const parts = list.slice(plan.cut).flatMap(({ message }) => message.parts);
        const calls = new Set(parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])));
        for (const part of parts) if (part.type === 'tool_result') expect(calls).toContain(part.callId);
        expect(plan.tokens.replaced + plan.tokens.kept).toBe(list.reduce((sum, { tokens }) => sum + tokens, 0));
      }),
      runs(500),
    );
  });
});
