import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NotRegularError, openRegular } from '../../regular-file.ts';
import { refuseLinks } from '../refuse-links.ts';

/** A file of lines that only grows, as little of it as a transcript needs. */
export interface LineFile {
  /** Its bytes; 0 where it is not there. */
  size(): Promise<number>;
  /** Its lines from the first on, and at which byte each ends. What has no line end is the last, with `end` undefined. */
  lines(): AsyncIterable<{ readonly text: string; readonly end: number | undefined }>;
  /** Lets go of everything from byte `at` on, and writes the text there. */
  put(input: { readonly at: number; readonly text: string }): Promise<void>;
}

/**
 * A file of the file system; it is made, with its folder, when something is written. It must not be a link.
 *
 * @example
 * await openLineFile('/tmp/session.jsonl').put({ at: 0, text: '{}\n' });
 */
export function openLineFile(path: string): LineFile {
  return {
    async size() {
      try {
        const stats = await stat(path);
        if (!stats.isFile()) throw new NotRegularError(path);
        return stats.size;
      } catch (error) {
        if (isMissing(error)) return 0;
        throw error;
      }
    },
    async *lines() {
      await refuseLinks({ path });
      let rest: Buffer = Buffer.alloc(0);
      let at = 0;
      try {
        const file = await openRegular(path);
        for await (const piece of file.createReadStream() as AsyncIterable<Buffer>) {
          rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
          let start = 0;
          for (let feed = rest.indexOf(0x0a); feed >= 0; feed = rest.indexOf(0x0a, start)) {
            yield { text: rest.toString('utf8', start, feed), end: at + feed + 1 };
            start = feed + 1;
          }
          at += start;
          rest = rest.subarray(start);
        }
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      if (rest.length > 0) yield { text: rest.toString('utf8'), end: undefined };
    },
    async put({ at, text }) {
      await refuseLinks({ path });
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await opened(path);
      try {
        if ((await file.stat()).size > at) await file.truncate(at);
        await writeAll({ file, bytes: Buffer.from(text), at });
      } finally {
        await file.close();
      }
    },
  };
}

/** Opened for writing at a position: a file opened for appending is always written at its end. */
async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (!isMissing(error)) throw error;
    return await open(path, 'wx+', 0o600);
  }
}

async function writeAll(of: { readonly file: FileHandle; readonly bytes: Buffer; readonly at: number }): Promise<void> {
  for (let done = 0; done < of.bytes.length; ) {
    const { bytesWritten } = await of.file.write(of.bytes, done, of.bytes.length - done, of.at + done);
    done += bytesWritten;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
