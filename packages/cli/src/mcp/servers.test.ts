import { fileURLToPath } from 'node:url';
import type { Tool } from 'longhaul/agent';
import { user } from 'longhaul/message';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { settingsSchema } from '../settings/schema.ts';
import { type ConfiguredServer, configuredServers, expanded } from './config.ts';
import { type McpServers, openServers, withServerContent } from './servers.ts';

const fixture = fileURLToPath(new URL('./hostile-server.fixture.ts', import.meta.url));
const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

function program(name: string, ...args: readonly string[]): ConfiguredServer {
  const definition = { type: 'stdio' as const, command: process.execPath, args: [...args], env: {} };
  return { name, scope: 'user', definition };
}

async function open({
  configured,
  mcp = {},
  env = {},
}: {
  readonly configured: readonly ConfiguredServer[];
  readonly mcp?: Partial<{ startSeconds: number; callSeconds: number; deferShare: number }>;
  readonly env?: Readonly<Record<string, string>>;
}) {
  const notices: string[] = [];
  const servers = await openServers({
    io: { ...memoryIo({ env }), cwd: process.cwd() },
    configured,
    values: { mcp: { ...settingsSchema.parse({}).mcp, ...mcp } },
    count: (text) => Math.ceil(text.length / 4),
    onNotice: (text) => void notices.push(text),
  });
  return { servers, notices };
}

async function hostile(how: string, mcp: Parameters<typeof open>[0]['mcp'] = {}) {
  const opened = await open({ configured: [program('evil', fixture, how)], mcp });
  onTestFinished(opened.servers.close);
  return opened;
}

const toolsOf = (servers: McpServers) => servers.tools({ window: 1_000_000 });

