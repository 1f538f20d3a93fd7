import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { check } from '../../message/index.ts';
import { openSession } from '../../session/live/live-session.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import {
  answered,
  asked,
  completed,
  happened,
  injected,
  oneTurn,
  requested,
  sessionId,
  started,
  system,
} from '../fixtures/copilot-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });

describe('a turn of Copilot', () => {
  test('has every event in its place, and what is for the screen is counted', async () => {
    const { entries, format, warnings } = await read(oneTurn());
    expect(format).toBe('copilot');
    expect(entries.map(({ type }) => type)).toEqual([
      'model_change',
      'thinking_change',
      'message',
      'message',
      'message',
      'usage',
      'message',
      'message',
      'message',
      'usage',
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['left-out']);
    expect(warnings[0]?.message).toContain('hook.start events (1)');
  });

  test('is sent as Copilot sends it', async () => {
    const { sent, live } = await read(oneTurn());
    expect(sent).toEqual([
      'system: You are Copilot.',
      expect.stringMatching(/^user: <current_datetime>.* \| List the files\. \| .*<system_reminder>/s),
      'assistant: thinking | Looking. | shell {"command":"ls"} | view {"path":"a.txt"}',
      'tool: hello',
      'tool: a.txt',
      'assistant: One file.',
    ]);
    expect(live.context.problems).toEqual([]);
    const messages = live.context.items.map(({ message }) => message);
    expect(check(messages.slice(1), 'openai-chat').map(({ code }) => code)).toEqual([]);
  });

  test('says whose session it is', async () => {
    const { store, session } = await read(oneTurn());
    expect(await store.header(session)).toMatchObject({
      cwd: '/repo',
      createdAt: Date.parse('2026-07-24T16:40:24.274Z'),
      source: { format: 'copilot', key: sessionId },
      details: { copilot: { copilotVersion: '1.0.74', context: { branch: 'dev' } } },
    });
  });

  test('opaque reasoning stays with the answer, and only its text is thinking', async () => {
    const { entries } = await read(oneTurn());
    const answer = entries.find((entry) => entry.type === 'message' && entry.message.role === 'assistant');
    expect(answer).toMatchObject({
      message: { parts: [{ type: 'thinking', text: 'I look.' }, {}, {}, {}] },
      by: { provider: 'github-copilot', name: 'claude-x' },
      details: { copilot: { reasoningOpaque: 'b3BhcXVl', apiCallId: 'api_1' } },
    });
    expect(JSON.stringify(answer)).not.toMatch(/signature|encrypted/);
  });

  test('a result knows the tool by its call, and an error is one', async () => {
    const { entries } = await read([
      ...oneTurn(),
      answered('', { toolRequests: [requested('c3', 'shell', {})] }),
      happened('tool.execution_complete', {
        toolCallId: 'c3',
        success: false,
        error: { message: 'Denied.', code: 'denied' },
      }),
    ]);
    expect(entries.at(-1)).toMatchObject({
      message: {
        role: 'tool',
        parts: [{ callId: 'c3', name: 'shell', isError: true, content: [{ text: 'Denied.' }] }],
      },
      details: { copilot: { code: 'denied' } },
    });
    expect(entries.find(({ handle }) => handle === 7)).toMatchObject({ message: { parts: [{ name: 'view' }] } });
  });

  test('images come with what names them: inline, and as assets', async () => {
    const { entries } = await read([
      started(),
      happened('session.binary_asset', { assetId: 'sha256:1', data: 'aGk=', mimeType: 'image/png' }),
      asked('Look.', { attachments: [{ type: 'blob', data: 'aGk=', mimeType: 'image/png', displayName: 'a.png' }] }),
      answered('', { toolRequests: [requested('c1', 'view', {})] }),
      completed('c1', 'An image.', {
        result: {
          content: 'An image.',
          binaryResultsForLlm: [
            { type: 'image', assetId: 'sha256:1', mimeType: 'image/png' },
            { type: 'image', data: 'aGREDACTED', mimeType: 'image/png' },
            { type: 'image', assetId: 'sha256:9', mimeType: 'image/png' },
          ],
        },
      }),
    ]);
    const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));
    expect(messages[0]).toMatchObject({
      message: { parts: [{}, { text: 'Look.' }, {}, { type: 'image', origin: 'human', source: { data: 'aGk=' } }] },
      details: { copilot: { attachments: [{ displayName: 'a.png' }] } },
    });
    expect(messages.at(-1)).toMatchObject({
      message: {
        parts: [
          {
            content: [
              { text: 'An image.' },
              { type: 'image', source: { mediaType: 'image/png', data: 'aGk=' } },
              { type: 'text', text: expect.stringContaining('redacted') },
            ],
          },
        ],
      },
    });
  });
});

