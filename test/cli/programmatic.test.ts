import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command, environment, longhaul } from './longhaul.ts';
import { agentWorld, eventsOf, resultsIn } from './provider.ts';

type Line = ReturnType<typeof eventsOf>[number];

/** The command with an open standard input. */
function talk({
  cwd,
  env,
  args,
}: {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly args: readonly string[];
}) {
  const [file, ...first] = command;
  const child = spawn(file, [...first, '-p', '--input-format', 'stream-json', ...args, '--store', 'store'], {
    cwd,
    env: { ...environment({ home: cwd }), ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Line[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const wake of waiting.splice(0)) wake();
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  /** The next line of a type, from those that were not taken yet. */
  let taken = 0;
  const next = async (type: string): Promise<Line> => {
    for (;;) {
      while (taken < lines.length) {
        const line = lines[taken++];
        if (line?.type === type) return line;
      }
      await Promise.race([new Promise<void>((wake) => waiting.push(wake)), ended]);
      if (child.exitCode !== null && taken >= lines.length) throw new Error(`no ${type} in ${JSON.stringify(lines)}`);
    }
  };
  return {
    child,
    lines,
    ended,
    next,
    send: (line: object | string) => child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
  };
}

function files(cwd: string, given: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(given)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
}

test('stream-json: prompts, steering, permission answers and bad lines; killed and resumed', async () => {
  const { cwd, env, server } = await agentWorld({
    script: ({ body }) => {
      const text = JSON.stringify(body);
      if (text.includes('Hang.') && !text.includes('Go on.'))
        return { text: 'never', transport: { chunkBytes: 50, delayMs: 60_000 } };
      if (text.includes('Write it.') && resultsIn(body) === 0)
        return { toolCalls: [{ name: 'write', arguments: { file_path: 'a.txt', content: 'written' } }] };
      return { text: 'Done.' };
    },
  });
  const first = talk({ cwd, env, args: [] });
  expect(await first.next('stream_start')).toMatchObject({ protocol: 1, cwd });
  first.send('{ not json');
  expect(await first.next('input_error')).toMatchObject({ line: 1, message: 'The line is not JSON.' });
  first.send({ type: 'promt', text: 'x' });
  expect(await first.next('input_error')).toMatchObject({
    line: 2,
    message: expect.stringContaining('must be one of prompt'),
  });
  first.send({ type: 'permission', callId: 'c9', answer: 'allow' });
  expect(await first.next('input_error')).toMatchObject({ line: 3, message: 'No question about c9 is open.' });
  first.send({ type: 'prompt', text: 'Write it.', id: 'p1' });
  expect(await first.next('accepted')).toMatchObject({ line: 4, id: 'p1', isDuplicate: false });
  const { callId } = await first.next('permission_request');
  first.send({ type: 'permission', callId, answer: 'allow' });
  expect(await first.next('run_end')).toMatchObject({ reason: 'done', text: 'Done.' });
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('written');
  first.send({ type: 'prompt', text: 'Hang.', id: 'p2' });
  await first.next('turn_start');
  first.child.kill('SIGKILL');
  await first.ended;

  const second = talk({ cwd, env, args: ['--continue'] });
  expect(await second.next('run_start')).toMatchObject({ resumed: true });
  // What is steered before a request is made goes with it, and this one would then be answered at once.
  await second.next('turn_start');
  second.send({ type: 'prompt', text: 'Hang.', id: 'p2' });
  expect(await second.next('accepted')).toMatchObject({ id: 'p2', isDuplicate: true });
  second.send({ type: 'steer', text: 'Go on.' });
  second.send({ type: 'interrupt' });
  expect(await second.next('run_end')).toMatchObject({ reason: 'aborted' });
  second.send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Go on.' }] } });
  expect(await second.next('run_end')).toMatchObject({ reason: 'done' });
  second.child.stdin.end();
  expect(await second.ended).toBe(0);
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent.split('Hang.').length - 1).toBe(1);
}, 120_000);

test('the schema of stream-json is printed, and no prompt at all is an error', async () => {
  const { call } = await agentWorld({ script: [] });
  const { stdout } = await call(['-p', '--stream-schema']);
  expect(JSON.parse(stdout)).toMatchObject({ protocol: 1, input: expect.any(Object), output: expect.any(Object) });
  const empty = await call(['-p', '--input-format', 'stream-json'], '');
  expect(empty.code).toBe(2);
  expect(eventsOf(empty.stdout).at(-1)).toMatchObject({ error: { code: 'missing-prompt' } });
});

const project = {
  '.claude/commands/greet.md': '---\ndescription: Greets.\nallowed-tools: Bash(mkdir:*)\n---\nGreet $1 politely.',
  '.longhaul/agents/scout.md': '---\nname: scout\ndescription: Looks.\ntools: Read, LS\n---\nYou are the scout.',
  '.longhaul/extensions/clock.ts': `import { defineExtension, type ToolRun } from 'longhaul/agent';
import { writeFileSync } from 'node:fs';
writeFileSync('loaded', 'yes');
export const extension = defineExtension({
  name: 'clock',
  tools: [{ name: 'clock', description: 'Tells the time.', run: (call: ToolRun) => \`noon for \${call.callId.length > 0}\` }],
  commands: [{ name: 'time', description: 'Asks.', run: () => 'What time is it?' }],
  hooks: { userPromptSubmit: () => { setTimeout(() => { throw new Error('late'); }, 0); return undefined; } },
  renderers: { clock: ({ text }) => \`the clock says \${text}\` },
});
`,
  '.longhaul/extensions/broken.ts': 'export const extension = {',
};

describe('what a project adds to the agent', () => {
  const script: Parameters<typeof agentWorld>[0]['script'] = ({ body }) => {
    const text = JSON.stringify(body);
    if (text.includes('Another agent delegated')) return { text: 'Scouted.' };
    if (resultsIn(body) > 0) return { text: 'Done.' };
    if (text.includes('Greet Ada')) return { toolCalls: [{ name: 'bash', arguments: { command: 'mkdir hello' } }] };
    if (text.includes('What time')) return { toolCalls: [{ name: 'clock', arguments: {} }] };
    const task = (name: string) => ({
      name: 'task',
      arguments: { description: 'Look', prompt: 'Look.', ...(name !== '' && { agent: name }) },
    });
    return text.includes('Hand it over.') ? { toolCalls: [task('scout'), task('scout')] } : { text: 'Plain.' };
  };

  test('is off until it is trusted', async () => {
    const { cwd, env, call, server } = await agentWorld({ script });
    files(cwd, project);
    const { code, stdout, stderr } = await call(['-p', '/greet Ada']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Plain.\n' });
    expect(stderr).toMatch(
      /Off, because they come from the project: .*extension .*clock\.ts.*agent scout.*command \/greet/,
    );
    expect(existsSync(join(cwd, 'loaded'))).toBe(false);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).not.toMatch(/Greet Ada|scout|Tells the time/);
    const listed = await longhaul({ args: ['agents', '--json'], cwd, env });
    const states = JSON.parse(listed.stdout).items.map(
      (item: { name: string; state: string }) => `${item.name} ${item.state}`,
    );
    expect(states).toEqual([
      '.longhaul/extensions/broken.ts off',
      '.longhaul/extensions/clock.ts off',
      '/greet off',
      'scout off',
    ]);
    const wanted = await call(['-p', 'x', '--agent', 'scout']);
    expect(wanted.code).toBe(2);
    expect(wanted.stderr).toContain('longhaul trust');
  });

  test('works once it is trusted: command, agents and extension; a changed file is off again', async () => {
    const { cwd, env, call, server } = await agentWorld({ script });
    files(cwd, project);
    await longhaul({ args: ['trust', '--yes'], cwd, env });
    const greeted = await call(['-p', '/greet Ada Lovelace']);
    expect({ code: greeted.code, stdout: greeted.stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
    expect(existsSync(join(cwd, 'hello'))).toBe(true);
    expect(greeted.stderr).toMatch(/broken\.ts is not used/);
    expect(greeted.stderr).toMatch(/clock\.ts failed: late/);
    const time = await call(['-p', '/time']);
    expect(time.stdout).toBe('Done.\n');
    expect(time.stderr).toContain('  the clock says noon for true\n');
    const delegated = await call(['-p', 'Hand it over.', '--json']);
    const ends = eventsOf(delegated.stdout).filter(({ type }) => type === 'subagent_end');
    expect(ends).toMatchObject([{ agent: 'scout', costUsd: expect.any(Number) }, { agent: 'scout' }]);
    const scout = server.requests.find(({ body }) => JSON.stringify(body).includes('You are the scout.'))?.body;
    expect((scout as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(['read', 'ls', 'recall']);
    writeFileSync(join(cwd, '.claude/commands/greet.md'), 'Be rude to $1.');
    expect((await call(['-p', '/greet Ada'])).stderr).toContain('command /greet');
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('Be rude');
  }, 120_000);
});

test('a task in a worktree leaves the workspace alone, and its changes are named', async () => {
  const { cwd, call } = await agentWorld({
    script: ({ body }) => {
      const text = JSON.stringify(body);
      const isChild = text.includes('Another agent delegated');
      if (resultsIn(body) > 0) return { text: 'Done.' };
      if (isChild) return { toolCalls: [{ name: 'write', arguments: { file_path: 'made.txt', content: 'x' } }] };
      return { toolCalls: [{ name: 'task', arguments: { description: 'Make', prompt: 'Make it.', worktree: true } }] };
    },
  });
  const { execFileSync } = await import('node:child_process');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'start');
  const { code, stdout } = await call(['-p', 'Go.', '--yes', '--json']);
  expect(code).toBe(0);
  const [end] = eventsOf(stdout).filter(({ type, tool }) => type === 'tool_end' && tool === 'task');
  const [, path = ''] = /worktree (\S+), branch longhaul\//.exec(String(end?.text)) ?? [];
  expect(readFileSync(join(path, 'made.txt'), 'utf8')).toBe('x');
  expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
  expect(git('branch', '--list', 'longhaul/*')).toContain('longhaul/');
}, 60_000);

test('rewind --files puts back what the agent did, and leaves what a person did', async () => {
  const { cwd, call } = await agentWorld({
    script: ({ body }) =>
      resultsIn(body) > 0
        ? { text: 'Done.' }
        : {
            toolCalls: [
              { name: 'write', arguments: { file_path: 'a.txt', content: 'new' } },
              { name: 'bash', arguments: { command: 'rm b.txt && echo new > c.txt' } },
            ],
          },
  });
  files(cwd, { 'a.txt': 'old', 'b.txt': 'old', 'c.txt': 'old' });
  await call(['-p', 'Go.', '--yes']);
  writeFileSync(join(cwd, 'c.txt'), 'mine');
  const read = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8') : undefined);
  const planned = await call(['rewind', 'last', 'root', '--both', '--dry-run']);
  expect(planned.stdout.split('\n')).toEqual([
    'would be restored: a.txt',
    'would be created again: b.txt',
    'left alone: c.txt: it was also changed by a person or another program',
    '',
  ]);
  expect([read('a.txt'), read('b.txt'), read('c.txt')]).toEqual(['new', undefined, 'mine']);
  const { stdout } = await call(['rewind', 'last', 'root', '--both', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ leaf: null, files: { restored: [{}, {}], skipped: [{}], dryRun: false } });
  expect([read('a.txt'), read('b.txt'), read('c.txt')]).toEqual(['old', 'old', 'mine']);
  const undone = await call(['undo', 'last']);
  expect(undone.stdout).toMatch(/rewind .* undone[\s\S]*rewind of files undone/);
  expect([read('a.txt'), read('b.txt'), read('c.txt')]).toEqual(['new', undefined, 'mine']);
  expect((await call(['rewind', 'last', 'root', '--dry-run'])).code).toBe(2);
});
