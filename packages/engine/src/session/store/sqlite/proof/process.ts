import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Runs a file of this folder in its own process; `lines` is its output. */
export function start({ file, args }: { readonly file: string; readonly args: readonly string[] }): {
  readonly child: ChildProcess;
  readonly lines: AsyncIterable<string>;
  readonly ended: Promise<number | null>;
} {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=longhaul-source', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, lines: createInterface({ input: child.stdout }), ended };
}
