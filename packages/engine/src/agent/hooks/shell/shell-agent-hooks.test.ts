import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { all, begin, endOf } from '../../fixtures/agent.ts';
import { says, toolOf, writes } from '../../fixtures/tools.ts';
import { type AgentShellCommands, createShellAgentHooks } from './shell-agent-hooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhaul-agent-hooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Real processes of the real shell around a real run. */
async function shelled(commands: AgentShellCommands) {
  const inputs: unknown[] = [];
  const write = toolOf({
    name: 'write',
    access: writes,
    run: async ({ input }) => {
      inputs.push(input);
      return says('written');
    },
  });
  const bench = await begin({
    script: (_, index) =>
      index === 0 ? { toolCalls: [{ name: 'write', id: 'c1', arguments: { path: 'a' } }] } : { text: 'Done.' },
    tools: [write],
    hooks: createShellAgentHooks({ commands, cwd: folder, timeout: 5 }),
  });
  const events = await all(bench.agent.run({ prompt: 'Go.' }));
  await bench.agent.close();
  return { ...bench, events, inputs, sent: JSON.stringify(bench.model.requests.at(-1)?.items) };
}

describe('commands as hooks of an agent', () => {
  test('read one JSON object with the names that Claude Code has', async () => {
    const file = join(folder, 'told.json');
    const { session } = await shelled({ PreToolUse: [{ command: `cat > ${file}` }] });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      hook_event_name: 'PreToolUse',
      session_id: session.id,
      cwd: '/repo',
      timestamp: '2026-01-01T00:00:00.000Z',
      tool_name: 'write',
      tool_input: { path: 'a' },
      tool_use_id: 'c1',
    });
  });

  test('exit code 2 denies a call, and standard error says why', async () => {
    const { inputs, sent } = await shelled({
      PreToolUse: [{ command: 'echo "Frozen." >&2; exit 2', matcher: 'Edit|Write' }],
    });
    expect(inputs).toEqual([]);
    expect(sent).toContain('Frozen.');
  });

  test('one that is meant for another tool is not run', async () => {
    expect((await shelled({ PreToolUse: [{ command: 'exit 2', matcher: 'bash' }] })).inputs).toHaveLength(1);
  });

  test('answers in the words of Claude Code are understood', async () => {
    const answer = (specific: object) => [
      { command: `cat <<'E'\n${JSON.stringify({ hookSpecificOutput: specific })}\nE` },
    ];
    expect((await shelled({ PreToolUse: answer({ updatedInput: { path: 'b' } }) })).inputs).toEqual([{ path: 'b' }]);
    const denied = await shelled({
      PreToolUse: answer({ permissionDecision: 'deny', permissionDecisionReason: 'Not so.' }),
    });
    expect(denied.sent).toContain('Not so.');
    const added = await shelled({ PostToolUse: answer({ additionalContext: 'Formatted.' }) });
    expect(added.sent).toContain('"origin":"engine","text":"Formatted."');
    const refused = await shelled({ PermissionRequest: answer({ decision: { behavior: 'deny', message: 'No.' } }) });
    expect(refused.inputs).toEqual([]);
  });

  test('words on standard output are context where a prompt is said, and nothing elsewhere', async () => {
    const { sent } = await shelled({
      UserPromptSubmit: [{ command: 'echo The branch is main.' }],
      PostToolUse: [{ command: 'echo unheard' }],
    });
    expect(sent).toContain('The branch is main.');
    expect(sent).not.toContain('unheard');
  });

  test('Stop that wants everything to end does not make the work go on', async () => {
    const { model } = await shelled({ Stop: [{ command: `echo '{"continue": false, "stopReason": "Enough."}'` }] });
    expect(model.requests).toHaveLength(2);
  });

  test('Stop with exit code 2 lets the work go on', async () => {
    const { model, sent } = await shelled({ Stop: [{ command: 'echo "The tests are red." >&2; exit 2' }] });
    expect(model.requests.length).toBeGreaterThan(2);
    expect(sent).toContain('The tests are red.');
  });

  test.each(['exit 1', 'sleep 60', 'echo "{ half"', 'no-such-command-anywhere'])(
    '%s stops nothing',
    async (command) => {
      const { inputs, events } = await shelled({ PreToolUse: [{ command, timeout: 0.2 }] });
      expect(inputs).toHaveLength(1);
      expect(endOf(events).reason).toBe('done');
      expect(events).toContainEqual({ type: 'notice', text: expect.stringContaining('preToolUse failed') });
    },
  );
});
