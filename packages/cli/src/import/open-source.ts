import { LonghaulError } from 'longhaul';
import { cannotRead, fileIsFolder, fileNotFound } from '../errors/file-errors.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { bytesText } from '../text/bytes.ts';
import { fileAt, type ImportSource } from './source.ts';

/**
 * Opens a source by its name.
 *
 * @example
 * const source = await openSource({ io, name: 'chat.jsonl', limit: 64 * 1024 * 1024 });
 */
export async function openSource({
  io,
  name,
  limit,
}: {
  readonly io: Io;
  /** As given on the command line; `-` is standard input. */
  readonly name: string;
  /** The maximum size of standard input in bytes. */
  readonly limit: number;
}): Promise<ImportSource> {
  if (name === '-') return await openInput({ io, limit });
  const path = pathOf(io).resolve(io.cwd, name);
  const facts = await io.files.stat(path).catch((error: unknown) => {
    throw cannotRead({ name, error });
  });
  if (!facts) throw fileNotFound({ name });
  if (facts.kind === 'folder') {
    const folder = name === '' ? undefined : await openFolder({ io, name, path });
    if (folder) return folder;
    throw name === '' ? fileIsFolder({ name }) : noSessionFolder({ name });
  }
  return fileAt({ io, name, path, bytes: facts.bytes });
}

/** A pipe can be read only once, but an import may have to restart, so the input is held in memory. */
async function openInput({ io, limit }: { readonly io: Io; readonly limit: number }): Promise<ImportSource> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of io.stdin()) {
    length += piece.length;
    if (length > limit) {
      throw new LonghaulError({
        code: 'file-too-large',
        message: `Standard input exceeds the limit of ${bytesText(limit)}.`,
        hint: 'Write it to a file and import that, or raise the limit with --limits-file-bytes.',
      });
    }
    pieces.push(piece);
  }
  return {
    name: 'standard input',
    bytes: length,
    isFile: false,
    open: async function* () {
      yield* pieces;
    },
    state: async () => undefined,
  };
}

function noSessionFolder({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'file-is-folder',
    message: `${name} is a folder, but not the folder of a session.`,
    hint: 'Name the files in it, e.g. with *.jsonl, or use --scan to find the sessions of agents on this machine.',
  });
}

/** Line breaks in JSON occur only between tokens, where a space is equivalent. */
const breaks: ReadonlySet<number> = new Set([0x0a, 0x0d]);

interface Place {
  readonly io: Pick<Io, 'files' | 'platform'>;
  readonly path: string;
}

/**
 * Opens the folder of a session as one source: for Copilot CLI its events file, for OpenHands its event files as lines.
 * `undefined` if it is not such a folder.
 *
 * @example
 * await openFolder({ io, name: 'abc', path: '/home/me/.openhands/conversations/abc' });
 */
async function openFolder({ io, name, path }: Place & { readonly name: string }): Promise<ImportSource | undefined> {
  const { join } = pathOf(io);
  const events = join(path, 'events.jsonl');
  const file = await io.files.stat(events).catch(() => undefined);
  if (file?.kind === 'file') return fileAt({ io, name: join(name, 'events.jsonl'), path: events, bytes: file.bytes });
  const names = await eventNames({ io, path });
  if (names.length === 0) return undefined;
  let bytes = 0;
  for (const event of names) bytes += (await io.files.stat(join(path, 'events', event)))?.bytes ?? 0;
  return {
    name,
    path,
    bytes,
    isFile: false,
    open: () => asLines({ io, path }),
    async state() {
      // Events are written once, so the newest file identifies the state.
      const now = await eventNames({ io, path });
      const last = now.at(-1);
      const facts = last === undefined ? undefined : await io.files.stat(join(path, 'events', last));
      return facts && `${now.length} ${facts.bytes} ${facts.modifiedAt}`;
    },
  };
}

/** In order: `event-00012-….json`. */
async function eventNames({ io, path }: Place): Promise<string[]> {
  const items = await io.files.list(pathOf(io).join(path, 'events')).catch(() => []);
  return items
    .map(({ name }) => name)
    .filter((name) => /^event-\d+.*\.json$/.test(name))
    .sort((a, b) => numberOf(a) - numberOf(b));
}

function numberOf(name: string): number {
  return Number.parseInt(name.slice('event-'.length), 10);
}

/** Each event as one line, however its file is formatted. */
async function* asLines({ io, path }: Place): AsyncGenerator<Uint8Array> {
  for (const name of await eventNames({ io, path })) {
    for await (const piece of io.files.read(pathOf(io).join(path, 'events', name))) {
      yield piece.map((byte) => (breaks.has(byte) ? 0x20 : byte));
    }
    yield Uint8Array.of(0x0a);
  }
}
