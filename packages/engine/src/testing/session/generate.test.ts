import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check, dialects, writeRequest } from '../../message/index.ts';
import { judge } from '../judge/index.ts';
import { runs } from '../runs.ts';
import { generateSession } from './generate.ts';
import { sessionTools } from './tools.ts';

const kinds = (seed: number) => {
  const session = generateSession({ seed, turns: 40, thinking: 'anthropic', imageRate: 0.3 });
  return session.flatMap(({ parts }) => parts);
};

describe('generated sessions', () => {
  it('are the same for the same seed and differ for another', () => {
    expect(generateSession({ seed: 5 })).toEqual(generateSession({ seed: 5 }));
    expect(generateSession({ seed: 5 })).not.toEqual(generateSession({ seed: 6 }));
  });

  it.each(dialects)('are valid for %s by our check and by the judge', (dialect) => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(undefined, ...dialects), (seed, thinking) => {
        const messages = generateSession({ seed, ...(thinking && { thinking }) });
        expect(check(messages, dialect)).toEqual([]);
        const request = writeRequest({ dialect, conversation: { head: [], messages, tools: sessionTools } });
        expect(
          judge({
            dialect,
            body: {
              ...(dialect === 'gemini' ? {} : { model: 'any' }),
              ...(dialect === 'anthropic' && { max_tokens: 9 }),
              ...request,
            },
          }),
        ).toEqual({ legal: true });
      }),
      runs(200),
    );
  });

  it('contain what real sessions contain: parallel calls, failures, images, reasoning, shell output in user messages', () => {
    const parts = kinds(1);
    const results = parts.filter((part) => part.type === 'tool_result');
    expect(results.some((part) => part.isError)).toBe(true);
    expect(results.some((part) => part.content.some(({ type }) => type === 'image'))).toBe(true);
    expect(parts.some((part) => part.type === 'thinking' && part.signature)).toBe(true);
    const users = generateSession({ seed: 1, turns: 40 }).filter(({ role }) => role === 'user');
    expect(users.some((message) => message.parts.some(({ origin }) => origin === 'tool'))).toBe(true);
    const answers = generateSession({ seed: 1, turns: 40 }).filter(({ role }) => role === 'assistant');
    expect(answers.some((message) => message.parts.filter(({ type }) => type === 'tool_call').length > 1)).toBe(true);
  });

  it('have an output of the requested size', () => {
    const messages = generateSession({ seed: 3, turns: 8, huge: { every: 4, lines: 20_000 } });
    expect(JSON.stringify(messages).length).toBeGreaterThan(1_000_000);
  });
});
