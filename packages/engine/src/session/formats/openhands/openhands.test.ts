import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part } from '../../../message/index.ts';
import { runs } from '../../../testing/runs.ts';
import { openSession } from '../../open-session.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { expectSound, harmed } from '../fixtures/harm.ts';
import {
  action,
  classicRun,
  flatRun,
  observation,
  sdkAction,
  sdkEvent,
  sdkEvents,
  sdkResult,
} from '../fixtures/openhands-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

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

  test('are sessions beside each other that nobody owns', async () => {
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

describe('events of a conversation on disk', () => {
  const file = jsonl(sdkEvents());
  const whole = [
    'system: Be an agent. | It is Friday.',
    'user: Fix it. | A skill.',
    'assistant: thinking | Both. | terminal {"command":"one"} | terminal {"command":"two"}',
    'tool: second+A rule for this folder.',
    'tool: first',
    'assistant: terminal {"command":"three"}',
    'tool: Action rejected: +Never touch main.',
    'assistant: terminal {"command":"four"}',
    'tool: No such tool.',
  ];

  test('are one session; calls of one response are one answer', async () => {
    const { sent, format } = await bringIn({ text: jsonl(sdkEvents().slice(0, 12)) });
    expect(format).toBe('openhands');
    expect(sent).toEqual(whole);
  });

  test('after a condensation what the model sees is its view: the first events, the summary, the last ones', async () => {
    const { sent, entries, live } = await bringIn({ text: file });
    const [head, tail] = [whole.slice(0, 2), whole.slice(5)];
    expect(sent).toEqual([...head, 'user: Two things were looked at.', ...tail, 'assistant: On it.']);
    const compaction = entries.find(({ type }) => type === 'compaction');
    const third = entries.find((entry) => entry.type === 'message' && JSON.stringify(entry).includes('"three"'));
    expect(compaction).toMatchObject({ summary: 'Two things were looked at.', firstKeptId: third?.id });
    expect((await live.contextAt({ leaf: compaction?.parentId ?? null })).items).toHaveLength(whole.length);
  });

  test('a later condensation can forget the summary of an earlier one', async () => {
    const again = sdkEvent('p', 'Condensation', {
      forgotten_event_ids: ['m-summary', 'h', 'i', 'j', 'k'],
      summary: 'All of it.',
      summary_offset: 2,
    });
    const { sent } = await bringIn({ text: jsonl([...sdkEvents(), again]) });
    expect(sent).toEqual([...whole.slice(0, 2), 'user: All of it.', 'assistant: On it.']);
  });

  test('what people typed to reject a call is theirs; skills and errors are not', async () => {
    const { entries } = await bringIn({ text: file });
    const parts = entries.flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []));
    const inner = parts.flatMap((part): readonly Part[] => (part.type === 'tool_result' ? part.content : [part]));
    const originOf = (text: string) => inner.find((part) => part.type === 'text' && part.text === text)?.origin;
    expect(['Never touch main.', 'Fix it.', 'A skill.', 'No such tool.', 'first', 'Both.'].map(originOf)).toEqual([
      ...['human', 'human', 'engine', 'engine', 'tool', 'model'],
    ]);
    expect(parts.find((part) => part.type === 'thinking')).toMatchObject({ signature: 'c2ln' });
  });

  test('nothing is lost: unknown kinds and requests are kept as notes, signals are counted', async () => {
    const { entries, warnings } = await bringIn({ text: file });
    expect(entries.find(({ type }) => type === 'unknown')).toMatchObject({
      kind: 'openhands:FutureEvent',
      value: { payload: { deep: 1 } },
    });
    expect(entries.find(({ type }) => type === 'custom')).toMatchObject({
      customType: 'openhands:CondensationRequest',
    });
    expect(warnings).toEqual([
      {
        code: 'left-out',
        message: 'Left out, since the model never saw them: 1 signals between parts of the program.',
      },
    ]);
  });

  test('files put together without line feeds, and events that are there twice', async () => {
    const [first, ...rest] = sdkEvents();
    const joined = [first, first, ...rest].map((event) => JSON.stringify(event)).join('');
    const { sent, codes } = await bringIn({ text: joined });
    expect(sent).toEqual((await bringIn({ text: file })).sent);
    expect(codes).toContain('repeated-event');
  });

  test('a list of events is the same session', async () => {
    const { store, session } = await bringIn({ text: file });
    expect(await bringIn({ text: JSON.stringify(sdkEvents(), undefined, 1), store })).toMatchObject({
      session,
      added: 0,
    });
  });

  test('branches: an event stands on its parent', async () => {
    const say = (id: string, said: string, parent_id: string) =>
      sdkEvent(id, 'MessageEvent', {
        source: 'user',
        parent_id,
        llm_message: { role: 'user', content: [{ type: 'text', text: said }] },
      });
    const pause = sdkEvent('p', 'PauseEvent', { source: 'user', parent_id: 'a' });
    const { sent, codes } = await bringIn({
      text: jsonl([say('a', 'one', '__root__'), say('b', 'two', 'a'), pause, say('c', 'another two', 'p')]),
    });
    expect(sent).toEqual(['user: one', 'user: another two']);
    expect(codes).toEqual(['left-out']);
    expect((await bringIn({ text: jsonl([say('a', 'one', 'lost')]) })).codes).toEqual(['missing-parent']);
  });

  test('a file that has grown by any number of events is the same session, and sends the same', async () => {
    const events = sdkEvents();
    const expected = (await bringIn({ text: file })).sent;
    for (let count = 1; count < events.length; count += 1) {
      const { store, session } = await bringIn({ text: jsonl(events.slice(0, count)) });
      const grown = await bringIn({ text: file, store });
      expect(grown.session).toBe(session);
      expect(grown.sent).toEqual(expected);
      expect(await store.list()).toHaveLength(1);
    }
  });

  test('reasoning of OpenAI goes back to OpenAI, and a seal that a filter touched to nobody', async () => {
    const item = { id: 'rs_1', summary: ['Short.'], encrypted_content: 'seal' };
    const sealed = (encrypted_content: string) =>
      jsonl([
        sdkAction('a', 'one', { responses_reasoning_item: { ...item, encrypted_content } }),
        sdkResult('b', 'one', ''),
      ]);
    const thinking = async (text: string) => {
      const { entries } = await bringIn({ text });
      return entries.flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []))[0];
    };
    expect(await thinking(sealed('seal'))).toMatchObject({ type: 'thinking', encrypted: 'seal' });
    expect(await thinking(sealed('REDACTED'))).toMatchObject({ type: 'tool_call' });
  });
});

