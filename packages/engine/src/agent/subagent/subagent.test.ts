import { describe, expect, test } from 'vitest';
import { createEngine, rulesOn } from '../../compaction/index.ts';
import { createMemoryStore } from '../../session/index.ts';
import { characterTokenizer } from '../../testing/index.ts';
import type { AgentEvent, EventSource } from '../event.ts';
import { all, begin, endOf, names } from '../fixtures/agent.ts';
import { says, toolOf, writes } from '../fixtures/tools.ts';

const task = {
  name: 'task',
  arguments: { description: 'count the files', prompt: 'You must never stop. Count all files.' },
};

async function withSub(script: Parameters<typeof begin>[0], more = {}) {
  const store = createMemoryStore();
  const engine = await createEngine({ store, tokenizer: characterTokenizer });
  return await begin({ store, subagents: { engine, ...more }, ...script });
}

describe('work that is handed to another agent', () => {
  test('is done in a session of its own that names its owner; only the last words come back', async () => {
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

  test('what it is told stands in its head and is nobody’s rule: a model wrote it', async () => {
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

  test('has no further helpers of its own, and the same permissions', async () => {
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

  test('that comes to the end of its turns, or fails, is an error that the model can read', async () => {
    const { agent, model } = await withSub(
      {
        script: [{ toolCalls: [task] }, { toolCalls: [{ name: 'look' }] }, { text: 'I see.' }],
        tools: [toolOf({ name: 'look' })],
      },
      { maxTurns: 1 },
    );
    await all(agent.run({ prompt: 'Go.' }));
    expect(JSON.stringify(model.requests.at(-1)?.items)).toContain('end of its turns');
  });

  test('ends with the run that it belongs to', async () => {
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
