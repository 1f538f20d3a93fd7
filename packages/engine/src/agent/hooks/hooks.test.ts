import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../event.ts';
import { all, begin, endOf } from '../fixtures/agent.ts';
import { everything, says, toolOf, writes } from '../fixtures/tools.ts';
import type { PermissionRequest } from '../permission.ts';
import { createPermissions } from '../permissions/create-permissions.ts';
import type { AgentHooks } from './hooks.ts';

const script = [{ toolCalls: [{ name: 'write', arguments: { path: 'a' } }] }, { text: 'Done.' }];
const ran: unknown[] = [];
const write = toolOf({
  name: 'write',
  access: writes,
  run: async ({ input }) => {
    ran.push(input);
    return input.path === 'broken' ? { ...says('no'), isError: true } : says('written');
  },
});

async function hooked(hooks: AgentHooks | readonly AgentHooks[], more: Parameters<typeof begin>[0] = {}) {
  ran.length = 0;
  const bench = await begin({ script, tools: [write], hooks, ...more });
  const events = await all(bench.agent.run({ prompt: 'Go.' }));
  return { ...bench, events };
}
const sent = ({ model }: Awaited<ReturnType<typeof hooked>>, index: number) =>
  JSON.stringify(model.requests[index]?.items);

describe('hooks of an agent', () => {
  test('receive every event of a session, in order', async () => {
    const reported: string[] = [];
    const names = [
      'sessionStart',
      'userPromptSubmit',
      'preToolUse',
      'permissionRequest',
      'postToolUse',
      'stop',
      'sessionEnd',
      'notification',
    ] as const;
    const hooks = Object.fromEntries(names.map((name) => [name, () => void reported.push(name)]));
    const { agent } = await hooked(hooks);
    await agent.close();
    expect(reported).toEqual([
      ...['sessionStart', 'userPromptSubmit', 'preToolUse', 'notification', 'permissionRequest', 'postToolUse'],
      ...['stop', 'notification', 'sessionEnd'],
    ]);
  });

  test('may deny a call, and the model gets the reason', async () => {
    const bench = await hooked({ preToolUse: ({ tool }) => ({ deny: `${tool} is off.` }) });
    expect(ran).toEqual([]);
    expect(sent(bench, 1)).toContain('write is off.');
  });

  test('may change what a call is made with; what it touches then is judged anew', async () => {
    const requests: PermissionRequest[] = [];
    const permissions = {
      decide: async (request: PermissionRequest) => {
        requests.push(request);
        return { allowed: true as const };
      },
    };
    await hooked({ preToolUse: () => ({ input: { path: 'b' } }) }, { permissions });
    expect(ran).toEqual([{ path: 'b' }]);
    expect(requests[0]?.input).toEqual({ path: 'b' });
  });

  test('may require approval, whatever the rules allow', async () => {
    const requests: PermissionRequest[] = [];
    const permissions = {
      decide: async (request: PermissionRequest) => {
        requests.push(request);
        return await everything.decide(request, new AbortController().signal);
      },
    };
    await hooked({ preToolUse: () => ({ ask: 'It is Friday.' }) }, { permissions });
    expect(requests[0]?.mustAsk).toBe('It is Friday.');
    const nobody = await hooked(
      { preToolUse: () => ({ ask: 'It is Friday.' }) },
      { tools: [toolOf({ name: 'write' })], permissions: undefined as never },
    );
    expect(sent(nobody, 1)).toContain('no approver is configured');
  });

  test('may want it of our own permissions too: mode `yes` asks then, and what was allowed for always is asked again', async () => {
    const asked: string[] = [];
    const approver = async ({ summary }: PermissionRequest) => {
      asked.push(summary);
      return 'always' as const;
    };
    const permissions = createPermissions({ mode: 'yes', cwd: '/repo', approver });
    const twice = [...script.slice(0, 1), ...script];
    await hooked({ preToolUse: () => ({ ask: 'It is Friday.' }) }, { permissions, script: twice });
    expect(asked).toEqual([expect.stringContaining('It is Friday.'), expect.stringContaining('It is Friday.')]);
    expect(ran).toHaveLength(2);
    await hooked(
      { preToolUse: () => ({ ask: 'It is Friday.' }) },
      { permissions: createPermissions({ mode: 'yes', cwd: '/repo' }) },
    );
    expect(ran).toEqual([]);
  });

  test('may decide instead of the approver', async () => {
    await hooked({ permissionRequest: () => ({ allow: true }) }, { permissions: createPermissions({ cwd: '/repo' }) });
    expect(ran).toHaveLength(1);
    await hooked({ permissionRequest: () => ({ allow: true }) }, { permissions: undefined as never });
    expect(ran).toHaveLength(1);
    const denied = await hooked({ permissionRequest: () => ({ deny: 'Not here.' }) });
    expect(ran).toHaveLength(0);
    expect(sent(denied, 1)).toContain('Not here.');
  });

  test.each([
    ['write', writes],
    ['todo', { kind: 'none' as const }],
  ])('cannot allow what a rule denies: %s', async (name, access) => {
    const bench = await hooked(
      { preToolUse: () => ({ ask: 'Look.' }), permissionRequest: () => ({ allow: true }) },
      {
        script: [{ toolCalls: [{ name, arguments: {} }] }, { text: 'Done.' }],
        tools: [{ ...write, definition: { ...write.definition, name }, access: () => access }],
        permissions: createPermissions({ mode: 'yes', deny: [name], cwd: '/repo' }),
      },
    );
    expect(ran).toEqual([]);
    expect(sent(bench, 1)).toContain(`the rule ${name} denies it`);
  });

  test('may add words, which are the engine’s and never a person’s', async () => {
    const bench = await hooked({
      sessionStart: () => ({ context: ['The branch is main.'] }),
      userPromptSubmit: () => ({ context: ['It is late.'] }),
      postToolUse: () => ({ context: ['The file was formatted.'] }),
    });
    const parts = JSON.stringify(bench.session.context.items.map(({ message }) => message));
    for (const words of ['The branch is main.', 'It is late.', 'The file was formatted.']) {
      expect(parts).toContain(`{"type":"text","origin":"engine","text":${JSON.stringify(words)}}`);
    }
  });

  test('may block a prompt: it is not said, and the run ends', async () => {
    const { events, model, session } = await hooked({ userPromptSubmit: () => ({ block: 'Keys are in it.' }) });
    expect(endOf(events)).toMatchObject({
      reason: 'failed',
      failure: { message: expect.stringContaining('Keys are in it.') },
    });
    expect(model.requests).toHaveLength(0);
    expect(session.context.items.filter(({ message }) => message.role === 'user')).toEqual([]);
  });

  test('hear of tools that fail and of runs that fail', async () => {
    const reported: string[] = [];
    const hooks: AgentHooks = {
      postToolUseFailure: ({ text }) => void reported.push(text),
      errorOccurred: ({ failure }) => void reported.push(failure.kind),
    };
    await hooked(hooks, {
      script: [{ toolCalls: [{ name: 'write', arguments: { path: 'broken' } }] }, { failure: 'auth' }],
    });
    expect(reported).toEqual(['no', 'auth']);
  });

  test('may ask to go on where the run would end, a few times and no more', async () => {
    const bench = await hooked(
      { stop: () => ({ continueWith: 'The tests are red.' }) },
      { script: () => ({ text: 'Done.' }) },
    );
    expect(bench.model.requests).toHaveLength(4);
    expect(sent(bench, 1)).toContain('"origin":"engine","text":"The tests are red."');
    expect(endOf(bench.events).reason).toBe('done');
  });

  test.each<[string, AgentHooks]>([
    [
      'throw',
      {
        preToolUse: () => {
          throw new Error('broken');
        },
      },
    ],
    ['never answer', { timeout: 5, preToolUse: () => new Promise(() => undefined) }],
    ['answer nonsense', { preToolUse: (() => ({ deny: 7 })) as never }],
    ['answer a text', { preToolUse: (() => 'no') as never }],
  ])('that %s stop nothing, and the failure is reported', async (_, hooks) => {
    const { events } = await hooked(hooks);
    expect(ran).toHaveLength(1);
    expect(endOf(events).reason).toBe('done');
    expect(
      events.find((event): event is Extract<AgentEvent, { type: 'notice' }> => event.type === 'notice')?.text,
    ).toContain('preToolUse failed');
  });

  test('several run in order; the first denial applies and ends the sequence', async () => {
    const asked: number[] = [];
    const one = (number: number, answer: object): AgentHooks => ({
      preToolUse: () => {
        asked.push(number);
        return answer;
      },
    });
    await hooked([one(1, { input: { path: 'b' } }), one(2, { deny: 'No.' }), one(3, {})]);
    expect(asked).toEqual([1, 2]);
    expect(ran).toEqual([]);
  });
});
