import { isUtf8 } from 'node:buffer';
import { LonghaulError } from 'longhaul';
import { asLonghaulError } from '../errors/family.ts';
import { cannotRead } from '../errors/file-errors.ts';
import type { Io, OutputStream } from '../io/io.ts';
import { bar } from '../text/bar.ts';
import { bytesText } from '../text/bytes.ts';
import type { Counting } from './counting.ts';
import type { CountRefusal, Target } from './targets.ts';

interface CountedFile {
  readonly name: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly bound: number;
}

export interface CountOutcome {
  readonly counted: readonly CountedFile[];
  readonly refusals: readonly CountRefusal[];
  /** Files in folders that are not text. */
  readonly passedOver: number;
}

/** Concurrency: one file is read while another is counted. */
const together = 8;

/** Counts all targets; one that fails does not stop the others. */
export async function countTargets({
  io,
  targets,
  counting,
  limit,
  isQuiet,
}: {
  readonly io: Io;
  readonly targets: readonly Target[];
  readonly counting: Counting;
  readonly limit: number;
  readonly isQuiet: boolean;
}): Promise<CountOutcome> {
  const results: (CountedFile | CountRefusal | 'passed over')[] = [];
  // For the progress bar, reading and counting are assumed to take equally long.
  const total = targets.reduce((sum, { bytes }) => sum + 2 * bytes, 0);
  const progress = startProgress({ output: isQuiet ? { ...io.stderr, isTerminal: false } : io.stderr, total });
  const waiting = targets.entries();
  try {
    await Promise.all(Array.from({ length: together }, work));
  } finally {
    await progress.end();
  }
  return {
    counted: results.filter((result) => typeof result === 'object' && 'tokens' in result),
    refusals: results.filter((result) => typeof result === 'object' && 'error' in result),
    passedOver: results.filter((result) => result === 'passed over').length,
  };

  async function work(): Promise<void> {
    for (const [index, target] of waiting) results[index] = await countOne(target);
  }

  async function countOne(target: Target): Promise<CountedFile | CountRefusal | 'passed over'> {
    const { name } = target;
    try {
      const { text, bytes } = await readTarget({ io, target, limit, advance: progress.add });
      const { tokens, bound } = await counting.count(text);
      progress.add(bytes);
      return { name, bytes, tokens, bound };
    } catch (thrown) {
      const error = LonghaulError.is(thrown) ? thrown : asLonghaulError(thrown);
      if (error.code === 'internal') throw thrown;
      const isNoText = error.code === 'file-binary' || error.code === 'not-utf8';
      return target.found && isNoText ? 'passed over' : { name, error };
    }
  }
}

/** A progress bar on a terminal. */
interface ProgressBar {
  add(bytes: number): void;
  /** Removes the bar. */
  end(): Promise<void>;
}

/** Smaller counts finish before a bar could be read. */
const worthIt = 8 * 1024 * 1024;
const cells = 30;

/**
 * @example
 * const progress = startProgress({ output: io.stderr, total: 40_000_000 });
 * progress.add(1_000_000);
 * await progress.end();
 */
function startProgress({ output, total }: { readonly output: OutputStream; readonly total: number }): ProgressBar {
  if (!output.isTerminal || total < worthIt) return { add: () => undefined, end: async () => undefined };
  let done = 0;
  let shown = -1;
  let writing = Promise.resolve();
  return {
    add: (bytes) => {
      done = Math.min(total, done + bytes);
      const percent = Math.floor((done / total) * 100);
      if (percent === shown) return;
      shown = percent;
      print(`\r${bar({ share: done / total, cells })} ${String(percent).padStart(3)} % of ${bytesText(total)}`);
    },
    end: async () => {
      print('\r\u001b[K');
      await writing;
    },
  };

  function print(text: string): void {
    writing = writing.then(() => output.write(text)).catch(() => undefined);
  }
}

/** As in git: text has no zero byte near its start. */
const looked = 8_000;

/**
 * Reads the text of a file or of standard input. A byte order mark is kept, because it is sent and counted too.
 *
 * @example
 * await readTarget({ io, target, limit: 1024, advance: (bytes) => bar.add(bytes) });
 */
async function readTarget({
  io,
  target,
  limit,
  advance,
}: {
  readonly io: Io;
  readonly target: Target;
  readonly limit: number;
  /** Called with the size of each chunk. */
  readonly advance: (bytes: number) => void;
}): Promise<{ readonly text: string; readonly bytes: number }> {
  const { name, path } = target;
  const bytes = await collect();
  if (isBinary(bytes)) {
    throw new LonghaulError({ code: 'file-binary', message: `${name} is not text.`, hint: 'Name a text file.' });
  }
  if (!isUtf8(bytes)) {
    throw new LonghaulError({ code: 'not-utf8', message: `${name} is not UTF-8 text.`, hint: 'Save it as UTF-8.' });
  }
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), bytes: bytes.length };

  async function collect(): Promise<Uint8Array> {
    if (target.bytes > limit) throw tooLarge();
    const pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const piece of path === undefined ? io.stdin() : io.files.read(path)) {
        pieces.push(piece);
        length += piece.length;
        advance(piece.length);
        if (length > limit) break;
      }
    } catch (error) {
      throw cannotRead({ name, error });
    }
    if (length > limit) throw tooLarge();
    return Buffer.concat(pieces, length);
  }

  function tooLarge(): LonghaulError {
    return new LonghaulError({
      code: 'file-too-large',
      message: `${name} is larger than ${bytesText(limit)}.`,
      hint: 'Raise the limit with --limits-file-bytes.',
    });
  }
}

function isBinary(bytes: Uint8Array): boolean {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !utf16 && bytes.subarray(0, looked).includes(0);
}
