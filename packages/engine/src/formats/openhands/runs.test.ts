import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import type { Entry } from '../../session/entry/entry.ts';
import { openSession } from '../../session/live/live-session.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';
import { action, classicRun, flatRun, observation, sdkEvents } from '../fixtures/openhands-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const isLast = (entry: Entry) => entry.type === 'message' && JSON.stringify(entry.message).includes('On it.');

const originsOf = (entry: unknown) => {
  const { message } = entry as { message: { parts: readonly { origin: string }[] } };
  return message.parts.map(({ origin }) => origin);
};

describe('a run of an evaluation', () => {
  test('is a conversation with calls joined to their results, whatever the order of events', async () => {
    const { format, sent, codes } = await bringIn({ text: jsonl([classicRun()]) });
    expect(format).toBe('openhands');
    expect(sent).toEqual([
      'system: Be an agent.',
      'user: Fix it.',
      'user: Git is here.',
      'assistant: I look twice. | execute_bash {"command":"ls"} | execute_bash {"command":"pwd"}',
      'tool: a.txt+\n[done]\n[Current working directory: /w]\n[Command finished with exit code 0]',
      'tool: no such command+\n[Error occurred in processing last action]',
      'user: User executed the command:\n | git pull',
      'user: up to date',
      'assistant: finish {"message":"Done."}',
    ]);
    expect(codes).toEqual(['left-out']);
  });

  test('tells the words of people from those of the program and of tools', async () => {
    const { entries } = await bringIn({ text: jsonl([classicRun()]) });
    const messages = entries.filter(({ type }) => type === 'message');
    expect(messages.map(originsOf)).toEqual([
      ['engine'],
      ['human'],
      ['model', 'model', 'model'],
      ['tool'],
      ['tool'],
      ['engine', 'human'],
      ['tool'],
      ['model'],
    ]);
    expect(entries.find(({ type }) => type === 'custom_message')).toMatchObject({
      customType: 'openhands:recall',
      parts: [{ origin: 'engine' }],
    });
    const results = messages.flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []));
    expect(results.filter((part) => part.type === 'tool_result' && part.isError)).toHaveLength(1);
  });

  test('keeps what each response consumed once, and who answered', async () => {
    const { entries } = await bringIn({ text: jsonl([classicRun()]) });
    const answers = entries.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant');
    expect(answers).toMatchObject([{ by: { provider: 'openai', name: 'llama' } }, { by: { name: 'llama' } }]);
    const usages = entries.filter(({ type }) => type === 'usage');
    expect(usages).toMatchObject(
      answers.map(({ id }) => ({ target: id, usage: { input: 60, output: 7, cacheRead: 40, cacheWrite: 0 } })),
    );
  });

  test('has its name, its time, its tools and the rest in the header, which no model sees', async () => {
    const { live } = await bringIn({ text: jsonl([classicRun()]) });
    const { name, createdAt, details } = live.header;
    expect({ name, createdAt }).toEqual({ name: 'acme__tool-1', createdAt: Date.UTC(2026, 0, 2, 3, 4, 0, 123) });
    expect(details).toMatchObject({
      tools: [{ name: 'execute_bash' }],
      openhands: { test_result: { git_patch: 'diff' }, metrics: { accumulated_cost: 0.5 } },
    });
    expect(details?.openhands).not.toHaveProperty('history');
  });

  test('is the same session as a pretty-printed file of its own', async () => {
    const { store, session } = await bringIn({ text: jsonl([classicRun()]) });
    expect(await bringIn({ text: JSON.stringify(classicRun(), undefined, 2), store })).toMatchObject({
      session,
      format: 'openhands',
      added: 0,
    });
  });

  test('whose response was not kept is read from what it says of the action', async () => {
    const bare = { tool_call_metadata: { function_name: 'execute_bash', tool_call_id: 'call_x' } };
    const history = [
      action(1, 'message', { content: 'Go.' }, { source: 'user' }),
      action(2, 'run', { command: 'ls', thought: { text: 'I look.', reasoning_content: 'Hm.' }, hidden: false }, bare),
      observation(3, 2, 'run', 'a.txt'),
    ];
    const { sent } = await bringIn({ text: jsonl([{ ...classicRun(), history }]) });
    expect(sent).toEqual(['user: Go.', 'assistant: thinking | I look. | execute_bash {"command":"ls"}', 'tool: a.txt']);
  });
});

