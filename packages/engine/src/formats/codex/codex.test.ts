import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { check } from '../../message/index.ts';
import type { Entry } from '../../session/entry/entry.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import {
  call,
  compacted,
  event,
  message,
  oneTurn,
  output,
  sessionMeta,
  threadId,
  turnContext,
  typed,
} from '../fixtures/codex-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });
const messagesOf = (entries: readonly Entry[]) => entries.filter((entry) => entry.type === 'message');

describe('a turn of Codex', () => {
  test('has every item in its place, and what is for the screen is counted', async () => {
    const { entries, format, warnings } = await read(oneTurn());
    expect(format).toBe('codex');
    expect(entries.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'message',
      'model_change',
      'thinking_change',
      'custom',
      'message',
      'message',
      'message',
      'message',
      'usage',
      'message',
      'message',
      'usage',
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['left-out']);
    expect(warnings[0]?.message).toContain('exec_command_end events (1)');
    expect(warnings[0]?.message).toContain('repeated token counts (2)');
  });

  test('is sent as Codex sends it', async () => {
    const { sent, live } = await read(oneTurn());
    expect(sent).toEqual([
      'system: You are Codex.',
      'system: <permissions instructions>Ask first.</permissions instructions>',
      expect.stringMatching(/^user: # AGENTS.md instructions.* \| <environment_context>/s),
      'user: List the files.',
      'assistant: thinking',
      'assistant: Looking.',
      'assistant: shell {"command":["ls"]}',
      'tool: Exit code: 0\nOutput:\na.txt',
      'assistant: One file.',
    ]);
    const messages = live.context.items.map(({ message: sentMessage }) => sentMessage);
    expect(check(messages.slice(1), 'openai-responses')).toEqual([]);
  });

  test('says whose session it is', async () => {
    const { live, store, session } = await read(oneTurn());
    const header = await store.header(session);
    expect(header).toMatchObject({
      cwd: '/repo',
      createdAt: Date.parse('2026-04-07T13:00:00.000Z'),
      source: { format: 'codex', key: threadId },
      details: { codex: { cli_version: '0.118.0', git: { branch: 'main' } } },
    });
    expect(JSON.stringify(header)).not.toContain('You are Codex');
    expect(live.context.problems).toEqual([]);
  });

  test('counts a call once, by what it consumed, on the answer it made', async () => {
    const { entries } = await read(oneTurn());
    const used = entries.filter((entry) => entry.type === 'usage');
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    expect(used.map(({ usage }) => usage)).toEqual([
      { input: 40, output: 7, cacheRead: 60, cacheWrite: 0, reasoning: 1 },
      { input: 30, output: 5, cacheRead: 100, cacheWrite: 0, reasoning: 1 },
    ]);
    expect(used.map(({ target }) => byId.get(target ?? ''))).toMatchObject([
      { message: { parts: [{ type: 'tool_call' }] }, by: { provider: 'openai', name: 'gpt-5.4' } },
      { message: { parts: [{ text: 'One file.' }] } },
    ]);
  });

  test('the model and the effort are entries where they change, and nowhere else', async () => {
    const { entries } = await read([
      ...oneTurn(),
      turnContext(),
      turnContext({ effort: 'low', cwd: '/other' }),
      turnContext({ model: 'gpt-5.5', effort: null, cwd: '/other' }),
    ]);
    const changes = entries.filter(({ type }) => type === 'model_change' || type === 'thinking_change');
    expect(changes).toMatchObject([
      { model: { name: 'gpt-5.4' } },
      { level: 'high' },
      { level: 'low' },
      { model: { name: 'gpt-5.5' } },
    ]);
    const settings = entries.filter((entry) => entry.type === 'custom');
    expect(settings).toMatchObject([{ data: { cwd: '/repo' } }, { data: { cwd: '/other' } }]);
  });

  test('a result knows the tool by its call, in whatever order results come', async () => {
    const { entries } = await read([
      sessionMeta(),
      call('a', 'first', {}),
      call('b', 'second', {}),
      output('b', 'two'),
      output('a', [{ type: 'input_text', text: 'one' }]),
      output('nobody', 'three'),
    ]);
    const results = messagesOf(entries).flatMap((entry) =>
      entry.message.parts.filter((part) => part.type === 'tool_result'),
    );
    expect(results).toMatchObject([
      { callId: 'b', name: 'second', content: [{ text: 'two' }] },
      { callId: 'a', name: 'first', content: [{ text: 'one' }] },
      { callId: 'nobody', content: [{ text: 'three' }] },
    ]);
    expect(results[2]).not.toHaveProperty('name');
  });
});

describe('going back', () => {
  const turn = (text: string) => [event('task_started'), ...typed(text), message('assistant', [`${text}!`])];

  test('a rollback takes whole turns away, what was typed meanwhile with them', async () => {
    const { sent, entries } = await read([
      sessionMeta(),
      ...turn('one'),
      ...turn('two'),
      ...typed('and quickly'),
      ...turn('three'),
      event('thread_rolled_back', { num_turns: 2 }),
      ...turn('four'),
    ]);
    expect(sent).toEqual(['system: You are Codex.', 'user: one', 'assistant: one!', 'user: four', 'assistant: four!']);
    expect(entries.find((entry) => entry.type === 'leaf')).toMatchObject({ reason: 'rewind' });
  });

  test('a compaction inside the turn that is taken back is taken back', async () => {
    const { sent } = await read([
      sessionMeta(),
      ...turn('one'),
      ...turn('two'),
      compacted([message('user', ['two'])]),
      message('assistant', ['after']),
      event('thread_rolled_back', { num_turns: 1 }),
    ]);
    expect(sent).toEqual(['system: You are Codex.', 'user: one', 'assistant: one!']);
  });

  test('more turns than there are: what came before the first stays', async () => {
    const { sent } = await read([
      sessionMeta(),
      message('developer', ['rules']),
      ...turn('one'),
      event('thread_rolled_back', { num_turns: 9 }),
    ]);
    expect(sent).toEqual(['system: You are Codex.', 'system: rules']);
  });

  test('a model that was chosen in a turn that never was is chosen again', async () => {
    const { entries } = await read([
      sessionMeta(),
      turnContext(),
      ...turn('one'),
      turnContext({ model: 'gpt-5.5' }),
      event('thread_rolled_back', { num_turns: 1 }),
      turnContext({ model: 'gpt-5.5' }),
    ]);
    expect(entries.filter((entry) => entry.type === 'model_change')).toHaveLength(3);
  });

  test('an empty rollback is reported', async () => {
    const { codes } = await read([sessionMeta(), event('thread_rolled_back', { num_turns: 1 })]);
    expect(codes).toEqual(['nothing-to-roll-back']);
  });
});
