import { LonghaulError } from '../../errors.ts';
import { withTimeout } from '../../time.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { statRealPath } from '../workspace/open.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { defineTool, toolError, toolText } from './define.ts';
import type { Shell, ShellRun, Shells } from './shell/shells.ts';

const defaultTimeout = 120;
const maxTimeout = 3600;

const sandboxDescription =
  ' It runs in a sandbox: only the workspace and /tmp are writable, and /tmp is visible to commands only.';

interface BashTarget {
  readonly command: string;
  readonly cwd: string;
  readonly seconds: number;
  readonly isBackground: boolean;
  readonly isOutside: boolean;
}

/** Runs commands in the user's shell. */
export function bashTool({
  workspace,
  shells,
  sandbox,
}: {
  readonly workspace: Workspace;
  readonly shells: Shells;
  readonly sandbox: Sandbox | undefined;
}): Tool {
  return defineTool<BashTarget>({
    name: 'bash',
    description: `Runs a command in a new non-interactive shell; a change of folder does not persist. Returns its output and, if it fails, its exit code. Ends after ${defaultTimeout} seconds unless timeout says otherwise. With background it keeps running: read its output with bash_output, end it with bash_kill.${sandbox ? sandboxDescription : ''}`,
    properties: {
      command: { type: 'string', description: 'The command to run.' },
      timeout: { type: 'integer', minimum: 1, maximum: maxTimeout, description: 'Timeout in seconds.' },
      background: { type: 'boolean', description: 'Do not wait for it: for servers and watchers.' },
      workdir: { type: 'string', description: 'The folder to run it in; default: the workspace.' },
      ...(sandbox && {
        outside_sandbox: {
          type: 'boolean',
          description:
            'Run it without the sandbox, after the user has agreed. Only if the sandbox blocks something that is needed.',
        },
      }),
    },
    required: ['command'],
    target: async (args) => ({
      command: commandIn(args.needText('command')),
      cwd: (await workspace.resolve(args.text('workdir') ?? '.')).path,
      seconds: args.whole({ name: 'timeout', most: maxTimeout }) ?? defaultTimeout,
      isBackground: args.flag('background'),
      isOutside: sandbox !== undefined && args.flag('outside_sandbox'),
    }),
    access: ({ command, cwd, isOutside }) => ({
      kind: 'execute',
      command,
      cwd,
      ...(sandbox && { sandbox: { name: sandbox.name, network: sandbox.network, isLeft: isOutside } }),
    }),
    run: async ({ target: { command, cwd, seconds, isBackground, isOutside }, signal, onOutput }) => {
      await mustBeFolder(cwd);
      if (isBackground) {
        const { id } = shells.background({ command, cwd, isOutside });
        return toolText(`Command running in background with ID: ${id}`, { id });
      }
      const run = await shells.run({ command, cwd, isOutside, timeoutMs: seconds * 1000, signal, onText: onOutput });
      return outcomeOf({ run, seconds, isConfined: sandbox !== undefined && !isOutside });
    },
    close: () => shells.close(),
  });
}

/** The last line has a format that the engine parses, whatever the command printed. */
function outcomeOf({
  run,
  seconds,
  isConfined,
}: {
  readonly run: ShellRun;
  readonly seconds: number;
  readonly isConfined: boolean;
}): ToolOutcome {
  const { output, exit, failure, stopped, isLeft } = run;
  const { text, chars, file } = output;
  const details = { exit, chars, ...(file !== undefined && { file }), ...(stopped && { stopped }) };
  const said = text.trimEnd() || '(no output)';
  if (failure !== undefined) return toolError(`The command could not be started: ${failure}`, details);
  if (stopped === 'timeout') {
    const end = `Command timed out after ${seconds} seconds and was ended with everything it had started.`;
    return toolError(`${said}\n${end}`, details);
  }
  if (stopped === 'abort') return toolError(`${said}\nCommand aborted`, details);
  const note = isConfined && exit !== 0 ? blockedWriteNote(text) : undefined;
  const left = isLeft ? '\n[It left processes running; they were ended. Use background for that.]' : '';
  const rest = `${left}${note === undefined ? '' : `\n${note}`}`;
  if (exit !== 0) return toolError(`${said}${rest}\nCommand exited with code ${exit}`, details);
  return toolText(`${said}${rest}`, details);
}