describe('several runs in one file', () => {
  const second = { ...classicRun(), instance_id: 'acme__tool-2' };
  const file = jsonl([classicRun(), flatRun(), second]);

  test('are sibling sessions without a parent', async () => {
    const { store, sessions, session } = await bringIn({ text: file });
    expect(sessions).toHaveLength(3);
    expect(sessions[0]).toBe(session);
    const lives = await Promise.all(sessions.map((id) => openSession({ store, id })));
    expect(lives.map(({ header }) => header.name)).toEqual(['acme__tool-1', 'Add a button', 'acme__tool-2']);
    expect(lives.every(({ header }) => header.owner === undefined)).toBe(true);
    expect(lives[1]?.context.items[0]?.message.parts).toMatchObject([{ text: 'Add a button.' }]);
  });

  test('grow by a run a line', async () => {
    const { store, sessions } = await bringIn({ text: jsonl([classicRun()]) });
    const grown = await bringIn({ text: file, store });
    expect(grown.sessions.slice(0, 1)).toEqual(sessions);
    expect(await bringIn({ text: file, store })).toMatchObject({ added: 0 });
  });

  test('of which one is there twice, or a line is none', async () => {
    const { sessions, codes } = await bringIn({ text: jsonl([classicRun(), classicRun(), { instance_id: 'x' }]) });
    expect(sessions).toHaveLength(1);
    expect(codes).toEqual(['repeated-run', 'strange-record', 'left-out']);
  });

  test('a file that only looks like runs is refused in a sentence', async () => {
    const text = jsonl([{ instance_id: 'x', test_result: {}, model_patch: 'diff' }]);
    await expect(bringIn({ text })).rejects.toMatchObject({ code: 'not-a-session' });
  });
});

test('a flat run pairs an observation with the action before it, and people and the agent take turns', async () => {
  const { sent, live } = await bringIn({ text: jsonl([flatRun()]) });
  expect(sent).toEqual([
    'user: Add a button.',
    'assistant: I look. | run {"command":"ls"}',
    'tool: a.txt',
    'assistant: run_ipython {"code":"open_file(\\"a.txt\\")"}',
    'tool: [File: a.txt]',
    'assistant: Which colour?',
    'user: Blue.',
    'assistant: Blue it is. | finish {"outputs":{}}',
  ]);
  expect(live.header.name).toBe('Add a button');
});

test('the oldest runs have actions and observations in pairs', async () => {
  const [first, ...rest] = flatRun().history as unknown as [unknown];
  const run = { ...flatRun(), history: [[first, { observation: 'null', content: '' }], rest] };
  const { sent } = await bringIn({ text: jsonl([run as never]) });
  expect(sent.slice(0, 3)).toEqual(['user: Add a button.', 'assistant: I look. | run {"command":"ls"}', 'tool: a.txt']);
});

test('a run of the SDK knows what its responses consumed by their ids', async () => {
  const usage = { model: 'anthropic/claude', prompt_tokens: 50, completion_tokens: 5, cache_read_tokens: 30 };
  const token_usages = [
    { ...usage, cache_write_tokens: 10, response_id: 'r1' },
    { ...usage, response_id: 'r5' },
  ];
  const run = { instance_id: 'acme__tool-3', attempt: 1, metrics: { token_usages }, history: sdkEvents() };
  const { entries, sent } = await bringIn({ text: jsonl([run]) });
  expect(sent).toEqual((await bringIn({ text: jsonl(sdkEvents()) })).sent);
  expect(entries.filter(({ type }) => type === 'usage')).toMatchObject([
    { usage: { input: 10, output: 5, cacheRead: 30, cacheWrite: 10 } },
    { usage: { input: 20, output: 5, cacheRead: 30, cacheWrite: 0 }, target: entries.find(isLast)?.id },
  ]);
  expect(entries.find(isLast)).toMatchObject({ by: { provider: 'anthropic', name: 'claude' } });
});

