import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * Removes variables from the environment of this process, also from the block that the kernel shows to every process of the
 * same user as `/proc/PID/environ`. Deleting from `process.env` does not change that block: it is memory that was filled
 * when the process was started. On Linux it is overwritten in place, so the process keeps its id, terminal and signals.
 * Returns whether they can no longer be read there; unknown on systems other than Linux.
 *
 * @example
 * clearEnvironment({ process, names: ['OPENAI_API_KEY'] }); // true on Linux
 */
export function clearEnvironment({
  process,
  names,
}: {
  readonly process: Pick<NodeJS.Process, 'env' | 'platform'>;
  readonly names: readonly string[];
}): boolean {
  for (const name of names) delete process.env[name];
  if (names.length === 0) return true;
  if (process.platform !== 'linux') return false;
  try {
    overwrite(new Set(names));
    return entriesOf(readFileSync('/proc/self/environ')).every(({ name }) => !names.includes(name));
  } catch {
    // No /proc, or the kernel does not allow it.
    return false;
  }
}

function overwrite(names: ReadonlySet<string>): void {
  // The program name, in parentheses, may contain spaces; the remaining fields start with the third.
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  const start = Number(fields[environmentStart - 3]);
  const block = readFileSync('/proc/self/environ');
  if (!Number.isSafeInteger(start) || start <= 0 || block.length === 0) return;
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (const { name, at, length } of entriesOf(block))
      if (names.has(name)) writeSync(memory, Buffer.alloc(length), 0, length, start + at);
  } finally {
    closeSync(memory);
  }
}

/** `env_start` is the 50th field of /proc/PID/stat, counted from 1: see proc(5). */
const environmentStart = 50;

interface EnvironmentEntry {
  readonly name: string;
  /** Its offset in the block. */
  readonly at: number;
  readonly length: number;
}

function entriesOf(block: Buffer): EnvironmentEntry[] {
  const entries: EnvironmentEntry[] = [];
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(0, at);
    const length = (end < 0 ? block.length : end) - at;
    const [name = ''] = block.toString('utf8', at, at + length).split('=', 1);
    if (length > 0) entries.push({ name, at, length });
    at += length + 1;
  }
  return entries;
}
