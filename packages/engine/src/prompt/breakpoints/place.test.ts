import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CacheLimits } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import type * as Raw from '../output/raw.ts';
import { placeBreakpoints } from './place.ts';

const four: CacheLimits = { how: 'explicit', maxBreakpoints: 4 };

/** `s`ystem, `u`ser, `a`nswer, `c`alls, `t`ool; a star is a breakpoint. */
function messagesOf(written: string): Raw.ChatMessage[] {
  return [...written.matchAll(/([suact])(\**)/g)].map(([, letter = '', stars = '']) => {
    const content: Raw.ChatCompletionContentPart[] = [{ type: 1, text: letter }];
    for (const _ of stars) content.push({ type: 3, cacheType: 'ephemeral' });
    if (letter === 's') return { role: 0, content };
    if (letter === 'u') return { role: 1, content };
    if (letter === 't') return { role: 3, content, toolCallId: '1' };
    const call = { id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{}' } };
    return { role: 2, content, ...(letter === 'c' && { toolCalls: [call] }) };
  });
}

function written(messages: readonly Raw.ChatMessage[]): string {
  return messages
    .map((message) => {
      const letter = message.role === 2 ? (message.toolCalls ? 'c' : 'a') : (['s', 'u', '', 't'][message.role] ?? '');
      return letter + '*'.repeat(message.content.filter(({ type }) => type === 3).length);
    })
    .join('');
}

const placed = (text: string, limits = four) => written(placeBreakpoints({ messages: messagesOf(text), limits }));

describe('positions of breakpoints', () => {
  test.each([
    ['a fresh chat: both', 'su', 's*u*'],
    ['editor.md 5.2: the earlier round gets the fourth', 'su*u*cttct*', 'su*u*ctt*ct*'],
    ['a question after a conversation: answers, then the beginning', 'suctasau', 's*ucta*sa*u*'],
    ['results before the newest question get none', 'suctu', 's*u*ctu*'],
    ['more rounds than breakpoints: the newest', 'suctctctctct', 'suctct*ct*ct*ct*'],
    ['nobody asked yet', 's', 's*'],
    ['nothing', '', ''],
  ])('%s', (_, before, after) => {
    expect(placed(before)).toBe(after);
  });

  test('editor.md 5.2: with four there is no fifth', () => {
    expect(placed('s*u*ct*ct*u')).toBe('s*u*ct*ct*u');
  });

  test('with five the first goes', () => {
    expect(placed('s*u*ct*ct*u*')).toBe('su*ct*ct*u*');
  });

  test('editor.md 5.2: the last message does not look at the first', () => {
    expect(placed('tut')).toBe('tu*t*');
  });

  test('none if the provider caches automatically or not at all', () => {
    expect(placed('s*u*cta', { how: 'automatic' })).toBe('sucta');
    expect(placed('su', { how: 'none' })).toBe('su');
    expect(placed('su', { how: 'both', maxBreakpoints: 1 })).toBe('su*');
  });

  test('an empty message gets none', () => {
    expect(placeBreakpoints({ messages: [{ role: 1, content: [{ type: 1, text: '' }] }], limits: four })).toEqual([
      { role: 1, content: [{ type: 1, text: '' }] },
    ]);
  });
});

test('never exceed the limit, keep the last ones, and change nothing else', () => {
  const letter = fc.constantFrom('s', 'u', 'a', 'c', 't', 's*', 'u*', 'a*', 't*', 't**');
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 30 }), fc.integer({ min: 0, max: 6 }), (letters, maxBreakpoints) => {
      const text = letters.join('');
      const before = messagesOf(text);
      const frozen = JSON.stringify(before);
      const after = placeBreakpoints({ messages: before, limits: { how: 'explicit', maxBreakpoints } });
      const stars = written(after).replace(/[^*]/g, '').length;
      expect(stars).toBeLessThanOrEqual(maxBreakpoints);
      const there = text.replace(/[^*]/g, '').length;
      if (there <= maxBreakpoints) expect(stars).toBeGreaterThanOrEqual(there);
      expect(written(after).replaceAll('*', '')).toBe(text.replaceAll('*', ''));
      expect(JSON.stringify(before)).toBe(frozen);
      // Placing is idempotent.
      expect(written(placeBreakpoints({ messages: after, limits: { how: 'explicit', maxBreakpoints } }))).toBe(
        written(after),
      );
    }),
    runs(300),
  );
});
