import { LonghaulError } from 'longhaul';
import { type ImportFormat, peekSession, type SessionPeek } from 'longhaul/formats';
import type { SessionId, SessionSummary, Store } from 'longhaul/session';
import { asLonghaulError } from '../errors/family.ts';
import type { Ledger } from '../import/ledger.ts';
import { openSource } from '../import/open-source.ts';
import type { Source } from '../import/source.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { answer } from '../output/answer.ts';
import { createProgress } from '../output/progress.ts';
import type { Opened } from '../store/with-store.ts';
import { age } from '../text/age.ts';
import { bytesText } from '../text/bytes.ts';
import { clip } from '../text/clip.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { type Agent, agents } from './agents.ts';
import { choose } from './choose.ts';
import { type Candidate, findCandidates, matching } from './find.ts';

/** What is to be done with what is found. */
export interface ScanWishes {
  readonly agent: string | undefined;
  /** Everything that is new or has grown is to be imported, and nobody asked. */
  readonly all: boolean;
}

/**
 * Finds the sessions of agents on this machine, lists them, and answers the files that are to be imported: those that a
 * person chooses, or all that are not in the store as they are.
 *
 * @example
 * const paths = await scan({ invocation, opened, ledger, wishes: { agent: undefined, all: true } });
 */
export async function scan({
  invocation,
  opened: { store, values },
  ledger,
  wishes,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly opened: Opened<Store>;
  readonly ledger: Ledger;
  readonly wishes: ScanWishes;
}): Promise<readonly string[]> {
  const { io, json, paint } = invocation;
  const candidates = await findCandidates({ io, agents: agentsOf(wishes.agent) });
  const progress = createProgress({ io });
  const { found, passedOver } = await lookAt({
    io,
    candidates,
    stored: await store.list(),
    ledger,
    limit: values.limits.fileBytes,
    onProgress: (looked) => void progress.show(`${number(looked)} of ${number(candidates.length)} files looked at`),
  });
  await progress.clear();
  if (wishes.all) {
    const wanted = found.filter(({ status }) => status !== 'imported');
    if (wanted.length === 0) await answer({ invocation, value: [], lines: () => [nothingNew(found)] });
    return filesOf(wanted);
  }
  await answer({
    invocation,
    value: {
      sessions: found.map(foundFacts),
      passedOver: passedOver.map(({ path, error }) => ({ path, ...error.toJSON() })),
    },
    lines: () => scanLines({ io, found, passedOver, paint: paint('stdout') }),
  });
  if (json || found.length === 0) return [];
  const said = await io.ask('Import which? (e.g. 1,3-5, or all; nothing for none) ');
  const chosen = choose({ said: said ?? '', amount: found.length });
  return filesOf(chosen.flatMap((place) => found[place - 1] ?? []));
}

function nothingNew(found: readonly Found[]): string {
  if (found.length === 0) return noneFound;
  return `Nothing to import: ${count({ amount: found.length, of: 'session' })}, all in the store as they are.`;
}

/** Sub-agents come after the session that called them, so that they find it. */
function filesOf(found: readonly Found[]): string[] {
  return found.flatMap(({ path, parts }) => [path, ...parts]);
}

function agentsOf(wanted: string | undefined): readonly Agent[] {
  if (wanted === undefined) return agents;
  const some = agents.filter(({ name }) => name === wanted);
  if (some.length > 0) return some;
  const names = agents.map(({ name }) => name);
  const near = closest({ word: wanted, candidates: names });
  throw new LonghaulError({
    code: 'unknown-agent',
    message: `there is no agent "${wanted}"${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    hint: `Use one of ${names.join(', ')}.`,
  });
}

/** A session of another agent, for a program; the shape is described in docs/import.md. */
function foundFacts({ session, modifiedAt, title, cwd, ...rest }: Found) {
  return {
    ...rest,
    modifiedAt: new Date(modifiedAt).toISOString(),
    title: title ?? null,
    cwd: cwd ?? null,
    sessionId: session,
  };
}

const noneFound = 'No sessions were found where agents keep them on this machine.';

/** What was found, numbered, for a person. */
function scanLines({
  io,
  found,
  passedOver,
  paint,
}: {
  readonly io: Pick<Io, 'now' | 'stdout'>;
  readonly found: readonly Found[];
  readonly passedOver: readonly PassedOver[];
  readonly paint: Paint;
}): string[] {
  if (found.length === 0) return [noneFound, ...passedLines()];
  const now = io.now();
  const titleLength = Math.max(20, io.stdout.columns - 60);
  const rows = found.map(({ agent, bytes, modifiedAt, tokens, status, title, path, parts }, index) => [
    String(index + 1).padStart(String(found.length).length),
    agent,
    bytesText(bytes),
    age(now - modifiedAt),
    `~${number(tokens)} tokens`,
    status === 'new' ? paint.good(status) : status === 'grown' ? paint.strong(status) : paint.faint(status),
    [
      printable(clip({ text: titleOf({ title, path }), length: titleLength })),
      parts.length === 0 ? '' : paint.faint(` +${count({ amount: parts.length, of: 'sub-agent' })}`),
    ].join(''),
  ]);
  return [...columns({ rows }), ...passedLines()];

  function passedLines(): string[] {
    if (passedOver.length === 0) return [];
    return [
      paint.faint(`${count({ amount: passedOver.length, of: 'file' })} there cannot be read as a session: --json`),
    ];
  }
}

/** A database holds the sessions of years; its title is that of the newest. */
function titleOf({ title, path }: Pick<Found, 'title' | 'path'>): string {
  if (!path.endsWith('.db')) return title ?? path;
  return `all sessions of a database${title === undefined ? '' : `, the newest: ${title}`}`;
}

/** A session that an agent has on this machine. */
interface Found {
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
interface PassedOver {
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
async function lookAt({
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
    const peek = await peekSession({ bytes: beginning(source), path });
    const partPaths = place.parts === undefined ? [] : await partsOf({ path, key: peek.key, names: place.parts });
    const parts = await Promise.all(partPaths.map((part) => openSource({ io, name: part, limit })));
    const all = [source, ...parts];
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
    const modifiedAt = await timeOf(source);
    return {
      agent: agent.name,
      format: peek.format,
      path,
      parts: partPaths,
      bytes,
      modifiedAt,
      tokens: Math.round((bytes * (path.endsWith('.zst') ? compression : 1)) / agent.bytesPerToken),
      title: peek.title,
      cwd: peek.cwd,
      session: peek.session,
      status: await statusOf({ peek, all, modifiedAt }),
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
    readonly peek: SessionPeek;
    readonly all: readonly Source[];
    readonly modifiedAt: number;
  }): Promise<Status> {
    const notes = of.all.map(({ path = '' }) => ledger.noteOf(path));
    const summary = known.get(notes[0]?.session ?? of.peek.session);
    if (!summary) return 'new';
    // Imported elsewhere, or before there were notes: the times have to tell.
    if (!notes[0]) return of.modifiedAt > summary.updatedAt + slack ? 'grown' : 'imported';
    const states = await Promise.all(of.all.map(({ state }) => state()));
    return states.every((state, index) => state === notes[index]?.state) ? 'imported' : 'grown';
  }
}
