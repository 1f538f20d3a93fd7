import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { LonghaulError } from 'longhaul';
import { systemCode } from './files.ts';
import type { ClientExit, ClientProcess } from './io.ts';

/** Signals that a process manager sends to this process only. A terminal sends its own to the whole group. */
const forwarded = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'] as const;

/**
 * Runs a program with the terminal of this process until it ends. Signals reach it; this process does not end before it.
 *
 * @throws LonghaulError `client-missing` or `client-not-started`.
 * @example
 * const { code } = await runClient({ process, client: { command: 'claude', args: [], env: process.env, cwd: '.' } });
 */
export async function runClient({
  process,
  client: { command, args, env, cwd },
}: {
  readonly process: NodeJS.Process;
  readonly client: ClientProcess;
}): Promise<ClientExit> {
  const child = spawn(command, [...args], { cwd, env, stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  // Ctrl-C is sent to the whole group by the terminal; a second one from here would be taken for a repeated Ctrl-C.
  const interrupt = (signal: NodeJS.Signals) => {
    if (!process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of forwarded) process.on(signal, forward);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.on(signal, interrupt);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(notStarted({ command, error })));
      child.once('close', (code, signal) =>
        resolve(signal === null ? { code: code ?? 0 } : { code: 128 + (constants.signals[signal] ?? 0), signal }),
      );
    });
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.off(signal, interrupt);
  }
}

function notStarted({ command, error }: { readonly command: string; readonly error: unknown }): LonghaulError {
  if (systemCode(error) === 'ENOENT')
    return new LonghaulError({
      code: 'client-missing',
      message: `The command "${command}" was not found.`,
      hint: 'Install it, or check PATH.',
      cause: error,
    });
  return new LonghaulError({
    code: 'client-not-started',
    message: `The command "${command}" could not be started: ${error instanceof Error ? error.message : String(error)}.`,
    hint: 'Try to start it without longhaul.',
    cause: error,
  });
}
