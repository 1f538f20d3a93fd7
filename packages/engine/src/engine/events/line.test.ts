import { describe, expect, test } from 'vitest';
import { engineEvents } from '../fixtures/engine-events.ts';
import { eventNames } from './event.ts';
import { eventLine } from './line.ts';

describe('an event in one line', () => {
  test('there is one for every kind', () => {
    const lines = eventNames.map((name) => eventLine(engineEvents[name]));
    expect(lines.every((line) => line.length > 10 && !/undefined|NaN|\[object|\n/.test(line))).toBe(true);
    expect(new Set(lines).size).toBe(eventNames.length);
    expect(Object.keys(engineEvents).toSorted()).toEqual([...eventNames].toSorted());
  });

  test.each([
    ['compactionComplete', 'compacted (full): 90,000 -> 20,000 tokens in 8.2 s, $0.04: Fixed the quick secret'],
    ['jobSettled', 'job 4: done (fork) after 12.0 s, $0.03: the quick secret'],
    ['usage', '90,000 of 128,000 tokens in 120 messages, 21,616 free'],
    ['prune', 'pruned 2 tool outputs, 21,000 tokens freed'],
    ['decision', 'start at 71 %: 71 % is used: the quick secret.'],
  ] as const)('%s', (name, line) => {
    expect(eventLine(engineEvents[name])).toBe(line);
  });

  test('says why nothing came of a compaction', () => {
    const { error: _, ...event } = { ...engineEvents.compactionComplete, success: false, error: '' };
    expect(eventLine({ ...event, reason: 'Too little.' })).toBe('nothing compacted: Too little.');
    expect(eventLine({ ...event, reason: 'By a hook.', cancelled: true })).toBe('compaction called off: By a hook.');
    expect(eventLine({ ...event, error: 'no disk' })).toBe('compaction failed after 8.2 s: no disk');
  });

  test('whatever a hook or a model wrote, it stays one line that a terminal can show', () => {
    const line = eventLine({ ...engineEvents.checkpoint, title: `a\nb\u001b[2Jc\u2028d ${'x'.repeat(999)}` });
    expect(line).toMatch(/^checkpoint 3: a b \[2Jc d x+…$/);
    expect(line.length).toBeLessThanOrEqual(200);
  });
});
