import { LonghaulError } from 'longhaul';
import { type ImportFormat, peekSession, type SessionPeek } from 'longhaul/formats';
import type { SessionId, SessionSummary, Store } from 'longhaul/session';
import { asLonghaulError } from '../errors/family.ts';
import type { ImportLedger } from '../import/ledger.ts';
import { openSource } from '../import/open-source.ts';
import { projectRoot } from '../import/project-root.ts';
import type { ImportSource } from '../import/source.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { printResult } from '../output/print-result.ts';
import { createProgress } from '../output/progress.ts';
import type { Opened } from '../store/with-store.ts';
import { bytesText } from '../text/bytes.ts';
import { clip } from '../text/clip.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { agents, type ScannedAgent } from './agents.ts';
import { findCandidates, matching, type SessionCandidate } from './find.ts';

/** What to do with the sessions found. */
export interface ScanOptions {
  readonly agent: string | undefined;
  /** Import everything that is new or has grown, without asking. */
  readonly all: boolean;
}

/**
 * Finds the sessions of agents on this machine, lists them, and returns the files to import: those the user selects, or
 * all that are new or have grown.
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
  readonly ledger: ImportLedger;
  readonly wishes: ScanOptions;
}): Promise<readonly string[]> {
  const { io, json, paint } = invocation;
  const candidates = await findCandidates({ io, agents: agentsOf(wishes.agent) });
  const progress = createProgress({ io });
  const { found, passedOver } = await identifyCandidates({
    io,
    candidates,
    stored: await store.list(),
    ledger,
    limit: values.limits.fileBytes,
    onProgress: (looked) => void progress.show(`${number(looked)} of ${number(candidates.length)} files checked`),
  });
  await progress.clear();
  if (wishes.all) {
    const wanted = found.filter(({ status }) => status !== 'imported');
    if (wanted.length === 0) await printResult({ invocation, value: [], lines: () => [nothingNew(found)] });
    return filesOf(wanted);
  }
  await printResult({
    invocation,
    value: {
      sessions: found.map(foundFacts),
      passedOver: passedOver.map(({ path, error }) => ({ path, ...error.toJSON() })),
    },
    fits: true,
    lines: () => scanLines({ io, found, passedOver, paint: paint('stdout') }),
  });
  if (json || found.length === 0) return [];
  const reply = await io.ask('Import which? (e.g. 1,3-5, or all; empty for none) ');
  const chosen = choose({ reply: reply ?? '', amount: found.length });
  return filesOf(chosen.flatMap((place) => found[place - 1] ?? []));
}

/**
 * The files of an agent's sessions in one folder that are new or have grown, without asking or printing anything.
 *
 * @example
 * const paths = await changedSessions({ io, store, ledger, limit, agent: 'claude-code', cwd: io.cwd });
 */
export async function changedSessions({
  io,
  store,
  ledger,
  limit,
  agent,
  cwd,
  since = 0,
}: {
  readonly io: Io;
  readonly store: Store;
  readonly ledger: ImportLedger;
  /** The largest file that is read completely. */
  readonly limit: number;
  readonly agent: string;
  readonly cwd: string;
  /** Only files that were modified after this time. */
  readonly since?: number;
}): Promise<readonly string[]> {
  const all = await findCandidates({ io, agents: agentsOf(agent) });
  const timeOf = async (path: string) => (await io.files.stat(path).catch(() => undefined))?.modifiedAt ?? 0;
  const times = await Promise.all(
    // SQLite keeps the newest rows in a write-ahead log.
    all.map(async ({ path }) => Math.max(await timeOf(path), path.endsWith('.db') ? await timeOf(`${path}-wal`) : 0)),
  );
  const candidates = all.filter((_, index) => (times[index] ?? 0) > since);
  const stored = await store.list();
  const { found } = await identifyCandidates({
    io,
    candidates,
    stored,
    ledger,
    limit,
    // A session that is being written is not in the ledger until its last answer is finished.
    slack: Number.NEGATIVE_INFINITY,
    onProgress: () => undefined,
  });
  return filesOf(found.filter((session) => session.cwd === cwd && session.status !== 'imported'));
}

function nothingNew(found: readonly FoundSession[]): string {
  if (found.length === 0) return noneFound;
  return `Nothing to import: ${count({ amount: found.length, of: 'session' })}, all up to date in the store.`;
}

/** Sub-agents come after the session that started them, so that they can be linked. */
function filesOf(found: readonly FoundSession[]): string[] {
  return found.flatMap(({ path, parts }) => [path, ...parts]);
}

