import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as acp from '@agentclientprotocol/sdk';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { expect, onTestFinished, test } from 'vitest';
import { command, environment, longhaul } from './longhaul.ts';
import { agentWorld, resultsIn } from './provider.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const write = { name: 'write', arguments: { file_path: 'a.txt', content: 'hello\n' } };
const steps =
  (...answers: readonly LoopbackSpoken[]) =>
  ({ body }: LoopbackRequest): LoopbackSpoken =>
    answers[resultsIn(body)] ?? { text: 'Done.' };

/** An editor with the protocol's own client library, which answers every question in the same way, or never. */
function editor({
  cwd,
  env,
  answer,
  flags = [],
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly answer: 'allow' | 'always' | 'deny' | 'never';
  readonly flags?: readonly string[];
}) {
  const [file, ...first] = command;
  const child = spawn(file, [...first, 'acp', '--store', 'store', ...flags], {
    cwd,
    env: { ...environment({ home: cwd }), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const updates: acp.SessionUpdate[] = [];
  const questions: acp.RequestPermissionRequest[] = [];
  const app = acp
    .client({ name: 'test' })
    .onNotification(acp.methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      if (answer === 'never') return new Promise(() => undefined);
      return { outcome: { outcome: 'selected', optionId: answer } };
    });
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const { agent } = app.connect(stream);
  const text = () =>
    updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
      )
      .join('');
  const say = async (sessionId: string, line: string) =>
    await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: line }] });
  return { agent, child, updates, questions, text, say };
}

async function begin({ agent, cwd }: { readonly agent: acp.ClientContext; readonly cwd: string }): Promise<string> {
  const { protocolVersion } = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  expect(protocolVersion).toBe(acp.PROTOCOL_VERSION);
  return (await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
}

test('an editor sees text, tool calls and diffs, is asked, and opens the session again after kill -9', async () => {
  const { cwd, env } = await agentWorld({ script: steps({ text: 'I write. ', toolCalls: [write] }) });
  const first = editor({ cwd, env, answer: 'allow' });
  const sessionId = await begin({ agent: first.agent, cwd });
  const prompt = [{ type: 'text' as const, text: 'Write the file.' }];
  const ran = await first.agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
  expect(ran).toMatchObject({ stopReason: 'end_turn' });
  expect(first.text()).toBe('I write. Done.');
  expect(first.questions).toMatchObject([{ sessionId, toolCall: { kind: 'edit' } }]);
  const call = first.updates.find(({ sessionUpdate }) => sessionUpdate === 'tool_call');
  expect(call).toMatchObject({ content: [{ type: 'diff', path: join(cwd, 'a.txt'), newText: 'hello\n' }] });
  expect(first.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'completed' }),
  );
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('hello\n');
  const ended = new Promise((resolve) => first.child.once('exit', resolve));
  first.child.kill('SIGKILL');
  await ended;

  const second = editor({ cwd, env, answer: 'allow' });
  await begin({ agent: second.agent, cwd });
  const { sessions } = await second.agent.request(acp.methods.agent.session.list, { cwd });
  expect(sessions.map((each) => each.sessionId)).toContain(sessionId);
  await second.agent.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  expect(second.text()).toBe('I write. Done.');
  expect(second.updates.find(({ sessionUpdate }) => sessionUpdate.endsWith('_chunk'))).toMatchObject({
    sessionUpdate: 'user_message_chunk',
    content: { text: 'Write the file.' },
  });
});

test('a denied call does not run; read-only mode denies without asking; a bad session is one clear error', async () => {
  const { cwd, env } = await agentWorld({ script: steps({ text: 'I write.', toolCalls: [write] }) });
  const { agent, questions } = editor({ cwd, env, answer: 'deny' });
  const sessionId = await begin({ agent, cwd });
  const prompt = [{ type: 'text' as const, text: 'Write the file.' }];
  await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
  expect(questions).toHaveLength(1);
  await agent.request(acp.methods.agent.session.setMode, { sessionId, modeId: 'read-only' });
  await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
  expect(questions).toHaveLength(1);
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  const missing = agent.request(acp.methods.agent.session.prompt, { sessionId: 'none', prompt });
  await expect(missing).rejects.toThrow('not open');
});

