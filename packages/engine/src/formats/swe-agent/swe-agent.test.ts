import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../json.ts';
import { openSession } from '../../session/live/live-session.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';
import { callingAttempt, textAttempt } from '../fixtures/swe-agent-file.ts';

const turnsOf = ({ history }: JsonObject) => history as readonly JsonObject[];
const written = (value: Json) => JSON.stringify(value, undefined, 2);

describe('an attempt without function calling', () => {
  test('commands in the text are calls, and what the shell answers is their result', async () => {
    const { format, sent } = await bringIn({ text: written(textAttempt()) });
    expect(format).toBe('swe-agent');
    expect(sent).toEqual([
      'system: Use the shell.',
      'user: This is how: ls',
      'user: Fix the issue.',
      'assistant: I look.\n | bash {"command":"ls\\n"}',
      'tool: a.txt\nbash-$',
      'assistant: bash {"command":"cat a.txt\\n"}',
      'tool: ',
      // What is more than a thought and a command is kept whole.
      'assistant: All of `a`\n```\nrm a\n``` goes. | bash {"command":"rm a"}',
      'tool: rm: cannot remove',
      'assistant: Done.\n | bash {"command":"submit\\n"}',
    ]);
  });

  test('what is said after an answer without a command is no output', async () => {
    const attempt = textAttempt();
    const more = [
      { role: 'assistant', content: 'Shall I?', thought: 'Shall I?', action: '' },
      { role: 'user', content: 'Yes.' },
    ];
    const { sent } = await bringIn({ text: written({ ...attempt, history: [...turnsOf(attempt), ...more] }) });
    expect(sent.slice(-2)).toEqual(['assistant: Shall I?', 'user: Yes.']);
  });

  test('the example was put in by the program, the task by a person', async () => {
    const { entries } = await bringIn({ text: written(textAttempt()) });
    const origins = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message.parts[0]?.origin] : []));
    expect(origins.slice(0, 5)).toEqual(['engine', 'engine', 'human', 'model', 'tool']);
  });

  test('what it consumed is kept once it is over, the copies of its steps are counted', async () => {
    const { entries, warnings, live } = await bringIn({ text: written(textAttempt()) });
    expect(entries.find(({ type }) => type === 'usage')).toMatchObject({
      usage: { input: 100, output: 20 },
      purpose: 'session',
      details: { 'swe-agent': { instance_cost: 0.5, api_calls: 2 } },
    });
    expect(warnings.map(({ message }) => message)).toEqual([
      'Left out, since the model never saw them: steps of the trajectory, which repeats the history (2).',
    ]);
    expect(live.header.details).toMatchObject({ 'swe-agent': { environment: 'swe_main' } });
  });
});

describe('an attempt with function calling', () => {
  test('calls and results are joined by their ids', async () => {
    const { sent, entries } = await bringIn({ text: written(callingAttempt()) });
    expect(sent).toEqual([
      'system: Use the tools.',
      'assistant: Like so. | bash {"command":"ls"}',
      'tool: b.txt',
      'user: Fix the issue.',
      'assistant: thinking | I look. | bash {"command":"ls"}',
      'tool: a.txt',
      'assistant: bash {"command":"submit"}',
    ]);
    const results = entries.flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []));
    expect(results.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []))).toEqual(['demo', 'call_1']);
  });

  test('turns of an example have no human author, and are no model answers', async () => {
    const { entries } = await bringIn({ text: written(callingAttempt()) });
    const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));
    const origins = messages.slice(1, 3).flatMap(({ message }) => message.parts.map(({ origin }) => origin));
    expect(new Set(origins)).toEqual(new Set(['engine']));
    const by = { provider: 'anthropic', name: 'claude-sonnet-4-5' };
    expect(messages.map((entry) => entry.by)).toEqual([...Array(4), by, undefined, by]);
  });

  test('the session is called after the problem, and nothing is said of usage that still grows', async () => {
    const { live, entries } = await bringIn({ text: written(callingAttempt()) });
    expect(live.header.name).toBe('acme__tool-1');
    expect(entries.some(({ type }) => type === 'usage')).toBe(false);
  });
});

test('attempts of an agent that retries are sibling sessions; the best is not read twice', async () => {
  const text = written({ attempts: [callingAttempt(), textAttempt()], ...callingAttempt() });
  const { store, sessions, sent } = await bringIn({ text });
  expect(sent).toHaveLength(7);
  expect(sessions).toHaveLength(2);
  const second = await openSession({ store, id: sessions[1] ?? '' });
  expect(second.context.items).toHaveLength(10);
});

test.each([textAttempt(), callingAttempt()])(
  'a file that grew by any number of turns is the same session',
  async (attempt) => {
    const history = turnsOf(attempt);
    const whole = written(attempt);
    const expected = (await bringIn({ text: whole })).sent;
    for (let count = 4; count < history.length; count += 1) {
      const shorter = { ...attempt, history: history.slice(0, count), info: {} };
      const { store, session } = await bringIn({ text: written(shorter) });
      const grown = await bringIn({ text: whole, store });
      expect(grown).toMatchObject({ session, sent: expected });
      expect(await store.list()).toHaveLength(1);
    }
  },
);

test('what is no message is kept as it is', async () => {
  const attempt = textAttempt();
  const history = [...turnsOf(attempt), { role: 'critic', content: 'No.' }, 7];
  const { entries, codes } = await bringIn({ text: written({ ...attempt, history }) });
  expect(entries.filter(({ type }) => type === 'unknown')).toMatchObject([
    { kind: 'swe-agent:history', value: { item: { role: 'critic' } } },
    { value: { item: 7 } },
  ]);
  expect(codes.filter((code) => code === 'unknown-kind')).toHaveLength(2);
});

test('a file that harm was done to is read into a sound log or refused', async () => {
  const file = { attempts: [callingAttempt(), textAttempt()] };
  await fc.assert(fc.asyncProperty(fc.oneof(harmed([file]), torn([file])), expectSound), runs(150));
});
