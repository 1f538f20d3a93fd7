import type { LonghaulError } from 'longhaul';
import { type Glimpse, glimpseSession, type ImportFormat } from 'longhaul/formats';
import type { SessionId, SessionSummary } from 'longhaul/session';
import { asLonghaulError } from '../errors/family.ts';
import type { Ledger } from '../import/ledger.ts';
import { openSource } from '../import/open-source.ts';
import type { Source } from '../import/source.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { type Candidate, matching } from './find.ts';

/** A session that an agent has on this machine. */
export interface Found {
  readonly agent: string;
  readonly format: ImportFormat;
  readonly path: string;
  /** The files of its sub-agents. */
  readonly parts: readonly string[];
  /** Of all its files. */
  readonly bytes: number;
  readonly modifiedAt: number;
  /** About how many, by the size. */
  readonly tokens: number;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly session: SessionId;
  readonly status: Status;
}

/** Whether it is in the store; `grown` where its files have changed since. */
type Status = 'new' | 'grown' | 'imported';

/** Something in the place of an agent that cannot be read as a session. */
export interface PassedOver {
  readonly path: string;
  readonly error: LonghaulError;
}

/** So much of a file is read to know it, the second only where the first does not tell what it is about. */
const headBytes = [64 * 1024, 256 * 1024] as const;

/** A rollout that Codex has compressed was about so many times as large. */
const compression = 5;

/** So many are looked at at a time. */
const together = 4;

/** A file that was written to so much later than the last thing in it that is stored has grown since, most likely. */
const slack = 60_000;

/**
 * Looks at what was found: what it is, and whether it is in the store. Only the beginnings of files are read.
 *
 * @example
 * const { found } = await lookAt({ io, candidates, stored: await store.list(), ledger, limit });
 */
export async function lookAt({
  io,
  candidates,
  stored,
  ledger,
  limit,
  onProgress,
}: {
  readonly io: Io;
  readonly candidates: readonly Candidate[];
  readonly stored: readonly SessionSummary[];
  readonly ledger: Ledger;
  /** The largest file that is read whole. */
  readonly limit: number;
  readonly onProgress: (looked: number) => void;
}): Promise<{ readonly found: readonly Found[]; readonly passedOver: readonly PassedOver[] }> {
  const known = new Map(stored.map((summary) => [summary.header.id, summary]));
  const found: Found[] = [];
  const passedOver: PassedOver[] = [];
  const waiting = candidates.values();
  let looked = 0;
  const work = async () => {
    for (const candidate of waiting) {
      try {
        found.push(await look(candidate));
      } catch (error) {
        passedOver.push({ path: candidate.path, error: asLonghaulError(error) });
      }
      looked += 1;
      onProgress(looked);
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return { found: found.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.path < b.path ? -1 : 1)), passedOver };

  async function look({ agent, place, path }: Candidate): Promise<Found> {
    const source = await openSource({ io, name: path, limit });
    const glimpse = await glimpseSession({ bytes: beginning(source), path });
    const partPaths = place.parts === undefined ? [] : await partsOf({ path, key: glimpse.key, names: place.parts });
    const parts = await Promise.all(partPaths.map((part) => openSource({ io, name: part, limit })));
    const all = [source, ...parts];
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
    const modifiedAt = await timeOf(source);
    return {
      agent: agent.name,
      format: glimpse.format,
      path,
      parts: partPaths,
      bytes,
      modifiedAt,
      tokens: Math.round((bytes * (path.endsWith('.zst') ? compression : 1)) / agent.bytesPerToken),
      title: glimpse.title,
      cwd: glimpse.cwd,
      session: glimpse.session,
      status: await statusOf({ glimpse, all, modifiedAt }),
    };
  }

  async function* beginning(source: Source): AsyncGenerator<Uint8Array> {
    const { path, isFile } = source;
    // What is one JSON value cannot be read in half.
    if (path === undefined || !isFile || path.endsWith('.json')) {
      yield* source.open();
      return;
    }
    let read = 0;
    for (const bytes of headBytes) {
      const head = await io.files.head({ path, bytes });
      yield head.subarray(read);
      if (head.length < bytes) return;
      read = bytes;
    }
  }

  async function partsOf(of: {
    readonly path: string;
    readonly key: string;
    readonly names: string;
  }): Promise<string[]> {
    const { dirname, join } = pathOf(io);
    const folder = join(dirname(of.path), of.key);
    return await matching({ io, folder, names: of.names.split('/'), kind: 'file' });
  }

  /** When something was written to it last. */
  async function timeOf({ path = '', isFile }: Source): Promise<number> {
    const facts = await io.files.stat(isFile ? path : pathOf(io).join(path, 'events'));
    return facts?.modifiedAt ?? 0;
  }

  async function statusOf(of: {
    readonly glimpse: Glimpse;
    readonly all: readonly Source[];
    readonly modifiedAt: number;
  }): Promise<Status> {
    const notes = of.all.map(({ path = '' }) => ledger.noteOf(path));
    const summary = known.get(notes[0]?.session ?? of.glimpse.session);
    if (!summary) return 'new';
    // Imported elsewhere, or before there were notes: the times have to tell.
    if (!notes[0]) return of.modifiedAt > summary.updatedAt + slack ? 'grown' : 'imported';
    const states = await Promise.all(of.all.map(({ state }) => state()));
    return states.every((state, index) => state === notes[index]?.state) ? 'imported' : 'grown';
  }
}