test('cancel ends the run at once', async () => {
  const slow = { name: 'bash', arguments: { command: 'echo begun > begun; sleep 30' } };
  const { cwd, env } = await agentWorld({ script: steps({ text: 'I wait.', toolCalls: [slow] }) });
  const { agent } = editor({ cwd, env, answer: 'allow' });
  const sessionId = await begin({ agent, cwd });
  const prompt = [{ type: 'text' as const, text: 'Wait.' }];
  const running = agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
  await expect.poll(() => existsSync(join(cwd, 'begun')), { timeout: 30_000 }).toBe(true);
  await agent.notify(acp.methods.agent.session.cancel, { sessionId });
  expect(await running).toEqual({ stopReason: 'cancelled' });
});

test('notes of earlier sessions come with the first prompt, /memory dismisses one, and the session is consolidated at its end', async () => {
  const { cwd, env, call, server } = await agentWorld({ script: steps({ text: 'Done.' }) });
  await call(['memory', 'add', 'Tests need Docker.', '--kind', 'pitfall']);
  const { agent, child, updates, text } = editor({ cwd, env, answer: 'allow', flags: ['--memory-consolidate'] });
  const sessionId = await begin({ agent, cwd });
  const say = (line: string) =>
    agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text' as const, text: line }] });
  await say('Always use tabs in this repository.');
  expect(JSON.stringify(server.requests[0]?.body)).toContain('- Tests need Docker. (said by the user)');
  const thought = updates.find(({ sessionUpdate }) => sessionUpdate === 'agent_thought_chunk');
  expect(JSON.stringify(thought)).toContain('Tests need Docker.');
  expect(updates).toContainEqual(
    expect.objectContaining({ availableCommands: [expect.objectContaining({ name: 'memory' })] }),
  );
  const id = /([0-9a-f]{8}) {2}Tests/.exec(JSON.stringify(thought))?.[1] ?? '';
  const before = text().length;
  await say(`/memory dismiss ${id}`);
  await say('/memory forget it');
  expect(text().slice(before)).toContain(`dismissed:   ${id}  pitfall: Tests need Docker.`);
  expect(text().slice(before)).toContain('/memory does not know "forget".');
  expect(server.requests).toHaveLength(1);
  expect((await call(['memory', 'inbox', 'x'])).stdout).toBe('Nothing would be delivered.\n');
  child.stdin.end();
  const list = async () => (await call(['memory', 'list'])).stdout;
  await expect.poll(list, { timeout: 30_000, interval: 300 }).toContain('Always use tabs');
});

test('commands and MCP servers of a trusted project and of the editor work as they do in a terminal', async () => {
  const server = { command: process.execPath, args: [everything] };
  const script = ({ body }: LoopbackRequest): LoopbackSpoken =>
    resultsIn(body) === 0
      ? {
          toolCalls: ['project', 'editor'].map((name) => ({
            name: `mcp__${name}__echo`,
            arguments: { message: `via ${name}` },
          })),
        }
      : { text: 'Done.' };
  const { cwd, env, server: provider } = await agentWorld({ script });
  mkdirSync(join(cwd, '.longhaul/commands'), { recursive: true });
  writeFileSync(join(cwd, '.longhaul/commands/greet.md'), 'Say hello to $ARGUMENTS in French.\n');
  writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { project: server } }));
  const open = async () => {
    const at = editor({ cwd, env, answer: 'allow' });
    await at.agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION });
    const mcpServers: acp.McpServer[] = [{ name: 'editor', ...server, env: [] }];
    const started = await at.agent.request(acp.methods.agent.session.new, { cwd, mcpServers });
    const { sessionId } = started;
    const prompt = [{ type: 'text' as const, text: '/greet Ada' }];
    await at.agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
    return { ...at, sent: JSON.stringify(provider.requests.at(-1)?.body) };
  };
  const before = await open();
  expect(before.sent).toContain('Echo: via editor');
  expect(before.sent).not.toContain('Say hello to Ada in French.');
  expect(before.sent).not.toContain('Echo: via project');
  expect((await longhaul({ args: ['trust', '--yes'], cwd, env })).code).toBe(0);
  const after = await open();
  expect(after.sent).toContain('Say hello to Ada in French.');
  expect(after.sent).toContain('Echo: via project');
  expect(JSON.stringify(after.updates)).toContain('"name":"greet"');
});

