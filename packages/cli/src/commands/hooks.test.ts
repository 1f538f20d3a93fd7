import { describe, expect, test } from 'vitest';
import { world } from './sessions.fixture.ts';

const userFile = '/home/me/.config/longhaul/config.json';

const settings = JSON.stringify({
  hooks: {
    PreCompact: [
      { command: './save', timeout: 3 },
      { command: 'exit 2', matcher: 'auto' },
      { command: 'exit 1' },
      { command: './pin' },
    ],
    PostCompact: [{ command: './tell', env: ['SLACK'] }],
  },
});

const commands = { './save': '', './pin': '{"pins":["Use tabs."],"colour":1}', './tell': 'thanks' };

function configured() {
  return world({ files: { [userFile]: settings }, commands, env: { PATH: '/bin', SLACK: 's', OPENAI_API_KEY: 'k' } });
}

describe('hooks test', () => {
  test('runs every hook and answers with exactly these members', async () => {
    const { json } = configured();
    const { code, value } = await json('hooks', 'test');
    expect(code).toBe(1);
    expect(value.hooks.map(({ event, takenAs }: { event: string; takenAs: string }) => [event, takenAs])).toEqual([
      ['PreCompact', 'nothing'],
      ['PreCompact', 'block'],
      ['PreCompact', 'failure'],
      ['PreCompact', 'answer'],
      ['PostCompact', 'nothing'],
    ]);
    expect(value.hooks[3]).toEqual({
      event: 'PreCompact',
      command: './pin',
      exitCode: 0,
      ms: 7,
      timedOut: false,
      takenAs: 'answer',
      answer: { pins: ['Use tabs.'] },
      ignored: ['colour'],
      reason: null,
      stdout: commands['./pin'],
      stderr: '',
    });
    expect(value.hooks[1]).toMatchObject({ exitCode: 2, reason: 'ended with 2', answer: null });
    expect(value.refused).toEqual([]);
  });

  test('shows a person how each ended and what that is taken as', async () => {
    const { call } = configured();
    const { code, stdout } = await call('hooks', 'test', 'precompact');
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      ...['PreCompact  ./save', '  exit code 0, 7 ms', '  interpreted as: no changes'],
      ...['PreCompact  exit 2', '  exit code 2, 7 ms', '  interpreted as: block: ended with 2'],
      ...['PreCompact  exit 1', '  exit code 1, 7 ms'],
      '  interpreted as: a failure, which blocks nothing: It ended with exit code 1: ended with 1',
      ...['PreCompact  ./pin', '  exit code 0, 7 ms', '  interpreted as:', '    pins: ["Use tabs."]'],
      ...['  ignored: colour', '', '4 hooks ran, 1 failed; a failed hook blocks nothing.', ''],
    ]);
  });

  test('gives each its sample input, with a timeout, without unlisted environment variables', async () => {
    const { io, json } = configured();
    await json('hooks', 'test');
    const reported = io.ranCommands.map(({ input }) => JSON.parse(input));
    expect(reported[0]).toMatchObject({ hook_event_name: 'PreCompact', trigger: 'manual', cwd: '/project' });
    // One that is only meant for automatic compactions is tried with one.
    expect(reported[1]).toMatchObject({ trigger: 'auto' });
    expect(reported[4]).toMatchObject({ hook_event_name: 'PostCompact', installed: true });
    expect(io.ranCommands.map(({ timeout }) => timeout)).toEqual([3_000, 10_000, 10_000, 10_000, 10_000]);
    expect(io.ranCommands.map(({ env }) => env.SLACK)).toEqual([undefined, undefined, undefined, undefined, 's']);
    expect(JSON.stringify(io.ranCommands)).not.toContain('OPENAI_API_KEY');
  });

  test('where none is set says so', async () => {
    const { call } = world();
    expect(await call('hooks', 'test')).toEqual({
      code: 0,
      stderr: '',
      stdout: 'No hooks are configured; see docs/hooks.md.\n',
    });
  });

  test('runs nothing that came with the project, unless its file is named', async () => {
    const { io, call, json } = world({ files: { '/project/longhaul.config.json': settings }, commands });
    const { stdout, stderr } = await call('hooks', 'test');
    expect(stdout).toMatch(/^No hooks are configured/);
    expect(stderr).toBe(
      'The hooks in /project/longhaul.config.json are not run, because they come from the project. If you trust them: --config /project/longhaul.config.json\n',
    );
    expect(io.ranCommands).toEqual([]);
    expect((await json('hooks', 'test')).value.refused).toEqual(['hooks.PreCompact', 'hooks.PostCompact']);
    expect((await json('hooks', 'test', '--config', 'longhaul.config.json')).value.hooks).toHaveLength(5);
  });

  test('an event that is none is answered with the likely one', async () => {
    const { json } = configured();
    const { code, value } = await json('hooks', 'test', 'PreCompat');
    expect(code).toBe(2);
    expect(value.error).toMatchObject({
      code: 'bad-usage',
      message: 'Unknown hook event "PreCompat". Did you mean "PreCompact"?',
    });
  });

  test('a missing file is reported', async () => {
    const { json } = configured();
    const { code, value } = await json('hooks', 'test', '--config', 'nowhere.json');
    expect(code).toBe(2);
    expect(value.error.message).toContain('/project/nowhere.json');
  });
});

test('hooks of the agent are tested as well, with a tool that their matcher names', async () => {
  const hooks = {
    PreToolUse: [{ command: 'exit 2', matcher: 'Edit|Write' }],
    Stop: [{ command: './goOn' }],
    SessionStart: [{ command: './context' }],
    Notification: [{ command: 'exit 1' }],
  };
  const { io, json } = world({
    files: { [userFile]: JSON.stringify({ hooks }) },
    commands: { './context': 'Use tabs.', './goOn': '{"decision":"block","reason":"Run the tests.","other":1}' },
  });
  const { code, value } = await json('hooks', 'test');
  expect(code).toBe(1);
  expect(
    value.hooks.map((hook: Record<string, unknown>) => [hook.event, hook.takenAs, hook.reason ?? hook.answer]),
  ).toEqual([
    ['SessionStart', 'answer', { context: ['Use tabs.'] }],
    ['PreToolUse', 'block', 'ended with 2'],
    ['Stop', 'block', 'Run the tests.'],
    ['Notification', 'failure', 'It ended with exit code 1: ended with 1'],
  ]);
  const inputs = io.ranCommands.map(({ input }) => JSON.parse(input));
  expect(inputs[1]).toMatchObject({ hook_event_name: 'PreToolUse', tool_name: 'edit' });
  expect((await json('hooks', 'test', 'stop')).value.hooks).toHaveLength(1);
});
