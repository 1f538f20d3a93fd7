import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { generateSession } from '../../testing/session/generate.ts';
import { dialects, type Message } from '../message.ts';
import { codecs } from './index.ts';

/** Where a request could have been sent: after a user message, or after the last result of a batch. */
function sendable(messages: readonly Message[]): number[] {
  return messages.flatMap((message, index) =>
    message.role !== 'assistant' && messages[index + 1]?.role !== 'tool' ? [index + 1] : [],
  );
}

describe.each(dialects)('a conversation that grows, in %s', (dialect) => {
  it('keeps the bytes of every request that was sent before', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(undefined, ...dialects),
        fc.constantFrom(...dialects),
        (seed, thinking, from) => {
          const born = generateSession({ seed, turns: 4, imageRate: 0.3, ...(thinking && { thinking }) });
          const messages = seed % 2 === 0 ? born : codecs[from].decode(codecs[from].encode(born));
          const whole = codecs[dialect].encode(messages).map((item) => JSON.stringify(item));
          for (const cut of sendable(messages)) {
            const sent = codecs[dialect].encode(messages.slice(0, cut)).map((item) => JSON.stringify(item));
            expect(whole.slice(0, sent.length)).toEqual(sent);
          }
        },
      ),
      runs(100),
    );
  });
});
