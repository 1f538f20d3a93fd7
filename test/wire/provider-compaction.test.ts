import { createEngine, type EngineSession } from 'longhaul/engine';
import { type Message, type Part, system } from 'longhaul/message';
import { collect, type Model, type ModelEvent, readCompactionSignals } from 'longhaul/models';
import { createMemoryStore } from 'longhaul/session';
import type { LoopbackExchange } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { connect, say } from './connect.ts';

const head: Message[] = [system('Be brief.')];
const compactions = (messages: readonly Message[]): Part[] =>
  messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'opaque' && part.kind === 'compaction'));

/** The conversation as it was sent, without the other members of the request. */
function itemsIn(exchange: LoopbackExchange | undefined): string {
  const { messages, input } = (exchange?.body ?? {}) as { messages?: unknown; input?: unknown };
  return JSON.stringify(messages ?? input);
}

/** One turn through the engine and a real client. */
async function turn({ session, model, text }: { session: EngineSession; model: Model; text: string }) {
  const options = { maxOutputTokens: 1000, providerCompaction: { triggerTokens: 60_000 } };
  const prepared = await session.prepare({ model, head, turn: { messages: [say(text)] }, options });
  const { message, usage, end } = await collect(model.stream({ ...prepared, options }));
  if (end.failure) throw new Error(end.failure.message);
  await session.report({ usage: usage ?? { input: prepared.tokens } });
  await session.append({ type: 'message', message });
  return { prepared, message, usage };
}

async function begun(dialect: 'anthropic' | 'openai-responses') {
  const there = await connect({
    dialect,
    script: ({ index }) =>
      index === 1
        ? { compaction: `They fix clocks. ${'tick '.repeat(40)}`, text: 'On.' }
        : { text: `Answer ${index}.` },
  });
  const store = createMemoryStore();
  const engine = await createEngine({ store });
  return { there, store, session: await engine.create() };
}

