import { describe, expect, test } from 'vitest';
import { outcomeOf } from './outcome.ts';

const shell = (text: string, isError = false, isMarked = true) => outcomeOf({ text, isError, isMarked, kind: 'shell' });

describe('the outcome of a command, as each agent words it', () => {
  test.each([
    ['Claude Code', 'Exit code 128\nfatal: no', true, { state: 'failed', exit: 128 }],
    ['Claude Code', 'README.md', false, { state: 'ok' }],
    ['Claude Code, no', "The user doesn't want to proceed with this tool use. The", true, { state: 'refused' }],
    ['Claude Code, sibling', '<tool_use_error>Sibling tool call errored</tool_use_error>', true, { state: 'refused' }],
    ['Claude Code, background', 'Command running in background with ID: b1', false, { state: 'running', shell: 'b1' }],
    ['Codex', 'Exit code: 1\nWall time: 0.1 seconds\nOutput:\nExit code: 7', false, { state: 'failed', exit: 1 }],
    ['Codex, later', 'Chunk ID: a\nProcess exited with code 0\nOutput:\n', false, { state: 'ok', exit: 0 }],
    ['Codex, goes on', 'Process running with session ID 42\nOutput:\n', false, { state: 'running', shell: '42' }],
    ['Codex, older', '{"output":"x","metadata":{"exit_code":3}}', false, { state: 'failed', exit: 3 }],
    ['Copilot CLI', 'a\n<exited with exit code 0>', false, { state: 'ok', exit: 0 }],
    ['Copilot CLI', 'a\n<shellId: 26 completed with exit code 1>', false, { state: 'failed', exit: 1 }],
    [
      'Copilot CLI, background',
      '<command started in background with shellId: dev>',
      false,
      { state: 'running', shell: 'dev' },
    ],
    [
      'Copilot CLI, still',
      'x\n<command with shellId: w is still running after 180 seconds. Use read_bash.>',
      false,
      { state: 'running', shell: 'w' },
    ],
    ['pi', 'oh\n\n\nCommand exited with code 2', true, { state: 'failed', exit: 2 }],
    ['pi, aborted', 'half\n\nCommand aborted', true, { state: 'stopped' }],
    ['Gemini CLI', 'Output: x\nExit Code: 2\nProcess Group PGID: 5', false, { state: 'failed', exit: 2 }],
    ['Gemini CLI', 'Output: x\nProcess Group PGID: 5', false, { state: 'ok' }],
    ['Gemini CLI, no', '[Operation Cancelled] Reason: User denied execution.', true, { state: 'refused' }],
    ['OpenHands', 'x\n[The command completed with exit code 1.]', false, { state: 'failed', exit: 1 }],
    ['pnpm under opencode', 'x\n ELIFECYCLE  Command failed with exit code 2.\n', false, { state: 'failed', exit: 2 }],
  ])('%s: %j', (_agent, text, isError, expected) => {
    expect(shell(text, isError)).toEqual(expected);
  });

  test('similar text in the middle of the output is ignored', () => {
    const long = `start\n${'x'.repeat(4000)}\nExit code: 9\n${'x'.repeat(4000)}`;
    expect(shell(long)).toEqual({ state: 'ok' });
  });
});

describe('an error text without a code became "passed"', () => {
  test.each([
    'Error: Cannot find module "vitest"',
    'ok so far\nTypeError: x is undefined\n    at a.ts:1',
    'bash: vitest: command not found',
    'fatal: not a git repository',
    'npm ERR! missing script: test',
    'make: *** [all] Error 2',
  ])('nothing proves that it went well, even where an agent marks failures: %j', (text) => {
    expect(shell(text)).toEqual({ state: 'ok', isUnproven: true });
  });

  test('an exit code recorded separately from the text takes precedence', () => {
    expect(outcomeOf({ text: 'Error: no', isError: false, exit: 0, kind: 'shell' })).toEqual({ state: 'ok', exit: 0 });
    expect(outcomeOf({ text: 'fine', isError: false, exit: 2, kind: 'shell' })).toEqual({ state: 'failed', exit: 2 });
  });

  test('no error mark proves nothing if the agent is not known to mark failures', () => {
    expect(shell('all is well', false, false)).toEqual({ state: 'ok', isUnproven: true });
    expect(shell('Exit code: 0\nError: none', false, false)).toEqual({ state: 'ok', exit: 0 });
  });
});

describe('the outcome of an edit', () => {
  test.each([
    ['Edit applied successfully.', false, 'ok'],
    ['Could not find the exact text in a.ts.', true, 'failed'],
    ['apply_patch verification failed: Failed to find expected lines in a.ts', false, 'failed'],
    ['Your proposed edit has introduced new syntax error(s).', false, 'failed'],
  ])('%s', (text, isError, state) => {
    expect(outcomeOf({ text, isError, kind: 'edit' }).state).toBe(state);
  });

  test('a file that begins with the word Error was still read', () => {
    expect(outcomeOf({ text: `Error handling\n${'x'.repeat(500)}`, isError: false, kind: 'read' }).state).toBe('ok');
    expect(outcomeOf({ text: 'Error: no such file', isError: false, kind: 'read' }).state).toBe('failed');
  });
});
