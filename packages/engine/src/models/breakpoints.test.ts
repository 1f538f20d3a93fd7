import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CacheMark, Message, Part, ToolDefinition } from '../message/index.ts';
import { runs } from '../testing/runs.ts';
import { withBreakpoints } from './breakpoints.ts';
import type { ModelRequest } from './model.ts';

const rules = { how: 'explicit', maxBreakpoints: 4 } as const;
const words = (text: string, cache?: CacheMark): Part => ({
  type: 'text',
  origin: 'human',
  text,
  ...(cache && { cache }),
});
const tool: ToolDefinition = { name: 'read', inputSchema: {} };

/** `u`ser, `a`nswer, `c`alls, `t`ool, `?` a thought alone; a star is a breakpoint, an exclamation mark one for an hour. */
function messagesOf(written: string): Message[] {
  return [...written.matchAll(/([uact?s])([*!]?)/g)].map(([, letter = '', star = '']): Message => {
    const cache = star === '' ? undefined : star === '!' ? { ttl: '1h' } : {};
    const mark = cache && { cache };
    if (letter === 's') return { role: 'system', parts: [words('s', cache)] };
    if (letter === 'u') return { role: 'user', parts: [words('u', cache)] };
    if (letter === 'a') return { role: 'assistant', parts: [words('a', cache)] };
    if (letter === '?') return { role: 'user', parts: [words(' ')] };
    if (letter === 't') {
      return { role: 'tool', parts: [{ type: 'tool_result', origin: 'tool', callId: '1', content: [], ...mark }] };
    }
    const call: Part = { type: 'tool_call', origin: 'model', id: '1', name: 'ls', arguments: '{}' };
    return { role: 'assistant', parts: [{ type: 'thinking', origin: 'model', text: 'hm' }, call] };
  });
}

function written(messages: readonly Message[]): string {
  return messages
    .map(({ role, parts }) => {
      const letter = { system: 's', user: 'u', tool: 't', assistant: parts.length > 1 ? 'c' : 'a' }[role];
      const mark = parts.find(({ cache }) => cache)?.cache;
      return letter + (mark ? (mark.ttl === '1h' ? '!' : '*') : '');
    })
    .join('');
}

function requestOf({ head = 's', items, tools = [tool] }: { head?: string; items: string; tools?: ToolDefinition[] }) {
  return { head: messagesOf(head), items: messagesOf(items), tools, options: {} } satisfies ModelRequest;
}

function placed(input: Parameters<typeof requestOf>[0]) {
  const { head, items, tools } = withBreakpoints({ request: requestOf(input), dialect: 'anthropic', rules });
  const mark = tools.find(({ cache }) => cache)?.cache;
  return `${mark ? (mark.ttl === '1h' ? '!' : '*') : ''}|${written(head)}|${written(items)}`;
}

describe('where breakpoints go', () => {
  test.each([
    ['the first request: tools, head and what is asked', 'u', '*|s*|u*'],
    ['behind every place where a request ended', 'ucttct', '|s*|u*ctt*ct*'],
    ['the newest of them and what is asked, when there are more', 'uctctctct', '|s*|u*ctctct*ct*'],
    ['behind the answer before a new question, then the beginning', 'uctctau', '|s*|u*ctcta*u*'],
    ['not in the middle of a batch of results', 'ucttt', '*|s*|u*cttt*'],
    ['not on what holds none', 'u?', '*|s*|u*u'],
  ])('%s', (_, items, after) => {
    expect(placed({ items })).toBe(after);
  });

  test('existing breakpoints in the messages count', () => {
    expect(placed({ items: 'ua*ua*u' })).toBe('|s*|ua*ua*u*');
  });

  test('what comes before one that lives for an hour lives as long', () => {
    expect(placed({ items: 'uctu!ct' })).toBe('|s!|u!ctu!ct*');
  });

  test('with one to place it is the newest; with none there is none', () => {
    const most = (maxBreakpoints: number) =>
      withBreakpoints({
        request: requestOf({ items: 'u*ct' }),
        dialect: 'anthropic',
        rules: { how: 'explicit', maxBreakpoints },
      });
    expect([written(most(1).head), written(most(1).items)]).toEqual(['s', 'uct*']);
    expect([written(most(0).head), written(most(0).items)]).toEqual(['s', 'uct']);
  });

  test('a provider that caches by itself gets the request as it is', () => {
    const request = requestOf({ items: 'u*ct' });
    expect(withBreakpoints({ request, dialect: 'anthropic', rules: { how: 'automatic' } })).toBe(request);
    expect(withBreakpoints({ request, dialect: 'openai-responses', rules: { how: 'both' } })).toBe(request);
  });
});

test('there are never more than four, an hour never comes after less, and the end of the last request is found', () => {
  const piece = fc.constantFrom('u', 'ct', 'ctt', 'a', 'u*', 'ct*', 'u!', 'a*', '?');
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 25 }),
      fc.constantFrom('', 's', 's*', 's!s', 's*s*s*s*s*'),
      (pieces, head) => {
        let end = -1;
        for (let count = 1; count <= pieces.length; count += 1) {
          const items = pieces.slice(0, count).join('');
          const request = requestOf({ head, items });
          const frozen = JSON.stringify(request);
          const after = withBreakpoints({ request, dialect: 'anthropic', rules });
          expect(JSON.stringify(request)).toBe(frozen);
          const marks = placed({ head, items }).replace(/[^*!]/g, '');
          expect(marks.length).toBeLessThanOrEqual(4);
          expect(marks).toMatch(/^!*\**$/);
          const places = after.items.flatMap(({ parts }, at) => (parts.some(({ cache }) => cache) ? [at] : []));
          const isWithinLookback = (place: number) =>
            place >= end && after.items.slice(end, place).flatMap(({ parts }) => parts).length <= 20;
          if (end >= 0) expect(places.some(isWithinLookback)).toBe(true);
          end = after.items.findLastIndex(({ role, parts }) => role !== 'assistant' && !isBlank(parts));
        }
      },
    ),
    runs(200),
  );
});

function isBlank(parts: readonly Part[]): boolean {
  return parts.every((part) => part.type === 'text' && part.text.trim() === '');
}

test('placeBreakpoints has a caller: requests of the agent get them by the same choice as prompts', () => {
  // A7: behind the head, the newest question and the last results of the newest rounds; older turns get none.
  expect(placed({ items: 'uctauctctctt' })).toBe('|s*|uctau*ctct*ctt*');
});
