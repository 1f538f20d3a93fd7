import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process of its own that runs a file beside this one; `lines` is what it says. */
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
