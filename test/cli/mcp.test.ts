import { spawn } from 'node:child_process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { command, environment } from './longhaul.ts';
import { world } from './world.ts';

const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const writingTools = ['pin', 'unpin', 'label', 'compact', 'undo', 'remember', 'forget'];
const time = '2026-01-02T03:04:05.000Z';

function session({ id, cwd, texts }: { readonly id: string; readonly cwd: string; readonly texts: readonly string[] }) {
  const records = [
    { type: 'session', version: 3, id, timestamp: time, cwd },
    ...texts.map((text, index) => ({
      type: 'message',
      id: `${id}-${index}`,
      parentId: index === 0 ? null : `${id}-${index - 1}`,
      timestamp: time,
      message: { role: index % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }], timestamp: 1 },
    })),
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** A store with a session of this folder, which has a secret across the border of two pages, and one of another folder. */
async function sessions() {
  const { cwd, json, file } = world();
  const long = `${'x'.repeat(11_990)} ${secret} the end of the long text`;
  file('here.jsonl', session({ id: 'here', cwd, texts: ['The port is 4711.', long] }));
  file('there.jsonl', session({ id: 'there', cwd: '/elsewhere', texts: ['The port elsewhere is 9.'] }));
  const { value: here } = await json('import', 'here.jsonl');
  const { value: there } = await json('import', 'there.jsonl');
  return { cwd, json, here: here.sessionId as string, there: there.sessionId as string };
}

async function connected({ cwd, args = [] }: { readonly cwd: string; readonly args?: readonly string[] }) {
  const [file, ...first] = command;
  const env = Object.fromEntries(
    Object.entries(environment({ home: cwd })).map(([name, value]) => [name, value ?? '']),
  );
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: file, args: [...first, 'mcp', ...args, '--store', 'store'], cwd, env }),
  );
  onTestFinished(async () => await client.close());
  return client;
}

async function textOf({
  client,
  name,
  input,
}: {
  readonly client: Client;
  readonly name: string;
  readonly input: Record<string, unknown>;
}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input });
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

test('an MCP client reads the memory of its repository', async () => {
  const { cwd, json } = world();
  await json('memory', 'add', 'Tests need Docker.', '--kind', 'pitfall');
  await json('memory', 'add', `The token is ${secret}.`);
  const client = await connected({ cwd });
  const text = await textOf({ client, name: 'memory', input: {} });
  expect(text).toContain('pitfall: Tests need Docker. (person)');
  expect(text).not.toContain(secret);
  expect(await textOf({ client, name: 'memory', input: { text: 'nothing like it' } })).toBe('No entries.');
});

test('an MCP client lists, searches and reads the sessions of its folder, with secrets masked', async () => {
  const { cwd, here, there } = await sessions();
  const client = await connected({ cwd });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['sessions', 'search', 'recall', 'frontier', 'memory']);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  for (const name of writingTools)
    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`Tool ${name} not found`);
  const listed = await textOf({ client, name: 'sessions', input: {} });
  expect(listed).toContain(here);
  expect(listed).not.toContain(there);
  const found = await textOf({ client, name: 'search', input: { query: 'port' } });
  expect(found).toContain(`${here} @`);
  expect(found).not.toContain('elsewhere');
  const handle = /@\d+(?:\.\d+)?/.exec(found)?.[0] ?? '';
  expect(await textOf({ client, name: 'recall', input: { handle } })).toBe('The port is 4711.');
  const pages = await Promise.all(
    [1, 2].map(async (page) => await textOf({ client, name: 'recall', input: { handle: '@2', page } })),
  );
  expect(pages[0]).toContain('[page 1 of 2; give page 2 for the next]');
  expect(pages[1]).toContain('the end of the long text');
  for (const page of pages) expect(page).not.toMatch(/ghp_|0123456789/);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([`longhaul://sessions/${here}`]);
  const entry = await client.readResource({ uri: `longhaul://sessions/${here}/@1` });
  expect(entry.contents).toMatchObject([{ text: 'The port is 4711.' }]);
});

