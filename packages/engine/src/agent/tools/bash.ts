import { LonghaulError } from '../../errors.ts';
import { blockedWriteNote } from '../sandbox/blocked-write.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { lookAt } from '../workspace/open.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { defineTool, failed, told } from './define.ts';
import type { Run, Shells } from './shell/shells.ts';

const usualTimeout = 120;
const longestTimeout = 3600;

const sandboxed =
  ' It runs in a sandbox: only the workspace and /tmp can be written, and /tmp is seen by commands alone.';

interface Order {
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
  return defineTool<Order>({
    name: 'bash',
    description: `Runs a command in a shell of its own that nobody types into; a change of folder does not last. Gives what it prints and, when it fails, its exit code. Ends after ${usualTimeout} seconds unless timeout says otherwise. With background it goes on beside the work: look at it with bash_output, end it with bash_kill.${sandbox ? sandboxed : ''}`,
    properties: {
      command: { type: 'string', description: 'What to run.' },
      timeout: { type: 'integer', minimum: 1, maximum: longestTimeout, description: 'Seconds it may take.' },
      background: { type: 'boolean', description: 'Do not wait for it: for servers and watchers.' },
      workdir: { type: 'string', description: 'The folder to run it in; the workspace where it is left out.' },
      ...(sandbox && {
        outside_sandbox: {
          type: 'boolean',
          description:
            'Run it without the sandbox, after the user has agreed. Only where the sandbox blocked what is needed.',
        },
      }),
    },
    required: ['command'],
    target: async (args) => ({
      command: commandIn(args.needText('command')),
      cwd: (await workspace.place(args.text('workdir') ?? '.')).path,
      seconds: args.whole({ name: 'timeout', most: longestTimeout }) ?? usualTimeout,
      isBackground: args.flag('background'),
      isOutside: sandbox !== undefined && args.flag('outside_sandbox'),
    }),
    access: ({ command, cwd, isOutside }) => ({
      ...{ kind: 'execute', command, cwd },
      ...(sandbox && { sandbox: { name: sandbox.name, network: sandbox.network, isLeft: isOutside } }),
    }),
    run: async ({ target: { command, cwd, seconds, isBackground, isOutside }, signal, onOutput }) => {
      await mustBeFolder(cwd);
      if (isBackground) {
        const { id } = shells.background({ command, cwd, isOutside });
        return told(`Command running in background with ID: ${id}`, { id });
      }
      const run = await shells.run({ command, cwd, isOutside, timeoutMs: seconds * 1000, signal, onText: onOutput });
      return outcomeOf({ run, seconds, isConfined: sandbox !== undefined && !isOutside });
    },
    close: () => shells.close(),
  });
}

/** The last line is one that the engine understands, whatever the command printed. */
function outcomeOf({
  run,
  seconds,
  isConfined,
}: {
  readonly run: Run;
  readonly seconds: number;
  readonly isConfined: boolean;
}): ToolOutcome {
  const { output, exit, failure, stopped, isLeft } = run;
  const { text, chars, file } = output;
  const details = { exit, chars, ...(file !== undefined && { file }), ...(stopped && { stopped }) };
  const said = text.trimEnd() || '(It printed nothing.)';
  if (failure !== undefined) return failed(`The command could not be started: ${failure}`, details);
  if (stopped === 'timeout') {
    const end = `Command timed out after ${seconds} seconds and was ended with all that it had started.`;
    return failed(`${said}\n${end}`, details);
  }
  if (stopped === 'abort') return failed(`${said}\nCommand aborted`, details);
  const note = isConfined && exit !== 0 ? blockedWriteNote(text) : undefined;
  const left = isLeft ? '\n[It left processes running, and they were ended. Use background for that.]' : '';
  const rest = `${left}${note === undefined ? '' : `\n${note}`}`;
  if (exit !== 0) return failed(`${said}${rest}\nCommand exited with code ${exit}`, details);
  return told(`${said}${rest}`, details);
}

function commandIn(command: string): string {
  const why = command.trim() === '' ? 'is empty' : command.includes('\0') ? 'has a NUL byte in it' : undefined;
  if (why === undefined) return command;
  throw new LonghaulError({ code: 'bad-arguments', message: `The command ${why}.`, hint: 'Give a command to run.' });
}

async function mustBeFolder(path: string): Promise<void> {
  const stats = await lookAt({ path, shown: path }).catch(() => undefined);
  if (stats?.isDirectory()) return;
  throw new LonghaulError({ code: 'no-folder', message: `${path} is no folder.`, hint: 'Give workdir a folder.' });
}
