import { describe, expect, it } from 'vitest';
import { codecs, type Dialect, dialects, type Message } from '../../message/index.ts';
import type { LoopbackFailure } from '../../testing/loopback/index.ts';
import { modelInfo } from '../catalog/info.ts';
import type { FailureKind } from '../failure/failure.ts';
import { requestBody } from './create.ts';
import { ask, connect, names, result, say, system, textOf, tools } from './fixtures/connect.ts';
import { parseModelName } from './name.ts';

const speech = 'Grüße — 漢字, emoji 👩‍🚀 and “quotes”.';
const thinking = { effort: 'high' } as const;

describe.each(dialects)('the client of %s', (dialect) => {
  it('streams an answer, and the end holds it whole', async () => {
    await using at = await connect({ dialect, loopback: { script: [{ text: speech }] } });
    const { events, end } = await ask(at.model);
    expect(at.loopback.requests[0]?.verdict).toEqual({ legal: true });
    expect(textOf(events, 'text')).toBe(speech);
    expect(end).toMatchObject({
      reason: 'stop',
      message: { role: 'assistant', parts: [{ type: 'text', text: speech }] },
    });
    expect(events.filter((event) => event.type === 'end')).toHaveLength(1);
  });

  it('sends the bytes that the codec makes, and no others', async () => {
    await using at = await connect({ dialect });
    const head = [system('Be brief.')];
    const items = [say(speech), ...(await answered(dialect)), say('And now?')];
    const options = {
      thinking,
      temperature: 0.5,
      toolChoice: 'auto',
      stop: ['END'],
      metadata: { user_id: 'u' },
    } as const;
    const { end } = await ask(at.model, { items, options });
    const { model } = parseModelName(names[dialect]);
    const { info } = at.model;
    const body = requestBody({ dialect, model, info, request: { head, items, tools, options } });
    expect(at.loopback.requests.at(-1)?.text).toBe(JSON.stringify(body));
    expect(end.reason).toBe('stop');
  });

  it('reads usage', async () => {
    const usage = { input: 1000, cacheRead: 600, cacheWrite: 0, cacheWriteHour: 0, output: 70, reasoning: 40 };
    await using at = await connect({ dialect, loopback: { script: [{ text: 'Yes.', usage }] } });
    const { events } = await ask(at.model);
    const counted = events.findLast((event) => event.type === 'usage');
    expect(counted).toMatchObject({ usage: { input: 400, output: 70, cacheRead: 600, cacheWrite: 0, reasoning: 40 } });
  });

  it('reads calls, one after the other', async () => {
    const toolCalls = [
      { name: 'read', arguments: { path: 'a.ts' } },
      { name: 'read', arguments: { path: 'b "c".ts' } },
    ];
    await using at = await connect({ dialect, loopback: { script: [{ text: 'Look.', toolCalls }] } });
    const { events, end } = await ask(at.model);
    expect(end.reason).toBe('tool_calls');
    const calls = end.message.parts.filter((part) => part.type === 'tool_call');
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual(toolCalls.map((call) => call.arguments));
    expect(events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))).toEqual(calls);
    for (const call of calls) {
      const own = events.filter((event) => 'id' in event && event.id === call.id);
      expect(own[0]).toEqual({ type: 'tool_call_start', id: call.id, name: 'read' });
      const deltas = own.flatMap((event) => (event.type === 'tool_call_delta' ? [event.delta] : []));
      expect(JSON.parse(deltas.join(''))).toEqual(JSON.parse(call.arguments));
    }
  });

  it('carries a megabyte of arguments', async () => {
    const content = 'ä"\\\n'.repeat(180_000);
    const toolCalls = [{ name: 'read', arguments: { path: content } }];
    await using at = await connect({ dialect, loopback: { script: [{ toolCalls }] } });
    const { end } = await ask(at.model);
    const [call] = end.message.parts;
    expect(end.reason).toBe('tool_calls');
    expect(call?.type === 'tool_call' && JSON.parse(call.arguments).path === content).toBe(true);
  });

  it('gives thoughts, calls and texts back as they came, over several turns, and each request is legal', async () => {
    const script = [
      { thinking: 'First I look.', text: 'Let me see.', toolCalls: [{ name: 'read', arguments: { path: 'a' } }] },
      { thinking: 'Then I look again.', toolCalls: [1, 2].map((n) => ({ name: 'read', arguments: { path: `${n}` } })) },
      { thinking: 'Now I know.', text: 'Done.' },
      { thinking: 'Again.', text: 'Still done.' },
    ];
    await using at = await connect({ dialect, loopback: { script, bindThinking: true } });
    const items: Message[] = [say('Do it.')];
    for (const said of script) {
      const { events, end } = await ask(at.model, { items, options: { thinking } });
      expect(at.loopback.requests.at(-1)?.verdict).toEqual({ legal: true });
      expect(textOf(events, 'thinking')).toBe(said.thinking);
      items.push(end.message);
      const calls = end.message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
      for (const id of calls) items.push(result(id, `result of ${id}`));
      if (calls.length === 0) items.push(say('And?'));
    }
    const { end } = await ask(at.model, { items, options: { thinking } });
    expect(end.reason).toBe('stop');
    const sealed = /"(signature|encrypted_content|thoughtSignature|reasoning_content)":/g;
    expect(at.loopback.requests.at(-1)?.text.match(sealed)?.length).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['length', 'length'],
    ['refused', 'refused'],
  ] as const)('ends as %s', async (stop, reason) => {
    await using at = await connect({ dialect, loopback: { script: [{ text: 'Well', stop }] } });
    expect((await ask(at.model)).end.reason).toBe(reason);
  });

  it.each(['conversation-compaction', 'title'])('tags a call for %s', async (purpose) => {
    await using at = await connect({ dialect });
    await ask(at.model, { options: { purpose } });
    await ask(at.model, { options: { purpose: 'conversation' } });
    await ask(at.model);
    const tags = at.loopback.requests.map(({ headers }) => headers['x-interaction-type']);
    expect(tags).toEqual([purpose, undefined, undefined]);
  });
});

