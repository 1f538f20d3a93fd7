import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSession } from '../../session/live/live-session.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn, takeOut } from '../fixtures/bring-in.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';

const call = { id: 'call_1', type: 'function', function: { name: 'get_order', arguments: '{"id":"#1"}' } };

/** A trial in which the model makes two calls with one id, as it happens, and one result is empty. */
function trial(number: number) {
  return {
    task_id: 4,
    trial: number,
    reward: 1,
    info: { task: { user_id: 'mia', instruction: 'You want your money back.', actions: [] }, user_cost: 0.01 },
    traj: [
      { role: 'system', content: 'Be polite.' },
      { role: 'user', content: `Hello, it is me for the time ${number}.` },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', name: 'get_order', content: '{"status":"sent"}' },
      { role: 'assistant', content: 'It was sent.' },
      { role: 'user', content: 'Check again.' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', name: 'get_order', content: '' },
      { role: 'user', content: '###STOP###' },
    ],
  };
}

test('a trial is a conversation in the shape of OpenAI chat', async () => {
  const { format, sent, live, entries } = await bringIn({ text: JSON.stringify(trial(0)) });
  expect(format).toBe('tau-bench');
  expect(sent).toEqual([
    'system: Be polite.',
    'user: Hello, it is me for the time 0.',
    'assistant: get_order {"id":"#1"}',
    'tool: {"status":"sent"}',
    'assistant: It was sent.',
    'user: Check again.',
    'assistant:  | get_order {"id":"#1"}',
    'tool: ',
    'user: ###STOP###',
  ]);
  expect(live.header.name).toBe('task 4, trial 0');
  const origins = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message.parts[0]?.origin] : []));
  expect(origins.slice(0, 4)).toEqual(['engine', 'human', 'model', 'tool']);
});

test('the goal that the model must not know is in the header only', async () => {
  const { store, session, live, entries } = await bringIn({ text: JSON.stringify(trial(0)) });
  expect(live.header.details).toMatchObject({
    'tau-bench': { info: { task: { instruction: 'You want your money back.' } } },
  });
  expect(live.header.details?.['tau-bench']).not.toHaveProperty('traj');
  expect(JSON.stringify(entries)).not.toContain('money back');
  const { text } = await takeOut({ store, session, format: 'pi' });
  expect(text.split('\n').slice(1).join('\n')).not.toContain('money back');
});

test('a list of trials is a session each; a grown list adds what is new', async () => {
  const { store, session } = await bringIn({ text: JSON.stringify(trial(0)) });
  const failed = { task_id: 5, trial: 0, reward: 0, info: { error: 'rate limit' }, traj: [] };
  const { sessions, codes } = await bringIn({ text: JSON.stringify([trial(0), trial(1), failed]), store });
  expect(sessions).toHaveLength(2);
  expect(sessions[0]).toBe(session);
  expect(codes).toEqual(['empty-run']);
  const second = await openSession({ store, id: sessions[1] ?? '' });
  expect(second.header).toMatchObject({ name: 'task 4, trial 1' });
  expect(second.header).not.toHaveProperty('owner');
  expect(second.context.items).toHaveLength(9);
});

test('a file that harm was done to is read into a sound log or refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(harmed([[trial(0), trial(1)]]), torn([[trial(0)]])), expectSound),
    runs(150),
  );
});
