import { expect, test } from 'vitest';
import { assistant, type Message } from '../message/index.ts';
import { collect } from './collect.ts';
import type { ModelEvent } from './model.ts';

const message: Message = assistant('hello');

async function* stream(events: readonly ModelEvent[], error?: unknown): AsyncGenerator<ModelEvent> {
  yield* events;
  if (error !== undefined) throw error;
}

test('the end event carries the message; the last usage counts', async () => {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const answer = await collect(
    stream([
      { type: 'usage', usage },
      { type: 'text', delta: 'hello' },
      { type: 'usage', usage: { ...usage, output: 2 } },
      { type: 'end', reason: 'stop', message },
    ]),
  );
  expect(answer).toEqual({ message, usage: { ...usage, output: 2 }, end: { type: 'end', reason: 'stop', message } });
});

test('nothing is read after the end, and the stream is closed', async () => {
  let closed = false;
  async function* long(): AsyncGenerator<ModelEvent> {
    try {
      yield { type: 'end', reason: 'stop', message };
      yield { type: 'end', reason: 'length', message };
    } finally {
      closed = true;
    }
  }
  expect((await collect(long())).end.reason).toBe('stop');
  expect(closed).toBe(true);
});

test('a stream that stops early becomes a network failure with what had come', async () => {
  const call = { type: 'tool_call', origin: 'model', id: 'c1', name: 'read', arguments: '{}' } as const;
  const answer = await collect(
    stream([
      { type: 'thinking', delta: 'let ' },
      { type: 'thinking', delta: 'me' },
      { type: 'text', delta: 'hel' },
      { type: 'text', delta: 'lo' },
      { type: 'tool_call_start', id: 'c1', name: 'read' },
      { type: 'tool_call_delta', id: 'c1', delta: '{}' },
      { type: 'tool_call', call },
    ]),
  );
  expect(answer.message.parts).toEqual([
    { type: 'thinking', origin: 'model', text: 'let me' },
    { type: 'text', origin: 'model', text: 'hello' },
    call,
  ]);
  expect(answer.end).toMatchObject({ reason: 'failed', failure: { kind: 'network', retryable: true } });
});

test('a stream that throws against the contract becomes a failed answer', async () => {
  const answer = await collect(stream([], new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })));
  expect(answer.end).toMatchObject({ reason: 'failed', failure: { kind: 'network' } });
});

test('a stream that throws an abort ends as aborted', async () => {
  const answer = await collect(stream([{ type: 'text', delta: 'hel' }], new DOMException('aborted', 'AbortError')));
  expect(answer.end.reason).toBe('aborted');
  expect(answer.message.parts).toHaveLength(1);
});
