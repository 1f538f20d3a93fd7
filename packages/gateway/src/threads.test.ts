import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from 'longhaul/message';
import { expect, it } from 'vitest';
import { fileOf, shrinks, start } from './fixtures/start.ts';

const tool = {
  name: 'read',
  input_schema: { type: 'object' as const },
  run: (input: unknown) => fileOf(String((input as JsonObject).path)),
  parse: (input: unknown) => input,
};
const system = 'You read files.';
const turns = 16;

/** Asks for one file after the other, then ends. */
function reading() {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps > turns) return { text: 'All files were read.' };
    return { text: `Step ${steps}.`, toolCalls: [{ name: 'read', arguments: { path: `src/file-${steps}.ts` } }] };
  };
}

const threadOf = (body: unknown) => ((body as JsonObject).thread as JsonObject | undefined)?.type;

it('a thread that the server holds is compacted, and goes on as a new one', async () => {
  await using at = await start({ recall: true, loopback: { script: reading() } });
  const client = new Anthropic({ baseURL: at.url(), apiKey: 'k', maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Read all files. The word is ZANZIBAR-42.' }];
  const asked = { model: 'claude-opus-5', max_tokens: 1000, system, tools: [tool], messages };
  const answer = await client.beta.messages.toolRunner(asked);
  expect(answer.content).toMatchObject([{ text: 'All files were read.' }]);
  const { requests } = at.loopback;
  expect(requests).toHaveLength(turns + 1);
  expect(requests.filter(({ verdict }) => !verdict?.legal)).toEqual([]);
  const created = requests.slice(1).filter(({ body }) => threadOf(body) === 'create');
  expect(created.length).toBeGreaterThan(0);
  for (const { body, text } of created) {
    expect(body).toMatchObject({ system, tools: [{ name: 'read' }] });
    expect(text).toContain('ZANZIBAR-42');
    expect(text).not.toContain('recall');
  }
  // All others are as the client sent them.
  expect(requests.filter(({ body }) => threadOf(body) === 'continue')).toHaveLength(turns - created.length);
  const [session, ...others] = await at.sessions();
  expect(others).toEqual([]);
  expect(shrinks(session?.entries ?? [])).toBeGreaterThan(0);
});

it('a thread that the server has lost is replayed by the client into the same conversation', async () => {
  await using at = await start({ loopback: { script: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] } });
  const client = new Anthropic({ baseURL: at.url(), apiKey: 'k', maxRetries: 0 });
  const thread = client.beta.messages.thread({ model: 'claude-opus-5', max_tokens: 100, system });
  await thread.send({ role: 'user', content: 'First question?' });
  const fork = thread.fork();
  await thread.send({ role: 'user', content: 'Second question?' });
  // The whole history, under a new thread.
  await fork.send({ role: 'user', content: 'Third question?' });
  expect(at.loopback.requests.map(({ body, status }) => [threadOf(body), status])).toEqual([
    ['create', 200],
    ['continue', 200],
    ['create', 200],
  ]);
  const lost = { type: 'continue' as const, previous_message_id: 'msg_lost' };
  const create = client.beta.messages.create({
    model: 'claude-opus-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Fourth question?' }],
    thread: lost,
    betas: ['message-threads-2026-08-12'],
  });
  await expect(create).rejects.toMatchObject({ error: { error: { details: { error_code: 'thread_not_found' } } } });
  expect(at.loopback.requests.at(-1)?.text).toContain('"messages":[{"role":"user","content":"Fourth question?"}]');
  const logs = (await at.sessions()).map(({ entries }) => JSON.stringify(entries));
  expect(logs.filter((log) => log.includes('Second question?'))).toHaveLength(1);
  expect(logs.some((log) => log.includes('First question?') && log.includes('Third question?'))).toBe(true);
  expect(logs.some((log) => log.includes('Second question?') && log.includes('Third question?'))).toBe(false);
});
