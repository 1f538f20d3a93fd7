import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { compacted, event, message, oneTurn, sessionMeta, typed } from '../fixtures/codex-file.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });

describe('a file that grows', () => {
  const whole = [...oneTurn(), compacted([message('user', ['List the files.'])]), ...typed('And now?')];

  test('is the same session with the same context, wherever it stood before', async () => {
    const { sent, entries } = await read(whole);
    for (let length = 1; length < whole.length; length += 1) {
      const { store, session } = await read(whole.slice(0, length));
      const grown = await bringIn({ text: jsonl(whole), store });
      expect(grown.session).toBe(session);
      expect(grown.sent).toEqual(sent);
      expect(await bringIn({ text: jsonl(whole), store })).toMatchObject({ session, added: 0 });
    }
    expect(entries.length).toBeGreaterThan(10);
  });

  test('what looks like the client’s may turn out to be typed: the line after it tells', async () => {
    const text = '<note>\nMind the gap.\n</note>';
    const [said = {}, echo = {}] = typed(text);
    const half = await read([sessionMeta(), said]);
    expect(half.entries.at(-1)).toMatchObject({
      details: { unfinished: true },
      message: { parts: [{ origin: 'engine' }] },
    });
    const grown = await bringIn({ text: jsonl([sessionMeta(), said, echo]), store: half.store });
    expect(grown.session).toBe(half.session);
    expect(grown.sent).toEqual(['system: You are Codex.', `user: ${text}`]);
    expect(grown.live.context.items[1]?.message.parts).toMatchObject([{ origin: 'human' }]);
  });
});

describe('a file that harm was done to', () => {
  const whole = [
    ...oneTurn(),
    compacted([message('user', ['List the files.'])]),
    event('thread_rolled_back', { num_turns: 1 }),
  ];

  test('is read into a sound log or refused', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(harmed(whole), torn(whole)), expectSound), runs(150));
  });
});
