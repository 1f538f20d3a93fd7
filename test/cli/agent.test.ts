import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { command, environment, folder, longhaul } from './longhaul.ts';
import { agentWorld, eventsOf, resultsIn } from './provider.ts';

/** Answers by how many results came before. */
const steps =
  (...answers: readonly LoopbackSpoken[]) =>
  ({ body }: LoopbackRequest): LoopbackSpoken =>
    answers[resultsIn(body)] ?? { text: 'Done.' };

const write = { name: 'write', arguments: { file_path: 'a.txt', content: 'hello\n' } };
const slow = { name: 'bash', arguments: { command: 'echo begun > begun; sleep 20; echo ended > ended' } };

describe('longhaul -p', () => {
  test('streams the words to standard output, and everything else to standard error', async () => {
    const { call } = await agentWorld({
      script: steps({ text: 'I look.', toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'Nothing is here.' }),
    });
    const { code, stdout, stderr } = await call(['-p', 'What is here?']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I look.\nNothing is here.\n' });
    expect(stderr).toContain('> ls .');
    expect(stderr).toMatch(/2 turns, [\d,]+ tokens in/);
    expect(stderr).toMatch(/session [0-9a-f]{8}\n$/);
  });

  test('--json prints one event a line, and nothing else', async () => {
    const { call, cwd } = await agentWorld({ script: steps({ text: 'I write.', toolCalls: [write] }) });
    const { code, stdout, stderr } = await call(['-p', 'Write.', '--yes', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const events = eventsOf(stdout);
    expect(events[0]).toMatchObject({ type: 'run_start', cwd, resumed: false });
    expect(events.at(-1)).toMatchObject({ type: 'run_end', reason: 'done', turns: 2, text: 'Done.' });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('hello\n');
  });

  test('--agent is the custom agent of a file: its instructions are sent, and a missing file is an error', async () => {
    const { call, cwd, server } = await agentWorld({});
    writeFileSync(join(cwd, 'reviewer.md'), '---\nname: reviewer\ndescription: Reviews.\n---\nLook for bugs only.\n');
    expect(await call(['-p', 'Go.', '--agent', 'reviewer.md'])).toMatchObject({ code: 0 });
    expect(server.requests[0]?.text).toContain('Look for bugs only.');
    const missing = await call(['-p', 'Go.', '--agent', 'nobody.md']);
    expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('nobody.md') });
  });

  test('events carry request ids and message counts', async () => {
    const { call } = await agentWorld({});
    const { stdout } = await call(['-p', 'Go.', '--json']);
    const events = eventsOf(stdout);
    const [answer, usage] = ['answer', 'usage'].map((type) => events.find((event) => event.type === type));
    expect(answer?.requestId).toMatch(/^req_/);
    expect(usage).toMatchObject({ requestId: answer?.requestId, messageCount: expect.any(Number) });
    expect(events.find(({ type }) => type === 'turn_start')).toMatchObject({ messageCount: usage?.messageCount });
    const filled = events.find(({ type, event }) => type === 'engine' && (event as { type: string }).type === 'usage');
    expect(filled).toMatchObject({ event: { messageCount: usage?.messageCount } });
  });

  test('settings reach the requests: the provider compacts where it may', async () => {
    const { call, server } = await agentWorld({ script: () => ({ text: 'Done.', compaction: 'It was summed up.' }) });
    const { code, stdout, stderr } = await call(['-p', 'Go.', '--provider-compaction-anthropic', '--json']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const body = server.requests[0]?.body as { context_management?: unknown };
    expect(body.context_management).toEqual({ edits: [{ type: 'compact_20260112' }] });
    const events = eventsOf(stdout).filter(({ type }) => type === 'provider_compaction');
    expect(events).toMatchObject([{ kind: 'compaction', name: 'compaction' }]);
    await call(['-p', 'Go.', '--json']);
    expect(server.requests.at(-1)?.text).not.toContain('context_management');
  });

  test('reads the prompt from a pipe; next to that of the flag it is data', async () => {
    const { call, server } = await agentWorld({});
    await call(['-p'], 'Only this.\n');
    await call(['-p', 'Review this.'], 'diff --git a b\n');
    const said = server.requests.map(({ text }) => text);
    expect(said[0]).toContain('Only this.');
    expect(said[0]).not.toContain('piped-input');
    expect(said[1]).toMatch(/"Review this\."/);
    expect(said[1]).toMatch(/"<piped-input [^>]*>\\ndiff --git a b\\n\\n<\/piped-input>"/);
    await call(['-p', '--max-turns', '3', 'Behind flags.'], '');
    expect(server.requests[2]?.text).toContain('Behind flags.');
    expect(await call(['-p', 'fix', 'it'], '')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Two prompts'),
    });
    const nothing = await call(['-p'], '');
    expect(nothing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('There is no prompt') });
  });

  test('without a model it says so in three lines, and nothing is made', async () => {
    const cwd = folder();
    const env = { LONGHAUL_LOCAL_URL: 'http://127.0.0.1:1' };
    const { code, stdout, stderr } = await longhaul({ args: ['-p', 'hi', '--store', 'store'], cwd, env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toHaveLength(3);
    for (const word of ['No model is available', 'ANTHROPIC_API_KEY', 'Ollama', 'longhaul demo'])
      expect(stderr).toContain(word);
    expect(existsSync(join(cwd, 'store'))).toBe(false);
  });

  test('a failure of the model is one sentence, one of what to do, and exit code 1', async () => {
    const { call } = await agentWorld({ script: () => ({ failure: 'auth' }) });
    const { code, stderr } = await call(['-p', 'hi']);
    expect(code).toBe(1);
    expect(stderr).toContain('longhaul: invalid x-api-key\n  Check the provider key');
  });

  test('--max-turns ends it with exit code 3', async () => {
    const { call } = await agentWorld({ script: () => ({ toolCalls: [{ name: 'ls', arguments: {} }] }) });
    const { code, stdout } = await call(['-p', 'hi', '--max-turns', '2', '--json']);
    expect(code).toBe(3);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ type: 'run_end', reason: 'max_turns', turns: 2 });
  });

  test('nothing that a model or a tool writes is obeyed by a terminal', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2Jwords\u009b31m';
    const { call, cwd } = await agentWorld({
      script: steps(
        { text: evil, toolCalls: [{ name: 'bash', arguments: { command: 'cat evil; exit 1' } }] },
        { text: evil },
      ),
    });
    writeFileSync(join(cwd, 'evil'), evil);
    const reported = await call(['-p', 'hi', '--yes']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
    const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
    expect(reported.stdout).toContain('words');
    expect(reported.stdout + reported.stderr).not.toMatch(obeyed);
    const { stdout } = await call(['-p', 'hi', '--yes', '--json']);
    expect(stdout).not.toMatch(obeyed);
    expect(eventsOf(stdout).find(({ type }) => type === 'answer')).toMatchObject({
      message: { parts: [{ text: evil }, {}] },
    });
  });

  test('a reader that goes away is no failure', async () => {
    const { env, cwd } = await agentWorld({ script: () => ({ text: 'words '.repeat(20_000) }) });
    const [file, ...first] = command;
    const child = spawn(file, [...first, '-p', 'hi', '--store', 'store'], {
      cwd,
      env: { ...environment({ home: cwd }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.once('data', () => child.stdout.destroy());
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|Error/);
  });
});

describe('consent', () => {
  test('without --yes what changes something is denied, with the flag that allows it, and exit code 3', async () => {
    const { call, cwd, server } = await agentWorld({ script: steps({ toolCalls: [write] }, { text: 'I could not.' }) });
    const { code, stderr } = await call(['-p', 'Write.']);
    expect(code).toBe(3);
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    expect(stderr).toContain("Allow it with --yes or --allow 'write(a.txt)'.");
    // The model hears of it too, so that it can say what is missing.
    expect(server.requests.at(-1)?.text).toContain("--allow 'write(a.txt)'");
    const allowed = await call(['-p', 'Write.', '--allow', 'write(a.txt)']);
    expect(allowed.code).toBe(0);
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  });

  test('--deny wins over --yes', async () => {
    const { call, cwd } = await agentWorld({ script: steps({ toolCalls: [write] }) });
    expect((await call(['-p', 'Write.', '--yes', '--deny', 'write'])).code).toBe(0);
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  });

  test('what --deny keeps from being read is not found by a search either', async () => {
    const grep = { name: 'grep', arguments: { pattern: 'needle' } };
    const { call, cwd, server } = await agentWorld({ script: steps({ toolCalls: [grep] }) });
    mkdirSync(join(cwd, 'private'));
    for (const name of ['private/a.txt', 'b.txt']) writeFileSync(join(cwd, name), `needle of ${name}`);
    await call(['-p', 'Search.', '--deny', 'read(private/**)']);
    expect(server.requests.at(-1)?.text).toContain('needle of b.txt');
    expect(server.requests.at(-1)?.text).not.toContain('needle of private');
  });

  test('a rule that is none is refused before anything is asked', async () => {
    const { call, server } = await agentWorld({});
    expect(await call(['-p', 'hi', '--allow', 'bash(a; b)'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The rule "bash(a; b)"'),
    });
    expect(server.requests).toHaveLength(0);
  });

  test('commands do not get the key, and no file of the store but the log could hold it', async () => {
    const { call, key } = await agentWorld({
      script: steps({ toolCalls: [{ name: 'bash', arguments: { command: 'env | sort' } }] }),
    });
    const { stdout } = await call(['-p', 'hi', '--yes', '--json']);
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toContain(key);
  });
});

describe('going on', () => {
  test('--continue says it in the newest session of this folder, --session in another one', async () => {
    const { call, server } = await agentWorld({});
    const first = eventsOf((await call(['-p', 'One.', '--json'])).stdout)[0]?.session;
    const second = eventsOf((await call(['-p', 'Two.', '--json', '--continue'])).stdout)[0]?.session;
    await call(['-p', 'Another.']);
    await call(['-p', 'Three.', '--session', String(first)]);
    expect(second).toBe(first);
    expect(server.requests.at(-1)?.text).toMatch(/One\..*Two\..*Three\./s);
    expect(server.requests.at(-1)?.text).not.toContain('Another.');
  });

  test('where there is nothing to go on with, it says so', async () => {
    const { call } = await agentWorld({});
    expect(await call(['-p', '--continue'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no session to continue'),
    });
    await call(['-p', 'One.']);
    expect(await call(['-p', '--continue'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing in this session was interrupted'),
    });
    expect(await call(['-p', 'x', '--continue', '--session', 'last'])).toMatchObject({ code: 2 });
  });

  test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGKILL'] as const)(
    '%s in the middle of a command leaves a log that goes on',
    async (signal) => {
      const { call, env, cwd, server } = await agentWorld({ script: steps({ toolCalls: [slow] }, { text: 'I see.' }) });
      const [file, ...first] = command;
      const child = spawn(file, [...first, '-p', 'Run it.', '--yes', '--json', '--store', 'store'], {
        cwd,
        env: { ...environment({ home: cwd }), ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let stdout = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      while (!existsSync(join(cwd, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 50));
      child.kill(signal);
      const code = await new Promise((resolve) => child.on('close', (status, by) => resolve(status ?? by)));
      if (signal === 'SIGINT') {
        expect(code).toBe(130);
        expect(eventsOf(stdout).at(-1)).toMatchObject({ type: 'run_end', reason: 'aborted' });
      }
      const resumed = await call(['-p', '--continue', '--yes']);
      expect(resumed).toMatchObject({ code: 0, stdout: 'I see.\n' });
      expect(resumed.stderr).toContain('continues where it was interrupted');
      // It is not run a second time: it may have taken effect.
      expect(existsSync(join(cwd, 'ended'))).toBe(false);
      expect(server.requests.every(({ verdict }) => verdict?.legal !== false)).toBe(true);
    },
  );
});

describe('where it works', () => {
  test('--cwd is the workspace, and its settings hold', async () => {
    const { call, cwd } = await agentWorld({ script: steps({ toolCalls: [write] }) });
    const there = folder();
    await call(['-p', 'Write.', '--yes', '--cwd', there]);
    expect(existsSync(join(there, 'a.txt'))).toBe(true);
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    expect(await call(['-p', 'hi', '--cwd', 'nowhere'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The folder nowhere does not exist'),
    });
  });

  test('a model that came with the project is not asked', async () => {
    const { call, cwd, server } = await agentWorld({});
    writeFileSync(join(cwd, 'longhaul.config.json'), '{ "model": "anthropic/claude-haiku-4-5" }');
    const { stderr } = await call(['-p', 'hi']);
    expect(stderr).toContain('is not used, because it comes from the project');
    expect(server.requests[0]?.text).not.toContain('haiku');
    await call(['-p', 'hi', '--model', 'anthropic/claude-haiku-4-5']);
    expect(server.requests[1]?.text).toContain('haiku');
  });

  test('summaries are written by the same model, in the background, and tagged', async () => {
    let asked = 0;
    const { call, server } = await agentWorld({
      window: 20_000,
      async script({ headers }) {
        if (headers['x-interaction-type'] === 'conversation-compaction')
          return { text: '<summary>Counting.</summary>' };
        await new Promise((resolve) => setTimeout(resolve, 200));
        asked += 1;
        const text = Array.from({ length: 900 }, (_, n) => `${asked}x${n * n}`).join(' ');
        return asked < 12 ? { text, toolCalls: [{ name: 'ls', arguments: {} }] } : { text: 'Counted.' };
      },
    });
    const { code, stderr } = await call(['-p', 'Count.', '--yes', '--window', '20000']);
    expect(code).toBe(0);
    expect(stderr).toContain('compacted (');
    const tagged = server.requests.filter(({ headers }) => headers['x-interaction-type'] !== undefined);
    expect(tagged.length).toBeGreaterThan(0);
    expect(server.requests.every(({ verdict }) => verdict?.legal !== false)).toBe(true);
  });
});

test('hooks of the user run around tools, and those of the project do not', async () => {
  const { call, cwd, env } = await agentWorld({ script: steps({ toolCalls: [write] }, { text: 'It was not so.' }) });
  const file = JSON.stringify({ hooks: { PreToolUse: [{ command: 'echo Frozen. >&2; exit 2', matcher: 'write' }] } });
  writeFileSync(join(cwd, 'longhaul.config.json'), file);
  const project = await call(['-p', 'Write.', '--yes']);
  expect(project.stderr).toContain('The hooks in');
  expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  const trusted = await longhaul({
    args: ['-p', 'Write.', '--yes', '--store', 'store', '--config', 'longhaul.config.json'],
    cwd,
    env,
  });
  expect(trusted.stderr).toContain('Frozen.');
});
