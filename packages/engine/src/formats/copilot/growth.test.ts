import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import {
  answered,
  asked,
  completed,
  happened,
  oneTurn,
  requested,
  sessionId,
  started,
} from '../fixtures/copilot-file.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const agent = (event: JsonObject) => ({ ...event, agentId: 'c9' });
const whole = [
  ...oneTurn(),
  answered('', { toolRequests: [requested('c9', 'task', {})], apiCallId: 'api_3' }),
  agent(happened('subagent.started', { toolCallId: 'c9', agentName: 'explore', model: 'small-x' })),
  agent(answered('Inside.')),
  happened('session.compaction_start', {}),
  completed('c9', 'Done.'),
  happened('session.compaction_complete', { success: true, summaryContent: 'All.', preCompactionMessagesLength: 6 }),
  asked('And now?'),
];

test('a file that grows is the same session with the same context, wherever it stood before', async () => {
  const { sent, sessions } = await bringIn({ text: jsonl(whole) });
  for (let length = 1; length < whole.length; length += 1) {
    const { store, session } = await bringIn({ text: jsonl(whole.slice(0, length)) });
    const grown = await bringIn({ text: jsonl(whole), store });
    expect(grown).toMatchObject({ session, sessions, sent });
    expect(await bringIn({ text: jsonl(whole), store })).toMatchObject({ session, added: 0 });
  }
});

describe('a transcript of VS Code', () => {
  const transcript = [
    started({ vscodeVersion: '1.120.0' }),
    happened('user.message', { content: 'Fix it.', attachments: [] }),
    happened('assistant.turn_start', { turnId: '0.0' }),
    happened('assistant.message', {
      messageId: 'm',
      content: '',
      toolRequests: [{ toolCallId: 'c1__vscode-7', name: 'read_file', arguments: '{"path":"a"}', type: 'function' }],
      reasoningText: 'I read.',
    }),
    happened('tool.execution_start', { toolCallId: 'c1', toolName: 'read_file', arguments: { path: 'a' } }),
    happened('tool.execution_complete', { toolCallId: 'c1', success: true }),
    started({ vscodeVersion: '1.121.0' }),
    happened('assistant.message', { messageId: 'n', content: 'Done.', toolRequests: [] }),
  ];

  test('is read like a log of the CLI', async () => {
    const { sent, format, live } = await bringIn({ text: jsonl(transcript) });
    expect(format).toBe('copilot');
    expect(sent).toEqual(['user: Fix it.', 'assistant: thinking | read_file {"path":"a"}', 'assistant: Done.']);
    expect(live.context.items[0]?.message.parts).toMatchObject([{ origin: 'human' }]);
    expect(live.context.items[1]?.message.parts[1]).toMatchObject({ id: 'c1' });
  });

  test('lacks tool results, which is reported and not invented', async () => {
    const { warnings, entries } = await bringIn({ text: jsonl(transcript) });
    expect(warnings).toMatchObject([
      { code: 'left-out' },
      { code: 'results-missing', message: expect.stringMatching(/^1 tool result/) },
    ]);
    const notes = entries.filter((entry) => entry.type === 'custom');
    expect(notes.map(({ customType }) => customType)).toEqual([
      'copilot:tool.execution_complete',
      'copilot:session.start',
    ]);
  });
});

test('older logs tell thinking in an event before the message', async () => {
  const { live } = await bringIn({
    text: jsonl([
      started(),
      happened('assistant.reasoning', { reasoningId: 'r', content: 'I look.' }),
      answered('One.'),
      answered('Two.'),
    ]),
  });
  expect(live.context.items.map(({ message }) => message.parts.length)).toEqual([2, 1]);
});

test('a first event that is torn or gone leaves the session readable', async () => {
  const text = jsonl(whole);
  const { session, sent } = await bringIn({ text });
  const [head = '', ...rest] = text.split('\n');
  const torn = await bringIn({ text: [head.slice(0, 120), ...rest].join('\n') });
  expect(head.slice(0, 120)).toContain(sessionId);
  expect(torn).toMatchObject({ session, sent, format: 'copilot' });
  expect(torn.codes).toContain('half-a-header');
  const headless = await bringIn({ text: rest.join('\n') });
  expect(headless).toMatchObject({ sent, format: 'copilot' });
  expect(headless.session).not.toBe(session);
});

test('a file that harm was done to is read into a sound log or refused', async () => {
  await fc.assert(fc.asyncProperty(fc.oneof(harmed(whole), torn(whole)), expectSound), runs(150));
});