describe('condensations of version 0.x', () => {
  const history = (condensation: object) => [
    action(0, 'system', { content: 'Be an agent.' }),
    action(1, 'message', { content: 'Fix it.' }, { source: 'user' }),
    action(2, 'recall', { query: 'Fix it.' }, { source: 'user' }),
    action(3, 'message', { content: 'One.' }),
    action(4, 'message', { content: 'Two.' }, { source: 'user' }),
    action(5, 'message', { content: 'Three.' }),
    action(6, 'condensation', condensation as never),
    action(7, 'message', { content: 'Four.' }, { source: 'user' }),
  ];
  const sentAfter = async (condensation: object) =>
    (await bringIn({ text: jsonl([{ ...classicRun(), history: history(condensation) }]) })).sent;

  test('a range of events, and a summary after events of which the model sees some only', async () => {
    const range = { forgotten_events_start_id: 3, forgotten_events_end_id: 4, summary: 'Talk.', summary_offset: 3 };
    expect(await sentAfter(range)).toEqual([
      ...['system: Be an agent.', 'user: Fix it.', 'user: Talk.', 'assistant: Three.', 'user: Four.'],
    ]);
  });

  test('named events without a summary', async () => {
    expect(await sentAfter({ forgotten_event_ids: [1, 3, 4], summary: null })).toEqual([
      ...['system: Be an agent.', 'assistant: Three.', 'user: Four.'],
    ]);
  });
});

test.each([
  ['a run', [classicRun(), flatRun()]],
  ['events', sdkEvents()],
])('a file of %s that harm was done to is read into a sound log or refused', async (_, file) => {
  await fc.assert(
    fc.asyncProperty(harmed(file), async (text) => expectSound(text)),
    runs(150),
  );
});