async function call({
  tool,
  input = {},
}: {
  readonly tool: Tool | undefined;
  readonly input?: Record<string, string>;
}) {
  if (!tool) throw new Error('no such tool');
  await tool.access(input);
  const { content, isError } = await tool.run({ input, callId: 'c', signal: new AbortController().signal });
  return { text: content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n'), isError, content };
}

describe('a real server', () => {
  let opened: ReturnType<typeof open> | undefined;
  const real = async () => {
    opened ??= open({ configured: [program('every', everything)] });
    return (await opened).servers;
  };
  afterAll(async () => await (await opened)?.servers.close());

  test('its tools, prompts and resources have names of their own', async () => {
    const servers = await real();
    expect(servers.list()).toMatchObject([{ name: 'every', state: 'ready' }]);
    const echo = toolsOf(servers).find(({ definition }) => definition.name === 'mcp__every__echo');
    expect(await echo?.access({})).toMatchObject({ kind: 'remote', server: 'every', tool: 'mcp__every__echo' });
    expect(await call({ tool: echo, input: { message: 'hi' } })).toMatchObject({ text: 'Echo: hi' });
    expect((await servers.prompts()).map(({ name }) => name)).toContain('mcp__every__args-prompt');
    const [resource] = await servers.resources();
    expect(resource?.mention).toMatch(/^every:demo:/);
  });

  test('a slash command and a mention bring text of the server, without the authority of the user', async () => {
    const servers = await real();
    const run = await withServerContent({ message: user('/mcp__every__args-prompt Paris New Texas'), servers });
    expect(run.parts.map(({ origin }) => origin)).toEqual(['human', 'engine', 'data']);
    expect(JSON.stringify(run.parts[2])).toContain('Paris, New Texas');
    const [resource] = await servers.resources();
    const mentioned = await withServerContent({ message: user(`See @${resource?.mention}.`), servers });
    expect(mentioned.parts.map(({ origin }) => origin)).toEqual(['human', 'data']);
    const other = user('Mail me@every:demo and @nothing:there');
    expect(await withServerContent({ message: other, servers })).toEqual(other);
    await expect(servers.prompt({ name: 'mcp__every__args-prompt', words: [] })).rejects.toThrow('needs city');
    await expect(servers.prompt({ name: 'mcp__every__arg-prompt', words: [] })).rejects.toThrow('args-prompt?');
  });

  test('pictures arrive as pictures', async () => {
    const tool = toolsOf(await real()).find(({ definition }) => definition.name === 'mcp__every__get-tiny-image');
    expect((await call({ tool })).content).toContainEqual(expect.objectContaining({ type: 'image', origin: 'tool' }));
  });
});

describe('a hostile server', () => {
  test('cannot take the name of another tool', async () => {
    const { servers, notices } = await hostile('names');
    const names = toolsOf(servers).map(({ definition }) => definition.name);
    for (const name of names) expect(name).toMatch(/^mcp__evil__[A-Za-z0-9_-]{1,53}$/);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect(names).toHaveLength(5);
    expect(notices).toEqual([expect.stringContaining('two tools called mcp__evil__BASH')]);
  });

  test('that sends 100 MB ends the call with one line', async () => {
    const { servers, notices } = await hostile('huge');
    const [tool] = toolsOf(servers);
    expect((await call({ tool })).isError).toBe(true);
    expect(notices).toEqual([expect.stringContaining('more than 10 MB')]);
  });

  test('that changes a tool after consent: the call does not run, and the new tool has another fingerprint', async () => {
    const { servers } = await hostile('swap');
    const [tool] = toolsOf(servers);
    const before = await tool?.access({});
    const approved = { text: 'a' };
    await tool?.access(approved);
    expect((await call({ tool })).text).toBe('called 1');
    await expect.poll(() => toolsOf(servers)[0]?.definition.description).toContain('Sends all files');
    const [changed] = toolsOf(servers);
    const late = await changed?.run({ input: approved, callId: 'c', signal: new AbortController().signal });
    expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('has changed') }] });
    expect((await call({ tool })).text).toContain('has changed');
    const after = await changed?.access({});
    expect(before?.kind === 'remote' && after?.kind === 'remote' && before.fingerprint !== after.fingerprint).toBe(
      true,
    );
  });

  test('that returns instructions: they have the origin of a tool', async () => {
    const { servers } = await hostile('instructions');
    const [tool] = toolsOf(servers);
    expect((await call({ tool })).content).toMatchObject([{ origin: 'tool', text: expect.stringContaining('SYSTEM') }]);
  });

  test('that changes its tools all the time is followed for a while, in batches', async () => {
    const { servers } = await hostile('storm');
    const seen = new Set<readonly Tool[]>();
    await call({ tool: toolsOf(servers)[0] });
    await expect.poll(() => toolsOf(servers).map(({ definition }) => definition.name)).toContain('mcp__evil__more_49');
    seen.add(toolsOf(servers));
    expect(toolsOf(servers)).toBe([...seen][0]);
  });

  test('that hangs or dies costs one line', async () => {
    const hanging = await hostile('hang', { startSeconds: 1 });
    expect(hanging.notices).toEqual(['The MCP server evil is not available: it did not answer within 1 s']);
    expect(toolsOf(hanging.servers)).toEqual([]);
    const dying = await hostile('die');
    const [tool] = toolsOf(dying.servers);
    expect((await call({ tool })).isError).toBe(true);
    expect(dying.notices).toEqual([expect.stringContaining('The MCP server evil is not available')]);
    // Its tools stay, so that requests stay the same; it is started again for the next call.
    expect(toolsOf(dying.servers).map(({ definition }) => definition)).toEqual([tool?.definition]);
    expect((await call({ tool })).isError).toBe(true);
    const silent = await hostile('silent', { callSeconds: 1 });
    expect((await call({ tool: toolsOf(silent.servers)[0] })).text).toContain('timed out');
  });

  test('gets no keys', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-1', GITHUB_TOKEN: 'ghp', LANG: 'C' };
    const { servers } = await open({ configured: [program('evil', fixture, 'env')], env });
    onTestFinished(servers.close);
    const { text } = await call({ tool: toolsOf(servers)[0] });
    expect(text).toContain('LANG');
    expect(text).not.toMatch(/KEY|TOKEN/);
  });
});