const kinds: readonly (readonly [LoopbackFailure, FailureKind])[] = [
  ['overflow', 'overflow'],
  ['rate', 'rate'],
  ['quota', 'quota'],
  ['auth', 'auth'],
  ['invalid', 'invalid'],
  ['server', 'network'],
  ['overloaded', 'rate'],
  ['network', 'network'],
];

describe.each(dialects)('a failure of %s', (dialect) => {
  it.each(kinds)('%s is %s, and the request goes out once', async (failure, kind) => {
    await using at = await connect({ dialect, loopback: { script: () => ({ failure, retryAfter: 7 }) } });
    const { events, end } = await ask(at.model);
    expect(end).toMatchObject({ reason: 'failed', failure: { kind }, message: { parts: [] } });
    expect(events).toHaveLength(1);
    expect(at.loopback.requests).toHaveLength(1);
    if (failure === 'rate') expect(end.failure).toMatchObject({ delayMs: 7000, retryable: true });
  });

  it.each(kinds.filter(([failure]) => failure !== 'network'))('%s inside a stream is %s', async (failure, kind) => {
    await using at = await connect({ dialect, loopback: { script: [{ failure, late: true }] } });
    const { end } = await ask(at.model);
    expect(end).toMatchObject({ reason: 'failed', failure: { kind } });
  });

  it('of a key names no key', async () => {
    await using at = await connect({ dialect, loopback: { apiKey: 'right' }, apiKey: 'wrong-key-0123456789' });
    const { end } = await ask(at.model);
    expect(end).toMatchObject({ reason: 'failed', failure: { kind: 'auth', retryable: false } });
    expect(JSON.stringify(end)).not.toContain('wrong-key');
  });

  it('of a closed port is a network failure', async () => {
    const at = await connect({ dialect });
    await at.loopback.close();
    expect((await ask(at.model)).end).toMatchObject({
      reason: 'failed',
      failure: { kind: 'network', retryable: true },
    });
  });
});

/** An answer of this dialect with a call and its result, as a client reads it. */
async function answered(dialect: Dialect): Promise<readonly Message[]> {
  const script = [{ thinking: 'Hm.', text: 'So.', toolCalls: [{ name: 'read', arguments: { path: 'a' } }] }];
  await using at = await connect({ dialect, loopback: { script, secret: 'same' } });
  const { end } = await ask(at.model, { options: { thinking } });
  const [call] = end.message.parts.filter((part) => part.type === 'tool_call');
  expect(codecs[dialect].encode([end.message])).not.toEqual([]);
  // Another server would not know its seals.
  const parts = end.message.parts.filter((part) => part.type !== 'thinking');
  return call ? [{ ...end.message, parts }, result(call.id, 'text')] : [];
}

it('the suite asks models that the tables know', () => {
  for (const name of Object.values(names)) {
    const { provider, model } = parseModelName(name);
    expect(modelInfo({ provider, name: model }).known).toBe(true);
  }
});
