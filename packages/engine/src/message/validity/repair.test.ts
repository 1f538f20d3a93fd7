import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '../../testing/judge/index.ts';
import { runs } from '../../testing/runs.ts';
import { writeRequest } from '../document.ts';
import { type Dialect, dialects, type Message, type Part } from '../message.ts';
import { brokenMessages } from '../messages.arbitrary.ts';
import { check } from './check.ts';
import { repair } from './repair.ts';

const envelope: { readonly [D in Dialect]: object } = {
  anthropic: { model: 'claude-opus-5', max_tokens: 1024, thinking: { type: 'adaptive' } },
  'openai-chat': { model: 'gpt-5' },
  'openai-responses': { model: 'gpt-5' },
  gemini: {},
};

function verdict(messages: readonly Message[], dialect: Dialect) {
  const body = { ...envelope[dialect], ...writeRequest({ dialect, conversation: { head: [], messages, tools: [] } }) };
  return judge({ dialect, body });
}

const partsOf = (messages: readonly Message[]): Part[] => messages.flatMap((message) => [...message.parts]);
/** The words of a list: every text and every argument, without the one sentence that repair may add. */
const wordsOf = (messages: readonly Message[]): string[] =>
  partsOf(messages)
    .flatMap((part) => (part.type === 'tool_result' ? [...part.content] : [part]))
    .flatMap((part) => (part.type === 'text' || part.type === 'thinking' ? [part.text] : []))
    .map((text) => text.toWellFormed())
    .filter((text) => text !== 'no result recorded');

describe.each(dialects)('repair for %s', (dialect) => {
  it('gives a list that passes the check and the independent judge', () => {
    fc.assert(
      fc.property(brokenMessages(), (broken) => {
        const { messages } = repair(broken, dialect);
        fc.pre(messages.some((message) => message.role === 'user'));
        expect(check(messages, dialect)).toEqual([]);
        expect(verdict(messages, dialect)).toEqual({ legal: true });
      }),
      runs(10_000),
    );
  });

  it('leaves a legal list alone, so that doing it twice changes nothing', () => {
    fc.assert(
      fc.property(brokenMessages(), (broken) => {
        const once = repair(broken, dialect).messages;
        const twice = repair(once, dialect);
        expect(twice.repairs).toEqual([]);
        expect(twice.messages).toEqual(once);
      }),
      runs(2_000),
    );
  });

  it('gives the same for messages that were in other lists before', () => {
    fc.assert(
      fc.property(brokenMessages(), fc.nat(), (broken, at) => {
        const fresh = repair(structuredClone(broken), dialect);
        for (const before of dialects) repair(broken.slice(0, at % (broken.length + 1)), before);
        expect(repair(broken, dialect)).toEqual(fresh);
      }),
      runs(400),
    );
  });

  it('invents nothing but the result of a call that has none', () => {
    fc.assert(
      fc.property(brokenMessages(), (broken) => {
        const before = new Set(wordsOf(broken));
        const after = wordsOf(repair(broken, dialect).messages);
        expect(after.filter((text) => !before.has(text))).toEqual([]);
      }),
      runs(2_000),
    );
  });
});
