import { expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { result, say } from './fixtures/messages.ts';
import { createPolicy } from './policy/presets.ts';

const model = modelOf({ window: 200_000 });
const rows = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, state: id === 271 ? 'failed' : 'ok' })));
const called = (...names: readonly string[]): Message => ({
  role: 'assistant',
  parts: names.map((name) => ({ type: 'tool_call', origin: 'model', id: name, name, arguments: '{}' })),
});

test('C2: a large result is kept aside when it comes, and its handle gives it back byte for byte', async () => {
  const { session, again } = await begin({ policy: createPolicy({ prune: { offloadAbove: 8_192 } }) });
  await session.append({ type: 'message', message: say('fetch it') });
  await session.append({ type: 'message', message: called('fetch') });
  const { handle } = await session.append({ type: 'message', message: result('fetch', rows) });
  const { items, report } = await session.prepare({ model });
  expect(report.opened).toEqual([]);
  const sent = JSON.stringify(items);
  expect(sent).toContain(`kB of JSON in 1 line kept aside as @${handle}.`);
  expect(sent).toContain('Schema: ');
  expect(sent.length).toBeLessThan(3_000);
  expect((await session.recall({ handle: `@${handle}` })).text).toBe(rows);
  expect((await (await again()).prepare({ model })).items).toEqual(items);
});

test('C2: what was asked for as it is, is sent as it is, in one message with what is kept aside', async () => {
  const { session } = await begin({ policy: createPolicy({ prune: { offloadAbove: 8_192 } }) });
  await session.append({ type: 'message', message: say('look') });
  await session.append({ type: 'message', message: called('Read', 'fetch') });
  const parts = ['Read', 'fetch'].flatMap((id) => result(id, rows).parts);
  const { handle } = await session.append({ type: 'message', message: { role: 'tool', parts } });
  const { items } = await session.prepare({ model });
  const sent = items.flatMap((message) => message.parts).filter(({ type }) => type === 'tool_result');
  expect(sent[0]).toEqual(parts[0]);
  expect(JSON.stringify(sent[1])).toContain(`kept aside as @${handle}.2.`);
  expect((await session.recall({ handle: `@${handle}.2` })).text).toBe(rows);
});

test('without being asked for, nothing is kept aside', async () => {
  const { session } = await begin();
  const messages = [say('fetch it'), called('fetch'), result('fetch', rows)];
  for (const message of messages) await session.append({ type: 'message', message });
  expect((await session.prepare({ model })).items).toEqual(messages);
});
