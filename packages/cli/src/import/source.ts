import type { Io } from '../io/io.ts';

/** Something to import: a file, the folder of a session, or standard input. */
export interface Source {
  /** What it is called in sentences about it. */
  readonly name: string;
  /** Its bytes, from the beginning each time. */
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly bytes: number;
  /** Absolute; absent for standard input. */
  readonly path?: string;
  /** Whether it is a file, which a reader may open at its path. */
  readonly isFile: boolean;
  /** A text that is another one whenever the content may be; `undefined` where it is gone. */
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
}): Source {
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
      // The newest rows of a database stand beside it until it takes them in.
      const beside = path.endsWith('.db') ? await stateOf(`${path}-wal`) : undefined;
      return own && [own, beside].join(' ').trim();
    },
  };
}
