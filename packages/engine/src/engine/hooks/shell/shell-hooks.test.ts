import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hookEvents } from '../../fixtures/hook-events.ts';
import type { HookFailure } from '../../types.ts';
import { combineHooks } from '../combine.ts';
import type { ShellCommand, ShellEvent } from './command.ts';
import { createShellHooks, runShellHook } from './shell-hooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhaul-hooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { before, compacting, after, beforeMove, afterMove } = hookEvents;

/** Real processes of the real shell. */
function shell(commands: { readonly [Event in ShellEvent]?: readonly ShellCommand[] }) {
  const failures: HookFailure[] = [];
  return {
    failures,
    hooks: createShellHooks({ commands, cwd: folder, onFailure: (failure) => void failures.push(failure) }),
  };
}

const run = (command: string, more: Partial<ShellCommand> = {}) =>
  runShellHook({ name: 'PreCompact', command: { command, ...more }, event: before, cwd: folder });

describe('a command', () => {
  test('reads one JSON object on its standard input, with the names that Claude Code has', async () => {
    const file = join(folder, 'told.json');
    const { hooks, failures } = shell({ PreCompact: [{ command: `cat > ${file}` }] });
    await hooks.beforeCompaction?.({ ...before, transcript: '/repo/transcript.jsonl' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      hook_event_name: 'PreCompact',
      session_id: before.session,
      transcript_path: '/repo/transcript.jsonl',
      cwd: '/repo',
      timestamp: '2027-01-15T08:00:00.000Z',
      trigger: 'auto',
      reason: 'threshold',
      custom_instructions: '',
      tokens: 90_000,
      window: 128_000,
      messages: 120,
    });
    expect(failures).toEqual([]);
  });

  test('after a compaction reads the summary and what came of it', async () => {
    const file = join(folder, 'after.json');
    const { hooks } = shell({ PostCompact: [{ command: `cat > ${file}` }] });
    await hooks.afterCompaction?.(after);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      hook_event_name: 'PostCompact',
      compact_summary: 'What was done.',
      installed: true,
      tokens_before: 90_000,
      tokens_after: 20_000,
      strategy: 'extractive',
    });
  });

  test('that moves, and one that is compacting, receive what they need', async () => {
    const { hooks, failures } = shell({
      Compacting: [{ command: 'grep -q \'"from":"@2","to":"@80"\' && echo told' }],
      PreMove: [{ command: 'grep -q \'"abandoned":4\' && echo \'{"summary":"It was a dead end."}\'' }],
      PostMove: [{ command: 'grep -q \'"leaf":"d"\'' }],
    });
    expect(await hooks.compacting?.(compacting)).toEqual({ context: ['told'] });
    expect(await hooks.beforeMove?.(beforeMove)).toEqual({ summary: 'It was a dead end.' });
    await hooks.afterMove?.(afterMove);
    expect(failures).toEqual([]);
  });

  test('that does not read its input is no accident', async () => {
    const large = { ...before, focus: 'x'.repeat(1_000_000) };
    const { hooks, failures } = shell({ PreCompact: [{ command: 'exec 0<&-; echo fine' }] });
    expect(await hooks.beforeCompaction?.(large)).toEqual({ context: ['fine'] });
    expect(failures).toEqual([]);
  });

  test('runs only for the triggers that it is meant for', async () => {
    const { hooks } = shell({
      PreCompact: [
        { command: 'echo by hand', matcher: 'manual' },
        { command: 'echo by itself', matcher: 'auto' },
        { command: 'echo overflow', matcher: 'overflow|memory' },
        { command: 'echo always', matcher: '*' },
      ],
    });
    const said = async (trigger: string) => (await hooks.beforeCompaction?.({ ...before, trigger }))?.context;
    expect(await said('manual')).toEqual(['by hand', 'always']);
    expect(await said('memory')).toEqual(['by itself', 'overflow', 'always']);
  });
});