test('with --write a client pins, labels, compacts, undoes and remembers; the log only grows', async () => {
  const { cwd, here, there, json } = await sessions();
  const client = await connected({ cwd, args: ['--write'] });
  const { tools } = await client.listTools();
  const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
  expect(writing.map(({ name }) => name)).toEqual(writingTools);
  expect(writing.every(({ annotations }) => typeof annotations?.destructiveHint === 'boolean')).toBe(true);
  const call = async (name: string, input: Record<string, unknown>) =>
    await textOf({ client, name, input: { session: here, ...input } });

  expect(await call('pin', { handle: '@1', text: 'port is 4711' })).toMatch(/^Pinned as @\d+: port is 4711$/);
  const pinned = /@\d+/.exec(await call('pin', { handle: '@1' }))?.[0] ?? '';
  expect(await call('pin', { handle: '@2' })).toMatch(/only a person's can become a rule/);
  expect(await call('pin', { handle: '@1', text: 'port is 9' })).toMatch(/^@1 does not contain these words\./);
  expect(await call('unpin', { handle: pinned })).toBe(`${pinned} is no longer a rule.`);
  expect(await call('unpin', { handle: '@1' })).toMatch(/^@1 is not a pin that this tool made\./);
  const { value: rules } = await json('pin', here);
  expect(rules.rules).toMatchObject([{ text: 'port is 4711' }]);

  expect(await call('label', { handle: '2', label: 'the long answer' })).toBe('@2 is now named "the long answer".');
  expect(await call('undo', {})).toMatch(/^There is no compaction/);
  expect(await call('compact', {})).toMatch(/^Compacted from \d+ to \d+ tokens\..*4711/s);
  expect(await call('undo', {})).toMatch(/^Undone: compaction at @\d+\.$/);

  const note = { kind: 'convention', text: 'The port is 4711.', handle: '@1' };
  expect(await call('remember', { ...note, text: 'The port is 9.' })).toMatch(/^It was not added\. Give the handle/);
  const entry = /^Added (\w+) convention: The port is 4711\.$/.exec(await call('remember', note))?.[1] ?? '';
  expect((await json('memory', 'list')).value.entries).toMatchObject([{ id: entry, author: 'agent' }]);
  expect(await textOf({ client, name: 'forget', input: { id: entry } })).toMatch(/rests on words of the user/);
  expect(await textOf({ client, name: 'forget', input: { id: 'ffffffff' } })).toMatch(/^There is no entry ffffffff\./);

  // Another folder's session is out of scope, and every entry from before is still there.
  const outside = await client.callTool({ name: 'label', arguments: { handle: '@1', label: 'x', session: there } });
  expect(outside).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Call `sessions`') }] });
  expect(await textOf({ client, name: 'recall', input: { handle: '@1' } })).toBe('The port is 4711.');
});

test('bad input gets one sentence that says what to do; sessions of other folders only with --all', async () => {
  const { cwd, there } = await sessions();
  const client = await connected({ cwd });
  const outside = await client.callTool({ name: 'recall', arguments: { handle: '@1', session: there } });
  expect(outside).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Call `sessions`') }] });
  const missing = await client.callTool({ name: 'recall', arguments: { handle: '@999' } });
  expect(missing.isError).toBe(true);
  const all = await connected({ cwd, args: ['--all'] });
  expect(await textOf({ client: all, name: 'recall', input: { handle: '@1', session: there } })).toContain('is 9.');
});

test('over HTTP with a token; a request from a web page or another host is refused', async () => {
  const { cwd } = await sessions();
  const [file, ...first] = command;
  const child = spawn(
    file,
    [...first, '--json', 'mcp', '--write', '--port', '0', '--token', 'open-sesame', '--store', 'store'],
    {
      cwd,
      env: environment({ home: cwd }),
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve) => {
    child.stdout.once('data', (data: Buffer) => resolve(JSON.parse(data.toString()).url));
  });
  const headers = { authorization: 'Bearer open-sesame' };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  expect(await textOf({ client, name: 'search', input: { query: 'port' } })).toContain('4711');
  const labeled = await textOf({ client, name: 'label', input: { handle: '@1', label: 'start' } });
  expect(labeled).toBe('@1 is now named "start".');
  await client.close();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const status = async (more: Record<string, string>) =>
    (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...more } })).status;
  expect(await status({})).toBe(401);
  expect(await status({ ...headers, origin: 'https://evil.example' })).toBe(403);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).not.toBeNull();
});
