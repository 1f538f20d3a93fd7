import { describe, expect, test } from 'vitest';
import { createClock, scriptedModel } from '../testing/index.ts';
import { createAgent } from './agent.ts';
import type { AgentEvent } from './event.ts';
import { all, begin, endOf } from './fixtures/agent.ts';
import { reads, says, toolOf } from './fixtures/tools.ts';

const look = { toolCalls: [{ name: 'look' }] };

describe('the end of a run', () => {
  test('is its last event: abandoned work does not emit into another run', async () => {
    let speak: (text: string) => void = () => undefined;
    const { agent } = await begin({
      script: [look, { text: 'Second.' }],
      grace: 0,
      clock: { ...createClock(), sleep: async () => undefined },
      tools: [
        toolOf({
          name: 'look',
          run: async ({ onOutput }) => {
            if (onOutput) speak = onOutput;
            agent.abort();
            return await new Promise(() => undefined);
          },
        }),
      ],
    });
    const heard: AgentEvent[] = [];
    agent.on((event) => void heard.push(event));
    const first = await all(agent.run({ prompt: 'Go.' }));
    expect(endOf(first).reason).toBe('aborted');
    speak('too late');
    const second = agent.run({ prompt: 'Again.' });
    speak('much too late');
    expect(endOf(await all(second)).reason).toBe('done');
    expect(JSON.stringify(heard)).not.toContain('too late');
  });

  test('comes after everything else, even if a model switch waited for it', async () => {
    let switched: Promise<void> | undefined;
    const { agent } = await begin({
      script: (_, index) => {
        if (index === 0) switched = agent.switchModel(scriptedModel({ name: 'other', script: [] }));
        return { text: 'Done.' };
      },
    });
    const reported: string[] = [];
    agent.on(({ type }) => void reported.push(type));
    expect(endOf(await all(agent.run({ prompt: 'Go.' }))).reason).toBe('done');
    await switched;
    expect(agent.model.id.name).toBe('other');
    expect(reported.at(-1)).toBe('model');
  });

  test('after a failure cancels parallel work', async () => {
    const ended = Promise.withResolvers<string>();
    const { agent, session } = await begin({
      script: [{ toolCalls: [{ name: 'quick' }, { name: 'slow' }] }, { text: 'never' }],
      tools: [
        toolOf({ name: 'quick', access: reads }),
        toolOf({
          name: 'slow',
          access: reads,
          run: async ({ signal }) => {
            signal.addEventListener('abort', () => ended.resolve('told to end'), { once: true });
            return says(await ended.promise);
          },
        }),
      ],
    });
    const { append } = session;
    session.append = async (draft) => {
      if (draft.type === 'message' && draft.message.role === 'tool') throw new Error('the disk is full');
      return (await append.call(session, draft)) as never;
    };
    expect(endOf(await all(agent.run({ prompt: 'Go.' })))).toMatchObject({ reason: 'failed' });
    expect(await ended.promise).toBe('told to end');
  });

  test('before steered messages were sent: the next run sends them once', async () => {
    const { agent, session, model } = await begin({
      script: [look, { text: 'Done.' }],
      tools: [
        toolOf({
          name: 'look',
          run: async () => {
            await agent.steer('Mind the gap.');
            return says('seen');
          },
        }),
      ],
    });
    const { prepare } = session;
    let calls = 0;
    session.prepare = async (input) => {
      calls += 1;
      if (calls === 2) throw new Error('the disk is full');
      return await prepare.call(session, input);
    };
    expect(endOf(await all(agent.run({ prompt: 'Go.' }))).reason).toBe('failed');
    expect((await agent.pending()).messages).toHaveLength(1);
    await all(agent.run());
    expect(JSON.stringify(model.requests.at(-1)?.items).split('Mind the gap.')).toHaveLength(2);
    expect((await agent.pending()).messages).toEqual([]);
  });
});

test('two agents in one session take turns', async () => {
  const { agent, session, model } = await begin({ script: [{ text: 'One.' }, { text: 'Two.' }] });
  const other = await createAgent({ session, model, skills: false, head: [] });
  const reported = all(agent.run({ prompt: 'Go.' }));
  expect(() => other.run({ prompt: 'Me too.' })).toThrow('already running');
  await reported;
  expect(endOf(await all(other.run({ prompt: 'Now?' }))).text).toBe('Two.');
});

test('close waits for the run it ends, for every caller', async () => {
  const closed = Promise.withResolvers<string>();
  const { agent, session } = await begin({
    script: [look, { text: 'never' }],
    tools: [
      toolOf({
        name: 'look',
        run: async () => {
          void agent.close();
          closed.resolve(agent.close().then(() => agent.state));
          await new Promise((resolve) => setImmediate(resolve));
          return says('stopped');
        },
      }),
    ],
  });
  const reported = all(agent.run({ prompt: 'Go.' }));
  expect(await closed.promise).toBe('idle');
  expect(endOf(await reported).reason).toBe('aborted');
  expect(session.context.items.at(-1)?.message.role).toBe('tool');
});