test('more schemas than a tenth of the window are found by search, and called under their own names', async () => {
  const { servers } = await hostile('many');
  expect(toolsOf(servers)).toHaveLength(60);
  const tools = servers.tools({ window: 20_000 });
  expect(tools.filter(({ isHidden }) => !isHidden).map(({ definition }) => definition.name)).toEqual([
    'find_tools',
    'use_tool',
  ]);
  expect(servers.tools({ window: 20_000 })).toBe(tools);
  const [find, use] = tools;
  const found = await call({ tool: find, input: { query: 'number 42' } });
  expect(found.text.split('\n')[0]).toContain('"mcp__evil__tool_42"');
  const input = { name: 'mcp__evil__tool_42', input: { text: 'done' } };
  expect(await use?.access(input)).toMatchObject({ kind: 'remote', tool: 'mcp__evil__tool_42' });
  const outcome = await use?.run({ input, callId: 'c', signal: new AbortController().signal });
  expect(outcome?.content).toMatchObject([{ text: 'done' }]);
  const wrong = await use?.run({
    input: { name: 'bash', input: {} },
    callId: 'c',
    signal: new AbortController().signal,
  });
  expect(wrong?.isError).toBe(true);
});

describe('configuration', () => {
  const read = async (text: string) =>
    await configuredServers({
      io: memoryIo({ files: { '/project/.mcp.json': text } }),
      values: {
        mcp: { ...settingsSchema.parse({}).mcp, servers: { mine: { type: 'http', url: 'https://a', headers: {} } } },
      },
    });

  test.each([
    ['', 'is empty'],
    ['{', 'not valid JSON'],
    ['[]', 'no object "mcpServers"'],
    ['{"mcpServers":{"a__b":{"command":"x"}}}', 'invalid name'],
    ['{"mcpServers":{"a":{"command":""}}}', 'is invalid'],
    ['{"mcpServers":{"a":{"command":"x"},"A":{"command":"y"}}}', 'name of another one'],
  ])('%s is one sentence', async (text, sentence) => {
    const { servers, problems } = await read(text);
    expect(problems).toEqual([expect.stringContaining(sentence)]);
    expect(servers.filter(({ scope }) => scope === 'project').length).toBeLessThanOrEqual(1);
  });

  test('a server of the user wins, and one of the project needs trust', async () => {
    const { servers } = await read('{"mcpServers":{"mine":{"command":"x"},"theirs":{"command":"y"}}}');
    expect(servers.map(({ name, scope, trust }) => [name, scope, trust !== undefined])).toEqual([
      ['mine', 'user', false],
      ['theirs', 'project', true],
    ]);
  });

  test('variables are replaced; a project gets no key of a model', () => {
    const written = (scope: 'user' | 'project', value: string): ConfiguredServer => ({
      name: 'a',
      scope,
      definition: { type: 'http', url: 'https://a', headers: { X: value } },
    });
    const env = { TOKEN: 't', OPENAI_API_KEY: 'sk' };
    const expand = (scope: 'user' | 'project', name: string) =>
      expanded({ server: written(scope, `\${${name}}`), env });
    expect(expand('project', 'TOKEN')).toMatchObject({ headers: { X: 't' } });
    expect(expand('project', 'NONE:-none')).toMatchObject({ headers: { X: 'none' } });
    expect(expand('user', 'OPENAI_API_KEY')).toMatchObject({ headers: { X: 'sk' } });
    expect(() => expand('project', 'OPENAI_API_KEY')).toThrow('no API keys');
    expect(() => expand('user', 'NONE')).toThrow('needs the environment variable NONE');
  });
});
