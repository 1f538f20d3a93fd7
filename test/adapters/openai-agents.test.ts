import { Agent, type AgentInputItem, handoff } from '@openai/agents';
import { createLonghaul } from 'longhaul';
import { longhaulSession } from 'longhaul/adapters/openai-agents';
import { createMemoryStore } from 'longhaul/session';
import { type LoopbackOptions, startLoopback } from 'longhaul/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../../examples/openai-agents/agent.ts';
import { longRun } from './long-run.ts';

async function start(options: LoopbackOptions = {}) {
  const loopback = await startLoopback(options);
  const store = createMemoryStore();
  const open = async () => await (await createLonghaul({ store })).open('conversation');
  const session = await open();
  const { window } = options;
  const settings = { baseURL: `${loopback.url}/v1`, apiKey: 'k', read: (path: string) => `Text of ${path}.` };
  const example = createAgent({ session, ...settings, ...(window !== undefined && { window }) });
  return { loopback, session, open, example, [Symbol.asyncDispose]: () => loopback.close() };
}

const typesOf = (items: readonly AgentInputItem[]) => items.map((item) => ('role' in item ? item.role : item.type));

it('works through many tool turns', async () => {
  const figures = await longRun(({ url, ...input }) => createAgent({ baseURL: `${url}/v1`, apiKey: 'k', ...input }));
  console.log(`openai-agents: ${figures}`);
  expect(figures).toContain('requests');
});

describe('longhaulSession', () => {
  it('gives items back as they were added, also after a restart', async () => {
    await using at = await start();
    const items: AgentInputItem[] = [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image: 'data:image/png;base64,iVBORw0KGgo=' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        content: [{ type: 'input_text', text: 'Hm.' }],
        providerData: { encrypted_content: 'x' },
      },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I will.' }],
      },
      { type: 'function_call', id: 'fc_1', callId: 'c1', name: 'read', arguments: '{"path":"a"}', status: 'completed' },
      {
        type: 'function_call_result',
        callId: 'c1',
        name: 'read',
        status: 'completed',
        output: { type: 'text', text: 'A.' },
      },
      { type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call', status: 'completed' },
      { role: 'user', content: 'Thanks.' },
    ];
    await longhaulSession(at.session).addItems(items);
    const memory = longhaulSession(await at.open());
    expect(await memory.getItems()).toEqual(
      items.map((item) => ('role' in item ? { type: 'message', ...item } : item)),
    );
    expect(await memory.getItems(2)).toHaveLength(2);
    expect(await memory.getSessionId()).toBe('conversation');
  });

  it('popItem and clearSession take items out of the history; the log keeps them', async () => {
    await using at = await start();
    const memory = longhaulSession(at.session);
    await memory.addItems([
      { role: 'user', content: 'One.' },
      { role: 'user', content: 'Two.' },
    ]);
    expect(await memory.popItem()).toMatchObject({ content: 'Two.' });
    expect(await memory.getItems()).toMatchObject([{ content: 'One.' }]);
    await memory.clearSession();
    expect(await memory.getItems()).toEqual([]);
    expect(await memory.popItem()).toBeUndefined();
    const all = await at.session.engine.session.read({ types: ['message'] });
    expect(JSON.stringify(all)).toContain('Two.');
    await memory.addItems([{ role: 'user', content: 'Three.' }]);
    expect(await memory.getItems()).toMatchObject([{ content: 'Three.' }]);
  });
});

describe('a run with session and input filter', () => {
  const call = { toolCalls: [{ name: 'read', arguments: { path: 'a.ts' } }] };

  it('stores every item once, also in a stream, and goes on after a restart', async () => {
    await using at = await start({ script: [call, { text: 'Done.' }, call, { text: 'Again.' }] });
    expect(await at.example.ask('Read.')).toBe('Done.');
    const items = await at.example.memory.getItems();
    expect(typesOf(items)).toEqual(['user', 'function_call', 'function_call_result', 'assistant']);
    const streamed = await at.example.runner.run(at.example.agent, 'Once more.', {
      session: at.example.memory,
      stream: true,
    });
    await streamed.completed;
    expect(streamed.finalOutput).toBe('Again.');
    const memory = longhaulSession(await at.open());
    expect(typesOf(await memory.getItems())).toEqual([...typesOf(items), ...typesOf(items)]);
    expect(at.loopback.requests.every(({ verdict }) => verdict?.legal)).toBe(true);
  });

  it('stores nothing that the filter made: the history is complete after compactions', async () => {
    const details = 'Details. '.repeat(500);
    await using at = await start({ window: 8_000, script: ({ index }) => ({ text: `Answer ${index}. ${details}` }) });
    for (let n = 0; n < 8; n += 1) await at.example.ask(`Question ${n}. ${details}`);
    const path = await at.session.engine.session.path();
    expect(path.filter(({ type }) => type === 'compaction').length).toBeGreaterThan(0);
    const items = await at.example.memory.getItems();
    expect(typesOf(items)).toEqual(Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? 'user' : 'assistant')));
    expect(JSON.stringify(items)).not.toContain('was compacted');
  });

  it('hands off to another agent, with its instructions', async () => {
    await using at = await start({
      script: [{ toolCalls: [{ name: 'transfer_to_Reviewer', arguments: {} }] }, { text: 'Looks good.' }],
    });
    const reviewer = new Agent({ name: 'Reviewer', instructions: 'Review.', model: 'gpt-4.1' });
    const triage = new Agent({
      name: 'Triage',
      instructions: 'Triage.',
      model: 'gpt-4.1',
      handoffs: [handoff(reviewer)],
    });
    const { finalOutput } = await at.example.runner.run(triage, 'Review this.', { session: at.example.memory });
    expect(finalOutput).toBe('Looks good.');
    expect(at.loopback.requests.map(({ body }) => (body as { instructions: string }).instructions)).toEqual([
      'Triage.',
      'Review.',
    ]);
    expect(at.loopback.requests.every(({ verdict }) => verdict?.legal)).toBe(true);
  });

  it('with previousResponseId, where the provider holds the conversation, only what is new is sent', async () => {
    await using at = await start({ script: [{ text: 'First.' }, call, { text: 'Second.' }] });
    const { runner, agent } = at.example;
    const first = await runner.run(agent, 'Hi.');
    const previousResponseId = first.lastResponseId ?? '';
    const second = await runner.run(agent, 'Read a.ts.', { previousResponseId });
    expect(second.finalOutput).toBe('Second.');
    const inputs = at.loopback.requests.map(({ body }) => (body as { readonly input: readonly unknown[] }).input);
    expect(inputs.map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  it('errors and aborts pass through, and the conversation goes on', async () => {
    await using at = await start({
      script: ({ index }) =>
        index === 0
          ? { failure: 'auth' }
          : { text: 'Slow. '.repeat(40), transport: index === 1 ? { delayMs: 30, chunkBytes: 20 } : {} },
    });
    await expect(at.example.ask('Hi.')).rejects.toMatchObject({ status: 401 });
    const controller = new AbortController();
    const running = at.example.ask('Hi again.', { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(running).rejects.toThrow();
    expect(await at.example.ask('And now?')).toContain('Slow.');
    expect(at.loopback.requests.every(({ verdict }) => verdict?.legal !== false)).toBe(true);
  });
});