describe.each(['anthropic', 'openai-responses'] as const)('what %s compacts by itself', (dialect) => {
  test('is kept in the log, goes back to it over a restart, and every request is legal', async () => {
    const { there, store, session } = await begun(dialect);
    await using _ = there;
    await turn({ session, model: there.model, text: `Never use moment.js. ${'Look at this. '.repeat(400)}` });
    const { message } = await turn({ session, model: there.model, text: 'Go on.' });
    expect(compactions([message])).toHaveLength(1);
    const again = await (await createEngine({ store })).open(session.id);
    const { prepared } = await turn({ session: again, model: there.model, text: 'And now?' });
    expect(compactions(prepared.items)).toEqual(compactions([message]));
    expect(there.loopback.requests.map(({ verdict }) => verdict?.legal)).toEqual([true, true, true]);
    expect(itemsIn(there.loopback.requests[2])).toContain('"type":"compaction"');
    // What is before it is still sent, since what is sent only grows; its provider passes it over.
    expect(prepared.report.opened).toEqual([]);
    expect(JSON.stringify(prepared.items)).toContain('moment.js');
  });

  test('makes the count smaller from what the provider reports, and never teaches it wrong', async () => {
    const { there, session } = await begun(dialect);
    await using _ = there;
    const first = await turn({ session, model: there.model, text: 'Look at this. '.repeat(2000) });
    await turn({ session, model: there.model, text: 'Go on.' });
    const third = await turn({ session, model: there.model, text: 'And now?' });
    expect(third.prepared.tokens).toBeLessThan(first.prepared.tokens / 4);
    // The provider's own count of the request that follows is within the bound.
    const input = third.usage ? third.usage.input + third.usage.cacheRead + third.usage.cacheWrite : Number.NaN;
    expect(input).toBeLessThanOrEqual(third.prepared.bound);
    const fourth = await turn({ session, model: there.model, text: 'And a text. '.repeat(300) });
    const later = fourth.usage ? fourth.usage.input + fourth.usage.cacheRead + fourth.usage.cacheWrite : Number.NaN;
    expect(later).toBeLessThanOrEqual(fourth.prepared.bound);
  });

  test('is not sent to another provider, which reads all that was said', async () => {
    const { there, session } = await begun(dialect);
    await using _ = there;
    await turn({ session, model: there.model, text: 'Never use moment.js.' });
    await turn({ session, model: there.model, text: 'Go on.' });
    await using other = await connect({ dialect: 'gemini', script: [{ text: 'Here.' }] });
    await turn({ session, model: other.model, text: 'And now?' });
    const [request] = other.loopback.requests;
    expect(request?.verdict?.legal).toBe(true);
    for (const said of ['moment.js', 'Answer 0.', 'Go on.', 'On.', 'And now?']) expect(request?.text).toContain(said);
    expect(request?.text).not.toContain('compaction');
    // And back: it is still there.
    await turn({ session, model: there.model, text: 'Back again.' });
    expect(there.loopback.requests.at(-1)).toMatchObject({ verdict: { legal: true } });
    expect(itemsIn(there.loopback.requests.at(-1))).toContain('"type":"compaction"');
  });

  test('goes when a summary of ours comes in front of it, which it would hide', async () => {
    const { there, session } = await begun(dialect);
    await using _ = there;
    await turn({ session, model: there.model, text: `Never use moment.js. ${'Look at this. '.repeat(8000)}` });
    await turn({ session, model: there.model, text: 'Go on.' });
    await turn({ session, model: there.model, text: 'And now?' });
    const result = await session.compact({ model: there.model });
    expect(result.installed).toBe(true);
    const { prepared } = await turn({ session, model: there.model, text: 'After it.' });
    expect(compactions(prepared.items)).toEqual([]);
    const sent = there.loopback.requests.at(-1);
    expect(sent).toMatchObject({ verdict: { legal: true } });
    expect(sent?.text).toContain('moment.js');
    expect(itemsIn(sent)).not.toContain('"type":"compaction"');
    await session.undo();
    await turn({ session, model: there.model, text: 'Undone.' });
    expect(there.loopback.requests.at(-1)).toMatchObject({ verdict: { legal: true } });
    expect(itemsIn(there.loopback.requests.at(-1))).toContain('"type":"compaction"');
  });

  test('is said as an event', async () => {
    const { there } = await begun(dialect);
    await using _ = there;
    const options = { maxOutputTokens: 1000, providerCompaction: {} };
    const events: ModelEvent[] = [];
    for (const _round of [0, 1])
      for await (const event of there.model.stream({ head, items: [say('Hi.')], tools: [], options }))
        events.push(event);
    const signals = events.flatMap((event) => (event.type === 'provider_compaction' ? [event.signal.kind] : []));
    expect(signals).toEqual(['compaction']);
  });
});

test('a provider that was not asked compacts nothing', async () => {
  await using there = await connect({ dialect: 'anthropic', script: [{ compaction: 'No.', text: 'Yes.' }] });
  const { message } = await collect(
    there.model.stream({ head, items: [say('Hi.')], tools: [], options: { maxOutputTokens: 10 } }),
  );
  expect(compactions([message])).toEqual([]);
});

test('context edits that Anthropic applied are said', async () => {
  const edit = { type: 'clear_tool_uses_20250919', cleared_tool_uses: 3, cleared_input_tokens: 9000 };
  await using there = await connect({ dialect: 'anthropic', script: [{ text: 'Yes.', appliedEdits: [edit] }] });
  const options = { maxOutputTokens: 10, providerCompaction: {} };
  const events: ModelEvent[] = [];
  for await (const event of there.model.stream({ head, items: [say('Hi.')], tools: [], options })) events.push(event);
  expect(events).toContainEqual({
    type: 'provider_compaction',
    signal: { kind: 'edits', name: edit.type, tokens: 9000, value: edit },
  });
});

test.each([
  ['a remote agent', { type: 'agent.thread_context_compacted' }, 'agent.thread_context_compacted', undefined],
  [
    'Claude Code',
    { type: 'system', subtype: 'compact_boundary', compact_metadata: { pre_tokens: 7 } },
    'compact_boundary',
    7,
  ],
  ['codex', { id: '1', msg: { type: 'context_compacted' } }, 'context_compacted', undefined],
])('sessions.md 11.14: the signal of %s is read', (_, value, name, tokens) => {
  const [signal] = readCompactionSignals(value);
  expect(signal).toMatchObject({ kind: 'compaction', name });
  expect(signal?.tokens).toBe(tokens);
  expect(readCompactionSignals({ type: 'message', role: 'user' })).toEqual([]);
});
