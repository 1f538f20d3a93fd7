import type { Io } from '../io/io.ts';

/** Something to import: a file, the folder of a session, or standard input. */
export interface ImportSource {
  /** Its name in messages. */
  readonly name: string;
  /** Its bytes, from the start on each call. */
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly bytes: number;
  /** Absolute; absent for standard input. */
  readonly path?: string;
  /** Whether it is a file that a reader may open by path. */
  readonly isFile: boolean;
  /** A fingerprint that changes when the content may have changed; `undefined` if the source is gone. */
  readonly state: () => Promise<string | undefined>;
}

/**
 * A file as a source.
 *
 * @example
 * fileAt({ io, name: 'chat.jsonl', path: '/project/chat.jsonl', bytes: 1200 });
 */
export function fileAt({
  io,
  name,
  path,
  bytes,
}: {
  readonly io: Pick<Io, 'files'>;
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}): ImportSource {
  const stateOf = async (file: string) => {
    const facts = await io.files.stat(file).catch(() => undefined);
    return facts && `${facts.bytes} ${facts.modifiedAt}`;
  };
  return {
    name,
    path,
    bytes,
    isFile: true,
    open: () => io.files.read(path),
    async state() {
      const own = await stateOf(path);
      // SQLite keeps the newest rows in a write-ahead log until a checkpoint.
      const walState = path.endsWith('.db') ? await stateOf(`${path}-wal`) : undefined;
      return own && [own, walState].join(' ').trim();
    },
  };
}