describe('condensations of version 0.x', () => {
  const history = (condensation: JsonObject) => [
    action(0, 'system', { content: 'Be an agent.' }),
    action(1, 'message', { content: 'Fix it.' }, { source: 'user' }),
    action(2, 'recall', { query: 'Fix it.' }, { source: 'user' }),
    action(3, 'message', { content: 'One.' }),
    action(4, 'message', { content: 'Two.' }, { source: 'user' }),
    action(5, 'message', { content: 'Three.' }),
    action(6, 'condensation', condensation),
    action(7, 'message', { content: 'Four.' }, { source: 'user' }),
  ];
  const sentAfter = async (condensation: JsonObject) =>
    (await bringIn({ text: jsonl([{ ...classicRun(), history: history(condensation) }]) })).sent;

  test('a range of events, and a summary after events of which the model sees some only', async () => {
    const range = { forgotten_events_start_id: 3, forgotten_events_end_id: 4, summary: 'Talk.', summary_offset: 3 };
    expect(await sentAfter(range)).toEqual([
      ...['system: Be an agent.', 'user: Fix it.', 'user: Talk.', 'assistant: Three.', 'user: Four.'],
    ]);
  });

  test('what is forgotten is not counted before a summary', async () => {
    const range = { forgotten_events_start_id: 2, forgotten_events_end_id: 4, summary: 'Talk.', summary_offset: 3 };
    expect(await sentAfter(range)).toEqual([
      ...['system: Be an agent.', 'user: Fix it.', 'assistant: Three.', 'user: Talk.', 'user: Four.'],
    ]);
  });

  test('calls of one response are as many events before a summary', async () => {
    const run = classicRun();
    const events = (run.history as readonly JsonObject[]).slice(0, 10);
    const last = { forgotten_event_ids: [8], summary: 'A pull.', summary_offset: 8 };
    const { sent } = await bringIn({
      text: jsonl([{ ...run, history: [...events, action(12, 'condensation', last)] }]),
    });
    expect(sent.slice(-3)).toEqual([
      'tool: no such command+\n[Error occurred in processing last action]',
      ...['user: A pull.', 'user: up to date'],
    ]);
  });

  test('the newest summary takes the place of the one before; without one that stays', async () => {
    const first = { forgotten_event_ids: [3], summary: 'First.', summary_offset: 3 };
    const sentWith = async (second: JsonObject) => {
      const run = { ...classicRun(), history: [...history(first), action(8, 'condensation', second)] };
      return (await bringIn({ text: jsonl([run]) })).sent.slice(2);
    };
    const rest = ['assistant: Three.', 'user: Four.'];
    expect(await sentWith({ forgotten_event_ids: [4], summary: 'Second.', summary_offset: 3 })).toEqual([
      ...['user: Second.', ...rest],
    ]);
    expect(await sentWith({ forgotten_event_ids: [4] })).toEqual(['user: First.', ...rest]);
  });

  test('named events without a summary', async () => {
    expect(await sentAfter({ forgotten_event_ids: [1, 3, 4], summary: null })).toEqual([
      ...['system: Be an agent.', 'assistant: Three.', 'user: Four.'],
    ]);
  });
});

test('a file of runs that harm was done to is read into a sound log or refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(harmed([classicRun(), flatRun()]), torn([classicRun(), flatRun()])), expectSound),
    runs(150),
  );
});
