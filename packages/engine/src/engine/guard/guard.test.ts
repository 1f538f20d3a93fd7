import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import { answer, call, result, say, system } from '../fixtures/messages.ts';
import type { PlanItem } from '../types.ts';
import { guardCut } from './guard.ts';

const planItem = (message: Message): PlanItem => ({ message, tokens: 10 });
const items = [
  system('rules'),
  say('first'),
  call('a'),
  result('a'),
  answer('done'),
  say('second'),
  call('b'),
  result('b'),
  call('c'),
  result('c'),
].map(planItem);

describe('the guard', () => {
  test('leaves alone what fits', () => {
    expect(guardCut({ items, headCount: 1, limit: 100 })).toEqual({
      kept: items.map((_, index) => index),
      tokens: 100,
    });
  });

  test('takes rounds of older turns first, then what was said in them, and goes well below the limit', () => {
    expect(guardCut({ items, headCount: 1, limit: 95 }).kept).toEqual([0, 1, 5, 6, 7, 8, 9]);
    expect(guardCut({ items, headCount: 1, limit: 69 }).kept).toEqual([0, 5, 8, 9]);
  });

  test('never takes the head, the latest words, or the round in progress', () => {
    expect(guardCut({ items, headCount: 1, limit: 1 }).kept).toEqual([0, 5, 8, 9]);
  });

  test('takes results whose call is gone, also where everything fits (Copilot CLI #2496)', () => {
    const list = [say('go on'), result('lost'), answer('ok')].map(planItem);
    expect(guardCut({ items: list, headCount: 0, limit: 1000 }).kept).toEqual([0, 2]);
  });

  test('parts no call from its result, whatever the list and the limit', () => {
    const step = fc.constantFrom('say', 'answer', 'round', 'parallel');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(300), (steps, limit) => {
        const messages = steps.flatMap((kind, index): Message[] => {
          if (kind === 'say') return [say(`${index}`)];
          if (kind === 'answer') return [answer(`${index}`)];
          const ids = kind === 'round' ? [`${index}`] : [`${index}x`, `${index}y`];
          return [call(...ids), ...ids.map((id) => result(id))];
        });
        const { kept } = guardCut({ items: messages.map(planItem), headCount: 0, limit });
        const parts = kept.flatMap((index) => messages[index]?.parts ?? []);
        const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
        const results = parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []));
        expect(results).toEqual(calls);
      }),
      runs(500),
    );
  });
});
