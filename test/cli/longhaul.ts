import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../../packages/cli/bin/longhaul.cjs', import.meta.url));

const compileCache = join(tmpdir(), 'longhaul-compile-cache');

export interface Ended {
  /** The exit code, or the signal that ended it. */
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Call {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Another program and its first arguments in place of the command. */
  readonly program?: readonly [string, ...string[]];
}

/** Runs the real command in a process of its own, with nothing of this machine's settings in its environment. */
export function longhaul({ args, cwd, env, input, program }: Call): Promise<Ended> {
  const [file, ...first] = program ?? command;
  const home = cwd ?? tmpdir();
  const child = spawn(file, [...first, ...args], {
    cwd: home,
    env: { ...environment({ home }), ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  // The command may end without having read its input.
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal, ...output }));
  });
}

/** An environment with nothing of this machine's settings in it. */
export function environment({ home }: { readonly home: string }): Record<string, string | undefined> {
  // What one run has compiled the next need not compile again: it is most of what a short command costs.
  return { PATH: process.env.PATH, HOME: join(home, 'no-home'), NODE_COMPILE_CACHE: compileCache };
}

/** An empty folder that goes away with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'longhaul-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Makes a named pipe, which Node itself cannot. */
export function makePipe({ path }: { readonly path: string }): void {
  spawnSync('/bin/sh', ['-c', 'mkfifo "$0"', path]);
}

/** For tests that start the process in a way of their own. It runs the build if that is newer than the sources. */
export const command: readonly [string, ...string[]] = [process.execPath, bin];
