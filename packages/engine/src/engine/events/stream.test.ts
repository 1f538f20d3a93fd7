import { describe, expect, test } from 'vitest';
import type { EngineEvent } from './event.ts';
import { createEventStream } from './stream.ts';

function made() {
  let clock = 0;
  return createEventStream({ session: 's1', now: () => (clock += 1) });
}

describe('the stream of events', () => {
  test('every event says what it is, of which session, and when', () => {
    const { stream, emit } = made();
    const heard: EngineEvent[] = [];
    stream.on('limit', (event) => void heard.push(event));
    stream.onAny((event) => void heard.push(event));
    emit('limit', { window: 5 });
    emit('epoch', { epoch: 'e', reason: 'prune' });
    expect(heard).toEqual([
      { type: 'limit', session: 's1', at: 1, window: 5 },
      { type: 'limit', session: 's1', at: 1, window: 5 },
      { type: 'epoch', session: 's1', at: 2, epoch: 'e', reason: 'prune' },
    ]);
  });

  test('a listener that throws does not affect others, and a removed one gets nothing', () => {
    const { stream, emit } = made();
    const heard: number[] = [];
    stream.onAny(() => {
      throw new Error('mine');
    });
    const off = stream.on('limit', ({ window }) => void heard.push(window));
    emit('limit', { window: 1 });
    off();
    emit('limit', { window: 2 });
    expect(heard).toEqual([1]);
  });

  test('is read at the reader’s own pace, from the moment it was asked for', async () => {
    const { stream, emit } = made();
    const off = new AbortController();
    const events = stream.events({ signal: off.signal });
    emit('limit', { window: 1 });
    const first = await events.next();
    const second = events.next();
    emit('limit', { window: 2 });
    expect([first.value, (await second).value]).toMatchObject([{ window: 1 }, { window: 2 }]);
    const last = events.next();
    off.abort();
    expect((await last).done).toBe(true);
    emit('limit', { window: 3 });
    expect((await events.next()).done).toBe(true);
  });

  test('events before the end are still read', async () => {
    const { stream, emit } = made();
    const off = new AbortController();
    const events = stream.events({ signal: off.signal });
    emit('limit', { window: 1 });
    off.abort();
    expect(await Array.fromAsync(events)).toMatchObject([{ window: 1 }]);
  });

  test('a reader that never reads keeps a bounded number waiting, the newest', async () => {
    const { stream, emit } = made();
    const off = new AbortController();
    const events = stream.events({ signal: off.signal, buffer: 3 });
    for (let window = 1; window <= 10_000; window += 1) emit('limit', { window });
    off.abort();
    expect(await Array.fromAsync(events)).toMatchObject([{ window: 9_998 }, { window: 9_999 }, { window: 10_000 }]);
  });

  test('leaving the loop is leaving the stream', async () => {
    const { stream, emit } = made();
    const events = stream.events();
    emit('limit', { window: 1 });
    emit('limit', { window: 2 });
    for await (const event of events) {
      expect(event).toMatchObject({ window: 1 });
      break;
    }
    emit('limit', { window: 3 });
    expect((await events.next()).done).toBe(true);
  });

  test('two readers hear the same', async () => {
    const { stream, emit } = made();
    const off = new AbortController();
    const readers = [stream.events({ signal: off.signal }), stream.events({ signal: off.signal })];
    emit('limit', { window: 1 });
    off.abort();
    const [one, two] = await Promise.all(readers.map((events) => Array.fromAsync(events)));
    expect(one).toEqual(two);
    expect(one).toHaveLength(1);
  });
});
