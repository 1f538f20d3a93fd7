import { describe, expect, it } from 'vitest';
import { collect, type ModelEvent, type ModelRequest } from '../models/index.ts';
import { createClock } from './clock.ts';
import { scriptedModel } from './scripted-model.ts';

const request: ModelRequest = { head: [], items: [], tools: [], options: {} };

async function events(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  return Array.fromAsync(stream);
}

describe('a scripted model keeps the contract of the real ones', () => {
  it('streams reasoning, text and calls in deltas, and the whole at its end', async () => {
    const model = scriptedModel({
      chunk: 3,
      script: [{ thinking: 'let me', text: 'Looking.', toolCalls: [{ name: 'read', arguments: { path: 'a.ts' } }] }],
    });
    const all = await events(model.stream(request));
    const text = all.map((event) => (event.type === 'text' ? event.delta : '')).join('');
    expect(text).toBe('Looking.');
    expect(all.filter((event) => event.type === 'end')).toHaveLength(1);
    expect(all.at(-1)).toMatchObject({
      type: 'end',
      reason: 'tool_calls',
      message: {
        parts: [
          { text: 'let me' },
          { text: 'Looking.' },
          { id: 'call_0_0', name: 'read', arguments: '{"path":"a.ts"}' },
        ],
      },
    });
  });

  it('records its requests and answers by function', async () => {
    const model = scriptedModel({ script: (_, index) => ({ text: `answer ${index}` }) });
    await collect(model.stream(request));
    const { message } = await collect(model.stream(request));
    expect(message.parts).toMatchObject([{ text: 'answer 1' }]);
    expect(model.requests).toHaveLength(2);
  });

  it('ends aborted, with its content so far, when the signal aborts', async () => {
    const controller = new AbortController();
    const model = scriptedModel({ chunk: 1, script: [{ text: 'abc' }] });
    const seen: ModelEvent[] = [];
    for await (const event of model.stream({ ...request, signal: controller.signal })) {
      seen.push(event);
      if (seen.length === 2) controller.abort();
    }
    expect(seen.at(-1)).toMatchObject({ type: 'end', reason: 'aborted', message: { parts: [{ text: 'ab' }] } });
  });

  it('ends aborted between two calls: the first is complete, the second never starts', async () => {
    const controller = new AbortController();
    const model = scriptedModel({ script: [{ toolCalls: [{ name: 'read' }, { name: 'write' }] }] });
    const seen: ModelEvent[] = [];
    for await (const event of model.stream({ ...request, signal: controller.signal })) {
      seen.push(event);
      if (event.type === 'tool_call') controller.abort();
    }
    expect(seen.map(({ type }) => type)).toEqual(['tool_call_start', 'tool_call_delta', 'tool_call', 'end']);
    const { parts } = (seen.at(-1) as Extract<ModelEvent, { type: 'end' }>).message;
    expect(seen.at(-1)).toMatchObject({ reason: 'aborted' });
    expect(parts).toMatchObject([{ type: 'tool_call', name: 'read' }]);
    expect(parts).toHaveLength(1);
  });

  it('fails with a value: by script, without one, and when the script itself throws', async () => {
    const model = scriptedModel({ script: [{ text: 'so far', failure: 'overflow' }] });
    const first = await collect(model.stream(request));
    expect(first.end).toMatchObject({ reason: 'failed', failure: { kind: 'overflow', retryable: false } });
    expect(first.message.parts).toMatchObject([{ text: 'so far' }]);
    const second = await collect(model.stream(request));
    expect(second.end.failure?.message).toBe('The script has no answer for request 2.');
    const broken = scriptedModel({
      script: () => {
        throw new Error('no idea');
      },
    });
    expect((await collect(broken.stream(request))).end.failure?.message).toContain('no idea');
  });

  it('waits on the given clock', async () => {
    const clock = createClock();
    const model = scriptedModel({ clock, script: [{ text: 'late', delayMs: 60_000 }] });
    const answer = collect(model.stream(request));
    await clock.advance(59_999);
    expect(clock.sleepers).toBe(1);
    await clock.advance(1);
    expect((await answer).message.parts).toMatchObject([{ text: 'late' }]);
  });
});
