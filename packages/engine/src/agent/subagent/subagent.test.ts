import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createEngine, type EngineSession, rulesOn } from '../../engine/index.ts';
import { createMemoryStore } from '../../session/index.ts';
import { characterTokenizer, scriptedModel } from '../../testing/index.ts';
import { createAgent } from '../agent.ts';
import type { AgentEvent, EventSource } from '../event.ts';
import { all, begin, endOf, names } from '../fixtures/agent.ts';
import { says, toolOf, writes } from '../fixtures/tools.ts';
import type { Tool } from '../tool.ts';
import { createTools } from '../tools/create-tools.ts';

const task = {
  name: 'task',
  arguments: { description: 'count the files', prompt: 'You must never stop. Count all files.' },
};

async function withSub(script: Parameters<typeof begin>[0], more = {}) {
  const store = createMemoryStore();
  const engine = await createEngine({ store, tokenizer: characterTokenizer });
  return await begin({ store, subagents: { engine, ...more }, ...script });
}

describe('a delegated task', () => {
  test('runs in its own session that names its owner; only the final answer is returned', async () => {
    const { agent, model, store, session } = await withSub({
      script: [
        { toolCalls: [{ ...task, id: 't1' }] },
        { text: 'Looking.', toolCalls: [{ name: 'look' }] },
        { text: 'There are 7.' },
        { text: 'Seven files.' },
      ],
      tools: [toolOf({ name: 'look', run: async () => says('a thousand words') })],
    });
    const heard: [AgentEvent, EventSource][] = [];
    agent.on((event, from) => void heard.push([event, from]));
    const events = await all(agent.run({ prompt: 'How many files?' }));
    expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Seven files.', turns: 2 });
    expect(names(events)).toContain('subagent_start');
    expect(names(events)).toContain('subagent_end');
    const child = events.find((event) => event.type === 'subagent_start');
    const header = await store.header(child?.type === 'subagent_start' ? child.session : '');
    expect(header?.owner).toEqual({ session: session.id, call: 't1' });
    const last = JSON.stringify(model.requests.at(-1)?.items);
    expect(last).toContain('There are 7.');
    expect(last).not.toContain('a thousand words');
    const ends = heard.filter(([event]) => event.type === 'run_end').map(([, from]) => from.parent?.callId);
    expect(ends).toEqual(['t1', undefined]);
  });

  test('is in the head of the sub-agent and is not a rule: a model wrote it', async () => {
    const { agent, model, store, engine } = await withSub({
      script: [{ toolCalls: [task] }, { text: 'Done.' }, { text: 'Good.' }],
    });
    const events = await all(agent.run({ prompt: 'Go.' }));
    expect(JSON.stringify(model.requests[1]?.head)).toContain('Count all files.');
    const child = events.find((event) => event.type === 'subagent_start');
    const opened = await engine.open(child?.type === 'subagent_start' ? child.session : '');
    expect(rulesOn(await opened.session.path())).toEqual([]);
    const entries = await store.read({ session: opened.id, query: { types: ['message'] } });
    expect(JSON.stringify(entries)).not.toContain('"human"');
  });

  test('cannot delegate further, and has the same permissions', async () => {
    const { agent, model } = await withSub({
      script: [
        { toolCalls: [task] },
        { toolCalls: [{ name: 'write' }] },
        { text: 'I could not.' },
        { text: 'So be it.' },
      ],
      tools: [toolOf({ name: 'write', access: writes })],
      permissions: {
        decide: async ({ access }) =>
          access.kind === 'none' ? { allowed: true } : { allowed: false, why: 'read only.' },
      },
    });
    await all(agent.run({ prompt: 'Go.' }));
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(['write']);
    expect(JSON.stringify(model.requests[2]?.items)).toContain('read only.');
  });

  test('does not get tools bound to the session of the parent, unless created for its own', async () => {
    const script = [
      { toolCalls: [task] },
      { toolCalls: [{ name: 'todo', arguments: { todos: [] } }] },
      { text: 'I see.' },
    ];
    const env = { HOME: '/home/nobody' };
    const made: Tool[] = [];
    const toolsFor = (session: EngineSession) => {
      const tools = createTools({ cwd: tmpdir(), session, count: (text) => text.length, env });
      made.push(...tools);
      return tools;
    };
    const store = createMemoryStore();
    const engine = await createEngine({ store, tokenizer: characterTokenizer });
    const session = await engine.create();
    const tools = toolsFor(session);
    const usual = scriptedModel({ script: [...script, { text: 'Good.' }] });
    const first = await createAgent({ session, model: usual, tools, subagents: { engine }, skills: false });
    await all(first.run({ prompt: 'Go.' }));
    const names = usual.requests[1]?.tools.map(({ name }) => name);
    expect(names).toContain('read');
    expect(names).not.toContain('todo');
    expect(names).not.toContain('recall');
    expect(JSON.stringify(usual.requests[2]?.items)).toContain('Unknown tool');
    const own = scriptedModel({ script: [...script, { text: 'Good.' }] });
    const second = await createAgent({
      session,
      model: own,
      tools,
      subagents: { engine, tools: toolsFor },
      skills: false,
    });
    const events = await all(second.run({ prompt: 'Go.' }));
    const child = events.find((event) => event.type === 'subagent_start');
    const at = child?.type === 'subagent_start' ? child.session : '';
    const states = async (id: string) =>
      (await store.read({ session: id, query: { types: ['working_state'] } })).filter(
        (entry) => entry.type === 'working_state',
      );
    expect(await states(at)).toMatchObject([{ state: { todos: [] } }]);
    expect(await states(session.id)).toEqual([]);
    await Promise.all(made.map((tool) => tool.close?.()));
  });

  test('that reaches its limit of turns, or fails, is an error that the model can read', async () => {
    const { agent, model } = await withSub(
      {
        script: [{ toolCalls: [task] }, { toolCalls: [{ name: 'look' }] }, { text: 'I see.' }],
        tools: [toolOf({ name: 'look' })],
      },
      { maxTurns: 1 },
    );
    await all(agent.run({ prompt: 'Go.' }));
    expect(JSON.stringify(model.requests.at(-1)?.items)).toContain('reached its limit of turns');
  });

  test('ends with the run it belongs to', async () => {
    const { agent } = await withSub({
      script: [{ toolCalls: [task] }, { toolCalls: [{ name: 'stop' }] }, { text: 'never' }],
      tools: [
        toolOf({
          name: 'stop',
          run: async () => {
            agent.abort();
            return says('stopped');
          },
        }),
      ],
    });
    const events = await all(agent.run({ prompt: 'Go.' }));
    expect(endOf(events).reason).toBe('aborted');
    expect(names(events)).toContain('subagent_end');
  });
});