function agentsOf(wanted: string | undefined): readonly ScannedAgent[] {
  if (wanted === undefined) return agents;
  const some = agents.filter(({ name }) => name === wanted);
  if (some.length > 0) return some;
  const names = agents.map(({ name }) => name);
  const near = closest({ word: wanted, candidates: names });
  throw new LonghaulError({
    code: 'unknown-agent',
    message: `Unknown agent "${wanted}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `Use one of ${names.join(', ')}.`,
  });
}

/** A session of another agent; the JSON output, see docs/import.md. */
function foundFacts({ session, modifiedAt, title, cwd, ...rest }: FoundSession) {
  return {
    ...rest,
    modifiedAt: new Date(modifiedAt).toISOString(),
    title: title ?? null,
    cwd: cwd ?? null,
    sessionId: session,
  };
}

const noneFound = 'No sessions of other agents were found on this machine.';

/** The numbered list of sessions. */
function scanLines({
  io,
  found,
  passedOver,
  paint,
}: {
  readonly io: Pick<Io, 'now' | 'stdout'>;
  readonly found: readonly FoundSession[];
  readonly passedOver: readonly UnreadableFile[];
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
    return [paint.faint(`${count({ amount: passedOver.length, of: 'file' })} could not be read as a session: --json`)];
  }
}

/** A database holds many sessions; its title is that of the newest. */
function titleOf({ title, path }: Pick<FoundSession, 'title' | 'path'>): string {
  if (!path.endsWith('.db')) return title ?? path;
  return `all sessions of a database${title === undefined ? '' : `, the newest: ${title}`}`;
}

/** A session of an agent on this machine. */
interface FoundSession {
  readonly agent: string;
  readonly format: ImportFormat;
  readonly path: string;
  /** The files of its sub-agents. */
  readonly parts: readonly string[];
  /** Size of all its files. */
  readonly bytes: number;
  readonly modifiedAt: number;
  /** Estimated from the size. */
  readonly tokens: number;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly session: SessionId;
  readonly status: Status;
}

/** Whether it is in the store; `grown` if its files have changed since. */
type Status = 'new' | 'grown' | 'imported';

/** A file in an agent's folder that cannot be read as a session. */
interface UnreadableFile {
  readonly path: string;
  readonly error: LonghaulError;
}

/** Bytes read to identify a file; the second size only if the first is not enough. */
const headBytes = [64 * 1024, 256 * 1024] as const;

/** Estimated compression ratio of a compressed Codex rollout. */
const compression = 5;

/** Files checked concurrently. */
const together = 4;

/** A file modified this much later than its last stored entry has probably grown since. */
const usualSlack = 60_000;

/**
 * Identifies what was found and whether it is in the store. Only the start of each file is read.
 *
 * @example
 * const { found } = await lookAt({ io, candidates, stored: await store.list(), ledger, limit });
 */
async function identifyCandidates({
  io,
  candidates,
  stored,
  ledger,
  limit,
  slack = usualSlack,
  onProgress,
}: {
  readonly io: Io;
  readonly candidates: readonly SessionCandidate[];
  readonly stored: readonly SessionSummary[];
  readonly ledger: ImportLedger;
  /** The largest file that is read completely. */
  readonly limit: number;
  /** Of files that are not in the ledger. */
  readonly slack?: number;
  readonly onProgress: (looked: number) => void;
}): Promise<{ readonly found: readonly FoundSession[]; readonly passedOver: readonly UnreadableFile[] }> {
  const known = new Map(stored.map((summary) => [summary.header.id, summary]));
  const found: FoundSession[] = [];
  const passedOver: UnreadableFile[] = [];
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

  async function look({ agent, place, path }: SessionCandidate): Promise<FoundSession> {
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
      cwd: peek.cwd ?? (await projectRoot({ io, path })),
      session: peek.session,
      status: await statusOf({ peek, all, modifiedAt }),
    };
  }

  async function* beginning(source: ImportSource): AsyncGenerator<Uint8Array> {
    const { path, isFile } = source;
    // A single JSON value cannot be parsed from its first half.
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

  /** The newest modification time. */
  async function timeOf({ path = '', isFile }: ImportSource): Promise<number> {
    const facts = await io.files.stat(isFile ? path : pathOf(io).join(path, 'events'));
    return facts?.modifiedAt ?? 0;
  }

  async function statusOf(of: {
    readonly peek: SessionPeek;
    readonly all: readonly ImportSource[];
    readonly modifiedAt: number;
  }): Promise<Status> {
    const notes = of.all.map(({ path = '' }) => ledger.noteOf(path));
    const summary = known.get(notes[0]?.session ?? of.peek.session);
    if (!summary) return 'new';
    // Imported elsewhere, or before the ledger existed: compare times.
    if (!notes[0]) return of.modifiedAt > summary.updatedAt + slack ? 'grown' : 'imported';
    const states = await Promise.all(of.all.map(({ state }) => state()));
    return states.every((state, index) => state === notes[index]?.state) ? 'imported' : 'grown';
  }
}

/**
 * The numbers selected from a list: `1,3-5`, `all`, or nothing.
 *
 * @example
 * choose({ reply: '1, 3-4', amount: 9 }); // [1, 3, 4]
 */
export function choose({ reply, amount }: { readonly reply: string; readonly amount: number }): readonly number[] {
  const text = reply.trim().toLowerCase();
  if (text === '' || text === 'none') return [];
  if (text === 'all') return Array.from({ length: amount }, (_, index) => index + 1);
  const chosen = new Set<number>();
  for (const word of text.split(/[\s,]+/).filter((piece) => piece !== '')) {
    const [, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(word) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === '' || first < 1 || last > amount || first > last) throw notInList({ word, amount });
    for (let number = first; number <= last; number += 1) chosen.add(number);
  }
  return [...chosen].sort((a, b) => a - b);
}

function notInList({ word, amount }: { readonly word: string; readonly amount: number }): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: `"${word}" is not a selection from a list of ${amount}; nothing was imported.`,
    hint: 'Answer with numbers such as 1,3-5, with all, or with nothing.',
  });
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * How long ago something was, as a number and a unit.
 *
 * @example
 * age(3 * 3_600_000); // '3 h'
 */
function age(milliseconds: number): string {
  if (milliseconds < minute) return 'now';
  if (milliseconds < hour) return `${Math.floor(milliseconds / minute)} min`;
  if (milliseconds < day) return `${Math.floor(milliseconds / hour)} h`;
  const days = Math.floor(milliseconds / day);
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}