describe('the system prompt', () => {
  test('is sent once, however often it is logged, and anew where it changed', async () => {
    const { sent, warnings, entries } = await read([
      ...oneTurn(),
      system('You are Copilot.'),
      system('You are Copilot, and careful.'),
      asked('Go on.'),
    ]);
    expect(sent.filter((text) => text.startsWith('system:'))).toEqual(['system: You are Copilot, and careful.']);
    expect(sent[0]).toBe('system: You are Copilot, and careful.');
    expect(sent).toHaveLength(7);
    expect(warnings[0]?.message).toContain('repeated system prompts (1)');
    expect(entries.filter((entry) => entry.type === 'epoch')).toMatchObject([{ reason: 'head' }]);
  });
});

describe('sub-agents', () => {
  const agentId = 'c9';
  const inside = (event: JsonObject) => ({ ...event, agentId });
  const file = [
    ...oneTurn(),
    answered('', { toolRequests: [requested('c9', 'task', { prompt: 'Look.' })] }),
    inside(happened('subagent.started', { toolCallId: 'c9', agentName: 'explore', model: 'small-x' })),
    inside(injected('Look.', `agent-${sessionId}`)),
    inside(answered('', { model: 'small-x', toolRequests: [requested('c10', 'shell', {})] })),
    asked('Hurry up.'),
    inside(completed('c10', 'ok')),
    inside(answered('All is well.', { model: 'small-x' })),
    inside(happened('subagent.completed', { toolCallId: 'c9', totalTokens: 900 })),
    completed('c9', 'All is well.'),
  ];

  test('are sessions of their own, owned by the call that started them', async () => {
    const { sent, store, sessions, session } = await read(file);
    expect(sent.slice(-3)).toEqual([
      'assistant: task {"prompt":"Look."}',
      expect.stringContaining('Hurry up.'),
      'tool: All is well.',
    ]);
    expect(sessions).toHaveLength(2);
    const [, other = ''] = sessions;
    expect(await store.header(other)).toMatchObject({
      name: 'explore',
      cwd: '/repo',
      owner: { session, call: 'c9' },
    });
    const agent = await openSession({ store, id: other });
    expect(agent.context.items.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(agent.context.items[0]?.message.parts).toMatchObject([{ text: 'Look.', origin: 'model' }]);
    expect(await agent.read({ types: ['model_change'] })).toMatchObject([{ model: { name: 'small-x' } }]);
    expect(await agent.read({ types: ['custom'] })).toMatchObject([{ customType: 'copilot:subagent.completed' }]);
  });

  test('of a sub-agent are owned by it', async () => {
    const deeper = (event: JsonObject) => ({ ...event, agentId: 'c11' });
    const { sessions, store } = await read([
      ...file,
      inside(answered('', { toolRequests: [requested('c11', 'task', {})] })),
      deeper(happened('subagent.started', { toolCallId: 'c11', model: 'tiny-x' })),
      deeper(answered('Hm.')),
    ]);
    const [, agent, deepest = ''] = sessions;
    expect(await store.header(deepest)).toMatchObject({ owner: { session: agent, call: 'c11' } });
  });

  test('are distinguished in older logs by the call that they name', async () => {
    const { sent, sessions } = await read([
      ...oneTurn(),
      happened('subagent.started', { toolCallId: 'c9', model: 'small-x' }),
      answered('Inside.', { parentToolCallId: 'c9' }),
      answered('Outside.'),
    ]);
    expect(sessions).toHaveLength(2);
    expect(sent.slice(-2)).toEqual(['assistant: One file.', 'assistant: Outside.']);
  });
});

describe('what is no part of the conversation', () => {
  test('is a note where it is nowhere else, and kept whole where it is new', async () => {
    const { entries, sent } = await read([
      ...oneTurn(),
      happened('abort', { reason: 'user' }),
      happened('session.truncation', { messagesRemovedDuringTruncation: 4 }),
      happened('session.shutdown', { modelMetrics: { 'claude-x': { usage: { inputTokens: 9 } } } }),
      happened('session.title_changed', { title: 'Files' }),
      happened('session.levitated', { height: 3 }),
      happened('assistant.message', { messageId: 'm', content: '' }),
      happened('user.message', { content: '' }),
    ]);
    expect(entries.slice(-7)).toMatchObject([
      { customType: 'copilot:abort', data: { reason: 'user' } },
      { customType: 'copilot:session.truncation' },
      { customType: 'copilot:session.shutdown', data: { modelMetrics: {} } },
      { type: 'session_info', info: { name: 'Files' } },
      { type: 'unknown', kind: 'copilot:session.levitated', value: { height: 3 } },
      { customType: 'copilot:assistant.message' },
      { customType: 'copilot:user.message' },
    ]);
    expect(sent).toEqual((await read(oneTurn())).sent);
  });

  test('a tool that a person ran is not put into the model’s mouth', async () => {
    const { sent, entries } = await read([
      ...oneTurn(),
      happened('tool.user_requested', { toolCallId: 'u1', toolName: 'shell', arguments: { command: 'make' } }),
      completed('u1', 'made', { isUserRequested: true }),
    ]);
    expect(sent).toHaveLength(6);
    expect(entries.slice(-2)).toMatchObject([
      { customType: 'copilot:tool.user_requested' },
      { customType: 'copilot:tool.execution_complete', data: { result: { content: 'made' } } },
    ]);
  });

  test('a notice that wakes the model is sent once, though it is logged twice', async () => {
    const text = '<system_notification>\nAgent c9 is done.\n</system_notification>';
    const notice = happened('system.notification', { content: text, kind: { type: 'agent_completed' } });
    for (const events of [[notice, injected(text, 'system')], [injected(text, 'system'), notice], [notice]]) {
      const { sent, live } = await read([...oneTurn(), ...events]);
      expect(sent.slice(6)).toEqual([`user: ${text}`]);
      expect(live.context.items.at(-1)?.message.parts).toMatchObject([{ origin: 'engine' }]);
    }
  });
});

describe('usage', () => {
  test('is what the messages say, once a call', async () => {
    const { entries } = await read([
      started(),
      answered('One', { apiCallId: 'a', outputTokens: 7 }),
      answered('two', { apiCallId: 'a', outputTokens: 7 }),
      answered('three', { apiCallId: 'b', outputTokens: 9 }),
    ]);
    expect(entries.filter((entry) => entry.type === 'usage').map(({ usage }) => usage.output)).toEqual([7, 9]);
  });

  test('and what their events say beyond that', async () => {
    const { entries } = await read([
      started(),
      answered('One', { apiCallId: 'a', outputTokens: 7 }),
      happened('assistant.usage', {
        model: 'claude-x',
        apiCallId: 'a',
        inputTokens: 100,
        outputTokens: 7,
        cacheReadTokens: 80,
      }),
      happened('assistant.usage', { model: 'claude-x', apiCallId: 'z', inputTokens: 10, outputTokens: 2 }),
    ]);
    const used = entries.filter((entry) => entry.type === 'usage');
    expect(used).toMatchObject([
      { usage: { input: 0, output: 7 }, target: entries[0]?.id },
      { usage: { input: 20, output: 0, cacheRead: 80, cacheWrite: 0 }, target: entries[0]?.id },
      { usage: { input: 10, output: 2 } },
    ]);
  });
});