test('cancel withdraws an open question, a second prompt is refused meanwhile, and the session goes on', async () => {
  const script = ({ body }: LoopbackRequest): LoopbackSpoken =>
    JSON.stringify(body).includes('Only answer.') ? { text: 'Answered.' } : { text: 'I write.', toolCalls: [write] };
  const { cwd, env } = await agentWorld({ script });
  const { agent, questions, say, text } = editor({ cwd, env, answer: 'never' });
  const sessionId = await begin({ agent, cwd });
  const running = say(sessionId, 'Write the file.');
  await expect.poll(() => questions.length, { timeout: 30_000 }).toBe(1);
  await expect(say(sessionId, 'And another.')).rejects.toThrow('still working on a prompt');
  await agent.notify(acp.methods.agent.session.cancel, { sessionId });
  expect(await running).toEqual({ stopReason: 'cancelled' });
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  expect(await say(sessionId, 'Only answer.')).toEqual({ stopReason: 'end_turn' });
  expect(text()).toContain('Answered.');
});

test('always is asked once; diffs of edits and failed calls are shown with paths of the folder of the session', async () => {
  const edit = (old_string: string, new_string: string) => ({
    name: 'edit',
    arguments: { file_path: 'notes.txt', old_string, new_string },
  });
  const script = steps(
    { toolCalls: [{ name: 'read', arguments: { file_path: 'notes.txt' } }] },
    { toolCalls: [edit('one', 'two')] },
    { toolCalls: [edit('two', 'three')] },
    { toolCalls: [edit('missing', 'four')] },
  );
  const { cwd, env } = await agentWorld({ script });
  // The editor may start the program in another folder than that of the session.
  const project = join(cwd, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'notes.txt'), 'one\n');
  const { agent, questions, say, updates } = editor({ cwd, env, answer: 'always' });
  const sessionId = await begin({ agent, cwd: project });
  await say(sessionId, 'Count.');
  expect(readFileSync(join(project, 'notes.txt'), 'utf8')).toBe('three\n');
  expect(questions).toHaveLength(1);
  const path = join(project, 'notes.txt');
  const diffs = updates.flatMap((update) => (update.sessionUpdate === 'tool_call' ? (update.content ?? []) : []));
  expect(diffs.slice(0, 2)).toEqual([
    { type: 'diff', path, oldText: 'one', newText: 'two' },
    { type: 'diff', path, oldText: 'two', newText: 'three' },
  ]);
  const statuses = updates.flatMap((update) => (update.sessionUpdate === 'tool_call_update' ? [update.status] : []));
  expect(statuses).toEqual(['completed', 'completed', 'completed', 'failed']);
});

test('--agent runs as a custom agent, and prompts of MCP servers are commands', async () => {
  const { cwd, env, server: provider } = await agentWorld({ script: steps({ text: 'Done.' }) });
  mkdirSync(join(cwd, '.claude/agents'), { recursive: true });
  const profile = ['---', 'name: reviewer', 'description: Reviews', 'tools: Read', '---', 'Review like a pirate.'];
  writeFileSync(join(cwd, '.claude/agents/reviewer.md'), `${profile.join('\n')}\n`);
  expect((await longhaul({ args: ['trust', '--yes'], cwd, env })).code).toBe(0);
  const { agent, say, updates } = editor({ cwd, env, answer: 'deny', flags: ['--agent', 'reviewer'] });
  await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION });
  const everythingServer: acp.McpServer = { name: 'all', command: process.execPath, args: [everything], env: [] };
  const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [everythingServer] });
  const named = () => updates.flatMap((update) => ('availableCommands' in update ? update.availableCommands : []));
  await expect.poll(() => named().map(({ name }) => name), { timeout: 30_000 }).toContain('mcp__all__args-prompt');
  expect(named().find(({ name }) => name === 'mcp__all__args-prompt')?.input).toEqual({ hint: 'city state' });
  await expect(say(sessionId, '/mcp__all__args-prompt')).rejects.toThrow('needs city');
  await say(sessionId, '/mcp__all__args-prompt Paris Texas');
  const { body } = provider.requests.at(-1) ?? {};
  const sent = JSON.stringify(body);
  expect(sent).toContain('Review like a pirate.');
  expect(sent).toContain("What's weather in Paris, Texas?");
  expect(sent).not.toContain('"name":"write"');

  const unknown = editor({ cwd, env, answer: 'deny', flags: ['--agent', 'writer'] });
  await expect(begin({ agent: unknown.agent, cwd })).rejects.toThrow(
    'There is no agent "writer". Known agents: reviewer.',
  );
});
