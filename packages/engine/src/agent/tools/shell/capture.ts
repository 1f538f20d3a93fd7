import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What was kept of an output. */
export interface Captured {
  /** All of it, or its beginning and its end with a note between them. */
  readonly text: string;
  readonly chars: number;
  /** Where the rest is. */
  readonly file?: string;
}

/** Takes an output as it comes and keeps a bounded part of it in memory. */
export interface Capture {
  /** Resolves when there is room for more. */
  take(text: string): Promise<void>;
  end(): Promise<Captured>;
}

const headChars = 8_000;
const tailChars = 22_000;

/** Of one output. What comes after is counted and thrown away. */
const largestFile = 32 * 1024 * 1024;

/**
 * Keeps the beginning and the end of an output, and all of it in a file once it is too long to be told. The model is
 * told the file, not a handle of the log: an output of a gigabyte has no place in the log, and what it is cut to is what
 * the log holds.
 */
export function createCapture({
  file: path,
  onText,
}: {
  /** Made only where it is needed. */
  readonly file: string;
  readonly onText?: ((text: string) => void) | undefined;
}): Capture {
  let [head, tail, chars, lines, written] = ['', '', 0, 0, 0];
  let file: FileHandle | undefined;
  let isFull = false;
  // Two pipes must not write into each other's pieces.
  let line: Promise<unknown> = Promise.resolve();
  return {
    async take(text) {
      if (text === '') return;
      onText?.(text);
      const done = line.then(() => keep(text));
      line = done;
      await done;
    },
    async end() {
      await line;
      await file?.close().catch(() => undefined);
      const isWhole = chars <= headChars + tailChars;
      return {
        text: isWhole ? head + tail : shortened(),
        chars,
        ...(file && { file: path }),
      };
    },
  };

  async function keep(text: string): Promise<void> {
    chars += text.length;
    const room = headChars - head.length;
    const all = head + tail + text;
    head += text.slice(0, Math.max(0, room));
    tail += text.slice(Math.max(0, room));
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
    if (chars > headChars + tailChars) await spill(file || isFull ? text : all);
    if (tail.length > 2 * tailChars) tail = tail.slice(-tailChars);
  }

  /** A disk that is full must not end the command. */
  async function spill(text: string): Promise<void> {
    if (isFull) return;
    try {
      if (!file) {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        file = await open(path, 'wx', 0o600);
      }
      const data = Buffer.from(text, 'utf8');
      const rest = data.subarray(0, largestFile - written);
      written += rest.length;
      isFull = written >= largestFile;
      await file.write(rest);
    } catch {
      isFull = true;
    }
  }

  function shortened(): string {
    const end = tail.slice(-tailChars).toWellFormed();
    const start = head.toWellFormed();
    const rest = chars - start.length - end.length;
    const where =
      file === undefined
        ? ''
        : `; ${isFull ? `its first ${largestFile / 1024 / 1024} MB are` : 'all of it is'} in ${path}, which read and grep can look at`;
    return `${start}\n[… ${rest} of ${chars} characters in ${lines} lines left out${where} …]\n${end}`;
  }
}
