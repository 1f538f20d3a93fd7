import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { fileAt, type Source } from './source.ts';

/** A line feed and a carriage return: in JSON they stand between values only, where a space does as well. */
const breaks: ReadonlySet<number> = new Set([0x0a, 0x0d]);

interface Place {
  readonly io: Pick<Io, 'files' | 'platform'>;
  readonly path: string;
}

/**
 * The folder that an agent gives a session, as one source: of Copilot CLI the events in it, of OpenHands its events one
 * after the other, a line each. `undefined` where it is no such folder.
 *
 * @example
 * await openFolder({ io, name: 'abc', path: '/home/me/.openhands/conversations/abc' });
 */
export async function openFolder({ io, name, path }: Place & { readonly name: string }): Promise<Source | undefined> {
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
      // An event is written once, so the newest tells of all.
      const now = await eventNames({ io, path });
      const last = now.at(-1);
      const facts = last === undefined ? undefined : await io.files.stat(join(path, 'events', last));
      return facts && `${now.length} ${facts.bytes} ${facts.modifiedAt}`;
    },
  };
}

/** In their order: `event-00012-….json`. */
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

/** Each event as a line, whether its file is written in one or in many. */
async function* asLines({ io, path }: Place): AsyncGenerator<Uint8Array> {
  for (const name of await eventNames({ io, path })) {
    for await (const piece of io.files.read(pathOf(io).join(path, 'events', name))) {
      yield piece.map((byte) => (breaks.has(byte) ? 0x20 : byte));
    }
    yield Uint8Array.of(0x0a);
  }
}
