import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type LoopbackOptions, startLoopback } from 'longhaul/testing';
import { onTestFinished } from 'vitest';
import { command, environment, folder, longhaul } from './longhaul.ts';

/** A provider that speaks the real protocol, and the variables that lead the command to it. */
async function provider(options: LoopbackOptions) {
  const server = await startLoopback(options);
  onTestFinished(() => server.close());
  const key = 'sk-ant-not-a-real-key-1234567890';
  return { server, key, env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: key } };
}

/** The command in a folder of its own, with such a provider. */
export async function agentWorld({
  isTemporary = false,
  ...options
}: LoopbackOptions & {
  /** Whether the temporary folder of the command is `tmp` in its working folder. */
  readonly isTemporary?: boolean;
}) {
  const { server, key, env: variables } = await provider(options);
  const cwd = folder();
  if (isTemporary) mkdirSync(join(cwd, 'tmp'));
  const env = { ...variables, ...(isTemporary && { TMPDIR: join(cwd, 'tmp') }) };
  const call = (args: readonly string[], input?: string) =>
    longhaul({ args: [...args, '--store', 'store'], cwd, env, ...(input !== undefined && { input }) });
  /** Starts the command without waiting for its end; standard input is closed. */
  const start = (args: readonly string[]) => {
    const [file, ...first] = command;
    const child = spawn(file, [...first, ...args, ...(args.includes('--store') ? [] : ['--store', 'store'])], {
      cwd,
      env: { ...environment({ home: cwd }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const ended = new Promise<number | string | null>((resolve) => {
      child.on('close', (status, by) => resolve(status ?? by));
    });
    return { child, ended, stdout: () => output.stdout, stderr: () => output.stderr };
  };
  return { server, key, env, cwd, call, start };
}

/** The events of a run, as `--json` prints them. */
export function eventsOf(stdout: string): { readonly type: string; readonly [member: string]: unknown }[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** How many results of tools a request has. */
export function resultsIn(body: unknown): number {
  return JSON.stringify(body).split('"tool_use_id"').length - 1;
}