describe('how it ends', () => {
  test('exit code 2 is a decision to block, and standard error its reason', async () => {
    const { hooks, failures } = shell({
      PreCompact: [{ command: 'echo "The tests are red." >&2; exit 2' }, { command: 'echo never asked' }],
      PreMove: [{ command: 'exit 2' }],
    });
    expect(await hooks.beforeCompaction?.(before)).toEqual({ cancel: 'The tests are red.' });
    expect(await hooks.beforeMove?.(beforeMove)).toEqual({ cancel: 'It gave no reason.' });
    expect(failures).toEqual([]);
  });

  test.each([
    ['another exit code', 'echo broken >&2; exit 1', 'exit', 'It ended with exit code 1: broken'],
    ['a command that is not there', 'no-such-command-anywhere', 'exit', 'It ended with exit code 127'],
    ['a signal', 'kill -9 $$', 'exit', 'It was ended by a signal'],
    ['half an object', 'echo \'{"pins": [\'', 'answer', 'begins like JSON and is none'],
    ['a wrong member', 'echo \'{"pins": 5}\'', 'answer', 'pins is not a text'],
  ])('%s is a failure, and stops nothing', async (_, command, kind, why) => {
    const { hooks, failures } = shell({ PreCompact: [{ command }, { command: 'echo next' }] });
    expect(await hooks.beforeCompaction?.(before)).toEqual({ context: ['next'] });
    expect(failures).toMatchObject([
      { hook: 'beforeCompaction', kind, command, why: expect.stringContaining(why) as string },
    ]);
  });

  test('what has happened cannot be blocked any more', async () => {
    const { hooks, failures } = shell({ PostCompact: [{ command: 'echo too bad >&2; exit 2' }] });
    await hooks.afterCompaction?.(after);
    expect(failures).toMatchObject([{ kind: 'exit', why: 'It wants to block, and PostCompact cannot: too bad.' }]);
  });

  test('when its time is up it is ended with everything that it has started', async () => {
    const file = join(folder, 'pid');
    const { hooks, failures } = shell({
      PreCompact: [{ command: `sleep 600 & echo $! > ${file}; wait`, timeout: 0.3 }],
    });
    expect(await hooks.beforeCompaction?.(before)).toBeUndefined();
    expect(failures).toMatchObject([{ kind: 'late' }]);
    const pid = Number(readFileSync(file, 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('after an abort it is killed, and that is no failure', async () => {
    const file = join(folder, 'waited');
    const { hooks, failures } = shell({ PreCompact: [{ command: `echo $$ > ${file}; sleep 600` }] });
    const off = new AbortController();
    const asked = hooks.beforeCompaction?.({ ...before, signal: off.signal });
    await expect.poll(() => pidIn(file)).toBeGreaterThan(0);
    off.abort();
    expect(await asked).toBeUndefined();
    await expect.poll(() => isAlive(pidIn(file))).toBe(false);
    expect(failures).toEqual([]);
  });

  test('what it leaves running with its pipes open is not waited for', async () => {
    const { ended, verdict } = await run('sleep 600 & echo $!; echo done');
    process.kill(Number(ended.stdout.split('\n')[0]), 'SIGKILL');
    expect(ended).toMatchObject({ code: 0, isLate: false });
    expect(verdict).toMatchObject({ as: 'answer' });
  });

  test('a folder that is not there is a failure with a sentence', async () => {
    const { verdict } = await runShellHook({
      name: 'PreCompact',
      command: { command: 'echo x' },
      event: before,
      cwd: join(folder, 'nowhere'),
    });
    expect(verdict).toMatchObject({ as: 'failure', why: expect.stringContaining('It could not be started') as string });
  });
});

describe('what it writes', () => {
  test('plain text is context, an object may add pins, focus and context', async () => {
    const { hooks } = shell({
      PreCompact: [{ command: 'echo "Deploys happen on Friday."' }, { command: 'echo \'{"pins":["a"],"focus":"b"}\'' }],
    });
    const answer = await hooks.beforeCompaction?.(before);
    expect(answer).toEqual({ context: ['Deploys happen on Friday.'], pins: ['a'], focus: 'b' });
  });

  test('the words of Claude Code are understood', async () => {
    const block = await run('echo \'{"decision":"block","reason":"not now"}\'');
    expect(block.verdict).toEqual({ as: 'block', reason: 'not now' });
    const stop = await run('echo \'{"continue":false,"stopReason":"enough"}\'');
    expect(stop.verdict).toEqual({ as: 'block', reason: 'enough' });
    const added = await run('echo \'{"hookSpecificOutput":{"additionalContext":"x","customInstructions":"y"}}\'');
    expect(added.verdict).toEqual({ as: 'answer', answer: { context: ['x'], focus: 'y' }, ignored: [] });
  });

  test('unknown members are named', async () => {
    const { verdict } = await run('echo \'{"pin":["a"],"systemMessage":"hi"}\'');
    expect(verdict).toEqual({ as: 'answer', answer: {}, ignored: ['pin'] });
  });

  test('more than is taken is read to the end, and not taken', async () => {
    const { ended, verdict } = await run('head -c 3000000 /dev/zero | tr "\\0" x; echo end >&2');
    expect(ended).toMatchObject({ code: 0, stderr: 'end\n' });
    expect(ended.stdout.length).toBe(65_536);
    expect(verdict).toMatchObject({ as: 'failure', kind: 'answer' });
  });
});

test('it sees nothing of the environment but what a shell needs and what was named for it', async () => {
  const environment = { PATH: process.env.PATH, HOME: '/home/me', ANTHROPIC_API_KEY: 'sk-1', SLACK: 'x', OTHER: 'y' };
  const { ended } = await runShellHook({
    name: 'PreCompact',
    event: before,
    cwd: folder,
    environment,
    command: { command: 'env', env: ['SLACK'] },
  });
  const names = ended.stdout.split('\n').map((line) => line.split('=')[0]);
  expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'SLACK', 'CLAUDE_PROJECT_DIR']));
  expect(ended.stdout).not.toContain('sk-1');
  expect(names).not.toContain('OTHER');
});

describe('known defects', () => {
  test('editor.md 3.10: the trigger of a compaction by hand is manual, and what was asked for arrives', async () => {
    const command = 'grep -q \'"trigger":"manual"\' && echo asked';
    const { ended } = await runShellHook({
      name: 'PreCompact',
      cwd: folder,
      command: { command: 'cat' },
      event: { ...before, trigger: 'manual', focus: 'the login bug' },
    });
    expect(JSON.parse(ended.stdout)).toMatchObject({ trigger: 'manual', custom_instructions: 'the login bug' });
    const { hooks } = shell({ PreCompact: [{ command }] });
    expect(await hooks.beforeCompaction?.({ ...before, trigger: 'manual' })).toEqual({ context: ['asked'] });
  });

  test('agents.md 1.5: a hook before a compaction can add context', async () => {
    const { verdict } = await run('echo "The staging server is down."');
    expect(verdict).toMatchObject({ as: 'answer', answer: { context: ['The staging server is down.'] } });
  });

  test('cli#1138, sessions.md 11.12: there is a hook after a compaction', () => {
    const { hooks } = shell({ PostCompact: [{ command: 'true' }] });
    expect(hooks.afterCompaction).toBeDefined();
  });

  test('sessions.md 9.1: a failing hook is reported, and the default summary is made', async () => {
    const { hooks } = shell({ PreCompact: [{ command: 'exit 1' }] });
    const reported: HookFailure[] = [];
    const all = combineHooks({ hooks: [hooks] });
    const answer = await all.beforeCompaction?.({ ...before, onFailure: (failure) => void reported.push(failure) });
    expect(answer).toBeUndefined();
    expect(reported).toMatchObject([{ kind: 'exit', command: 'exit 1' }]);
  });
});

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // One that has ended and was not fetched yet is still listed.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}
