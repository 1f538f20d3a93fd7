import Anthropic from '@anthropic-ai/sdk';
import type { Json, JsonObject } from 'longhaul/message';
import type { LoopbackRequest } from 'longhaul/testing';
import { expect, it } from 'vitest';
import { fileOf, shrinks, start } from './fixtures/start.ts';
import { recallName } from './recall/filter.ts';

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
  await using at = await start({ loopback: { script: reading() } });
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

it('what was compacted away of a thread is recalled', async () => {
  const read = reading();
  let hasAsked = false;
  let found: string | undefined;
  const script = (request: LoopbackRequest) => {
    const { tools, messages } = request.wholeBody as {
      readonly tools?: readonly JsonObject[];
      readonly messages: readonly Json[];
    };
    if (!tools?.some(({ name }) => name === recallName) || found !== undefined) return read();
    // The first time the tool is there it is called; its result is the newest message after that.
    if (hasAsked) found = /PASSWORD-\d+/.exec(JSON.stringify(messages.at(-1)))?.[0];
    if (hasAsked) return read();
    hasAsked = true;
    return { toolCalls: [{ name: recallName, arguments: { query: 'PASSWORD' } }] };
  };
  await using at = await start({ recall: true, loopback: { script } });
  const client = new Anthropic({ baseURL: at.url(), apiKey: 'k', maxRetries: 0 });
  const first = {
    ...tool,
    run: (input: unknown) =>
      `${(input as JsonObject).path === 'src/file-1.ts' ? 'PASSWORD-77 ' : ''}${tool.run(input)}`,
  };
  const messages = [{ role: 'user' as const, content: 'Read all files.' }];
  const answer = await client.beta.messages.toolRunner({
    model: 'claude-opus-5',
    max_tokens: 1000,
    system,
    tools: [first],
    messages,
  });
  expect(answer.content).toMatchObject([{ text: 'All files were read.' }]);
  expect(found).toBe('PASSWORD-77');
  expect(at.loopback.requests.filter(({ verdict }) => !verdict?.legal)).toEqual([]);
  expect(at.loopback.requests.length).toBeGreaterThan(turns + 1);
});

it('a thread that is begun anew with its history is found; one that is not known passes as it came', async () => {
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