function commandIn(command: string): string {
  const why = command.trim() === '' ? 'is empty' : command.includes('\0') ? 'has a NUL byte in it' : undefined;
  if (why === undefined) return command;
  throw new LonghaulError({ code: 'bad-arguments', message: `The command ${why}.`, hint: 'Give a command to run.' });
}

async function mustBeFolder(path: string): Promise<void> {
  const stats = await statRealPath({ path, shown: path }).catch(() => undefined);
  if (stats?.isDirectory()) return;
  throw new LonghaulError({ code: 'no-folder', message: `${path} is not a folder.`, hint: 'Set workdir to a folder.' });
}

/** Error messages for denied writes, with the path before or after. */
const complaint = /^.*(?:read-only file system|EROFS).*$/im;
const quotedPath = /['"‘`]((?:\/|\.\.?\/)[^'"’`\n]*)/;
const barePath = /(?:^|\s)((?:\/|\.\.?\/)[^\s:]*)/g;

/**
 * A note for a command that failed in the sandbox because of a blocked write: the path and the setting. `undefined` if
 * the output shows no such failure.
 */
export function blockedWriteNote(output: string): string | undefined {
  const [line] = complaint.exec(output.slice(-20_000)) ?? [];
  if (line === undefined) return undefined;
  // The program name comes first, so the last path counts.
  const path = quotedPath.exec(line)?.[1] ?? [...line.matchAll(barePath)].at(-1)?.[1];
  const what = path === undefined ? 'a write' : `a write to ${path}`;
  return `[The sandbox blocked ${what}. Only the workspace, /tmp and the folders in the setting sandbox.writable are writable. outside_sandbox: true asks the user to run the command without the sandbox.]`;
}

/** Reads the output of a background command. */
export function bashOutputTool({ shells }: { readonly shells: Shells }): Tool {
  return defineTool<{ readonly shell: Shell; readonly seconds: number }>({
    name: 'bash_output',
    description:
      'Returns what a background command has printed since the last call, and whether it has ended. With wait it returns only when the command has ended or the time is up.',
    properties: {
      bash_id: { type: 'string', description: 'The ID returned by bash.' },
      wait: { type: 'integer', minimum: 0, maximum: 300, description: 'Seconds to wait for the command to end.' },
    },
    required: ['bash_id'],
    target: (args) => ({
      shell: shellNamed({ shells, id: args.needText('bash_id') }),
      seconds: args.whole({ name: 'wait', least: 0, most: 300 }) ?? 0,
    }),
    run: async ({ target: { shell, seconds }, signal }) => {
      if (seconds > 0) await waitForEnd({ shell, seconds, signal });
      const { text, chars, file } = await shell.fresh();
      const outcome = shell.outcome();
      const said = text.trimEnd() || '(Nothing new.)';
      const state = outcome ? `Command exited with code ${outcome.exit}` : `[${shell.id} is still running.]`;
      const details = {
        id: shell.id,
        chars,
        ...(file !== undefined && { file }),
        ...(outcome && { exit: outcome.exit }),
      };
      return toolText(`${said}\n${state}`, details);
    },
  });
}

async function waitForEnd(of: { readonly shell: Shell; readonly seconds: number; readonly signal: AbortSignal }) {
  const { shell, seconds, signal } = of;
  // An abort ends the wait as well.
  await withTimeout({ work: () => shell.ended, timeout: seconds * 1000, signal, keepAlive: true }).catch(
    () => undefined,
  );
}

/** The background command with an id. */
function shellNamed({ shells, id }: { readonly shells: Shells; readonly id: string }): Shell {
  const shell = shells.find(id);
  if (shell) return shell;
  const message = `No background command ${JSON.stringify(id)}; commands of an earlier run have ended.`;
  throw new LonghaulError({ code: 'no-such-command', message, hint: 'Start it with bash and background.' });
}

/** Ends a background command. */
export function bashKillTool({ shells }: { readonly shells: Shells }): Tool {
  return defineTool<Shell>({
    name: 'bash_kill',
    description: 'Ends a background command and everything it has started.',
    properties: { bash_id: { type: 'string', description: 'The ID returned by bash.' } },
    required: ['bash_id'],
    target: (args) => shellNamed({ shells, id: args.needText('bash_id') }),
    run: async ({ target: shell }) => {
      const before = shell.outcome();
      if (before) return toolText(`${shell.id} had already ended.`, { id: shell.id, exit: before.exit });
      await shell.stop();
      const { exit } = await shell.ended;
      return toolText(`${shell.id} was ended.`, { id: shell.id, exit });
    },
  });
}
