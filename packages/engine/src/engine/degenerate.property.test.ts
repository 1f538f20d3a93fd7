import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialects, type Message } from '../message/index.ts';
import { runs } from '../testing/runs.ts';
import { degenerateCase, prepareDegenerate } from './fixtures/degenerate.ts';
import { begin, modelOf } from './fixtures/engine.ts';

test('prepare gives a legal request or the error nothing-to-send, whatever a session consists of', async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(degenerateCase, async (given) => {
      const outcome = await prepareDegenerate(given);
      outcomes.add(outcome);
      expect(['sent', 'refused']).toContain(outcome);
    }),
    runs(300),
  );
  expect(outcomes.size).toBe(2);
});

test.each(dialects)(
  'a session of results without calls is refused with a typed error, in the dialect %s',
  async (dialect) => {
    const { session } = await begin();
    const content = [{ type: 'text', origin: 'tool', text: 'orphan' }] as const;
    const message: Message = { role: 'tool', parts: [{ type: 'tool_result', origin: 'tool', callId: 'x', content }] };
    await session.append({ type: 'message', message });
    await expect(session.prepare({ model: modelOf({ window: 9_000, dialect }) })).rejects.toMatchObject({
      code: 'nothing-to-send',
      hint: expect.stringContaining('Say something'),
    });
  },
);
