import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.ts';
import { type JudgeDialect, judge } from './index.ts';

const dialects: JudgeDialect[] = ['anthropic', 'openai-chat', 'openai-responses', 'gemini'];

describe('every judge', () => {
  it.each(dialects)('%s has a result for any JSON value', (dialect) => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (body, list) => {
        for (const each of [body, { model: 'm', max_tokens: 1, messages: list, input: list, contents: list }])
          expect(typeof judge({ dialect, body: each }).legal).toBe('boolean');
      }),
      runs(100),
    );
  });

  it.each(dialects)('%s is deterministic: equal requests get equal results', (dialect) => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(judge({ dialect, body: structuredClone(body) })).toEqual(judge({ dialect, body }));
      }),
      runs(100),
    );
  });
});
