import {
  authorityRank,
  entryOf,
  entryTokens,
  factId,
  type MemoryCandidate,
  type MemoryEntry,
  memoryText,
  mergeEntries,
  usefulness,
} from './entry.ts';

/** Bounds of a board. */
export interface BoardLimits {
  readonly entries: number;
  readonly tokens: number;
}

export const defaultLimits: BoardLimits = { entries: 200, tokens: 8_000 };

/** Everything known of a repository. Ids of removed facts are kept, so that consolidation does not bring them back. */
export interface BoardState {
  /** On the board and in the archive, by id. */
  readonly entries: readonly MemoryEntry[];
  readonly removed: readonly string[];
}

/** Why an entry took the place of another. */
export interface Contradiction {
  readonly kept: string;
  readonly archived: string;
  readonly why: 'authority' | 'recency';
}

/** A board within its bounds. */
export interface SettledBoard extends BoardState {
  readonly contradictions: readonly Contradiction[];
}

/** What changed between two states, by id. */
export interface BoardChange {
  readonly added: readonly MemoryEntry[];
  /** Confirmed again, or with another text. */
  readonly changed: readonly MemoryEntry[];
  readonly archived: readonly MemoryEntry[];
  readonly restored: readonly MemoryEntry[];
  readonly contradictions: readonly Contradiction[];
}

/**
 * Adds candidates to a board and brings it within its bounds. What leaves the board goes to the archive; facts that were
 * removed are skipped.
 *
 * @example
 * memory.change({ work: (state) => addToBoard({ state, candidates: [] }) });
 */
export function addToBoard({
  state,
  candidates,
  limits = defaultLimits,
}: {
  readonly state: BoardState;
  readonly candidates: readonly MemoryCandidate[];
  readonly limits?: BoardLimits;
}): SettledBoard {
  const entries = new Map(state.entries.map((entry) => [entry.id, entry]));
  const removed = new Set(state.removed);
  for (const candidate of candidates) {
    const entry = entryOf(candidate);
    if (removed.has(entry.id) || entry.text === '') continue;
    const known = entries.get(entry.id);
    entries.set(entry.id, known ? mergeEntries(known, entry) : entry);
  }
  return settle({ state: { entries: [...entries.values()], removed: state.removed }, limits });
}

/**
 * Decides anew which entries are on the board: contradictions by authority, then recency; then the most useful within the
 * bounds. The result depends only on the entries, not on the order in which they came.
 */
export function settle({
  state,
  limits = defaultLimits,
}: {
  readonly state: BoardState;
  readonly limits?: BoardLimits;
}): SettledBoard {
  const sorted = state.entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const isPruned = ({ archived }: MemoryEntry) => archived?.why === 'pruned';
  const live = sorted.filter((entry) => !isPruned(entry)).map(({ archived: _, ...entry }): MemoryEntry => entry);
  const contradictions = contradictionsIn(live);
  const superseded = new Map(contradictions.map(({ kept, archived }) => [archived, kept]));
  const kept = new Set<string>();
  let tokens = 0;
  const ranked = live.filter(({ id }) => !superseded.has(id)).toSorted(byUse);
  for (const entry of ranked) {
    const size = entryTokens(entry);
    if (kept.size >= limits.entries || tokens + size > limits.tokens) continue;
    kept.add(entry.id);
    tokens += size;
  }
  const entries = sorted.map((entry): MemoryEntry => {
    if (isPruned(entry)) return entry;
    const { archived: _, ...rest } = entry;
    const by = superseded.get(entry.id);
    if (by !== undefined) return { ...rest, archived: { why: 'superseded', by } };
    return kept.has(entry.id) ? rest : { ...rest, archived: { why: 'full' } };
  });
  return { entries, removed: state.removed, contradictions };
}

/** The most useful first; equal ones by recency, then id. */
export function byUse(a: MemoryEntry, b: MemoryEntry): number {
  return usefulness(b) - usefulness(a) || b.confirmedAt - a.confirmedAt || (a.id < b.id ? -1 : 1);
}

/** What is different in `after`. */
export function changesBetween({
  before,
  after,
}: {
  readonly before: BoardState;
  readonly after: SettledBoard;
}): BoardChange {
  const known = new Map(before.entries.map((entry) => [entry.id, entry]));
  const of = (test: (entry: MemoryEntry, old: MemoryEntry | undefined) => boolean) =>
    after.entries.filter((entry) => test(entry, known.get(entry.id)));
  const isActive = (entry: MemoryEntry | undefined) => entry !== undefined && entry.archived === undefined;
  return {
    added: of((entry, old) => old === undefined && isActive(entry)),
    changed: of((entry, old) => isActive(entry) && isActive(old) && JSON.stringify(entry) !== JSON.stringify(old)),
    archived: of((entry, old) => !isActive(entry) && (old === undefined || isActive(old))),
    restored: of((entry, old) => isActive(entry) && old !== undefined && !isActive(old)),
    contradictions: after.contradictions.filter(({ archived }) => known.get(archived)?.archived?.why !== 'superseded'),
  };
}

/**
 * Entries of merged branches become entries of the branch they were merged into.
 *
 * @example
 * memory.change({ work: (state) => foldBranches({ state, merged: new Set(['topic']) }) });
 */
export function foldBranches({
  state,
  merged,
  into,
}: {
  readonly state: BoardState;
  readonly merged: ReadonlySet<string>;
  /** Absent for the default branch, whose entries hold everywhere. */
  readonly into?: string;
}): BoardState {
  const entries = state.entries.map((entry): MemoryEntry => {
    if (entry.branch === undefined || entry.branch === into || !merged.has(entry.branch)) return entry;
    const { branch: _, ...rest } = entry;
    return into === undefined ? rest : { ...rest, branch: into };
  });
  return { ...state, entries };
}

/**
 * Another text for an entry, written by a person. It keeps its id, so that the old text does not come back.
 *
 * @example
 * memory.change({ work: (state) => editEntry({ state, id, text: 'Run make.', at: Date.now() }) });
 */
export function editEntry({
  state,
  id,
  text,
  at,
}: {
  readonly state: BoardState;
  readonly id: string;
  readonly text: string;
  readonly at: number;
}): BoardState {
  const entries = state.entries.map((entry): MemoryEntry => {
    if (entry.id !== id) return entry;
    const { stale: _, archived: __, subject: { symbol: ___, ...kept } = {}, ...rest } = entry;
    const edited = memoryText(text);
    const subject = Object.keys(kept).length > 0 ? { subject: kept } : {};
    return { ...rest, ...subject, text: edited, author: 'person', authority: 'person', editedAt: at, confirmedAt: at };
  });
  return { ...state, entries };
}

/**
 * A vote; the last one of a voter counts.
 *
 * @example
 * memory.change({ work: (state) => voteFor({ state, id, voter: 'person', vote: 1 }) });
 */
export function voteFor(of: {
  readonly state: BoardState;
  readonly id: string;
  readonly voter: string;
  readonly vote: number;
}): BoardState {
  const entries = of.state.entries.map((entry) =>
    entry.id === of.id ? { ...entry, votes: boundedVotes({ ...entry.votes, [of.voter]: of.vote }) } : entry,
  );
  return { ...of.state, entries };
}

/** Votes of sessions are counted for the newest; those of people always. */
const maxVotes = 40;

function boundedVotes(votes: Readonly<Record<string, number>>): Record<string, number> {
  const all = Object.entries(votes);
  const surplus = all.length - maxVotes;
  if (surplus <= 0) return { ...votes };
  const dropped = new Set(all.filter(([voter]) => voter.includes(':')).slice(0, surplus));
  return Object.fromEntries(all.filter((vote) => !dropped.has(vote)));
}

/**
 * Moves entries to the archive until they are observed again.
 *
 * @example
 * memory.change({ work: (state) => pruneEntry({ state, id, at: Date.now() }) });
 */
export function pruneEntry(of: { readonly state: BoardState; readonly id: string; readonly at: number }): BoardState {
  const entries = of.state.entries.map(
    (entry): MemoryEntry => (entry.id === of.id ? { ...entry, archived: { why: 'pruned', at: of.at } } : entry),
  );
  return { ...of.state, entries };
}

/**
 * Deletes an entry from board and archive; only the hash of the fact stays.
 *
 * @example
 * memory.change({ work: (state) => removeEntry({ state, id }) });
 */
export function removeEntry({ state, id }: { readonly state: BoardState; readonly id: string }): BoardState {
  const entry = state.entries.find((one) => one.id === id);
  if (!entry) return state;
  const removed = new Set([...state.removed, id, factId(entry)]);
  return { entries: state.entries.filter((one) => one !== entry), removed: [...removed].toSorted() };
}

/** Words that carry no topic. */
const plainWords = new Set(
  'the a an and or of to in on for with from by at as is are be we you i it its our your please must should shall will always ever only just when use using used prefer make sure do does'.split(
    ' ',
  ),
);

const negation =
  /\b(?:never|not|no|don['’]?t|do not|avoid|without|stop|mustn['’]?t|shouldn['’]?t|can['’]?t|cannot|won['’]?t|forbidden|disallow(?:ed)?)\b/giu;

/** `use X instead of Y`, `X, not Y`, `prefer X over Y`. */
const choice = /(?:,? (?:instead of|rather than|over|not)|, never) (?:use |using |the )?([\w@][\w/@-]{0,60})/giu;

const comparedKinds: ReadonlySet<string> = new Set(['convention', 'decision', 'preference']);

interface RuleTopic {
  readonly words: ReadonlySet<string>;
  readonly isNegative: boolean;
  readonly rejects: ReadonlySet<string>;
}

/**
 * Whether two statements cannot both be followed: the same with and without a negation, one rejects what the other asks
 * for, or they differ only in one word or number. Deliberately narrow.
 *
 * @example
 * areContradictory('Always use tabs for indentation.', 'Never use tabs for indentation.'); // true
 */
export function areContradictory(a: string, b: string): boolean {
  return contradicts(statementOf(a), statementOf(b));
}

function statementOf(text: string): RuleTopic {
  const rejects = new Set([...text.matchAll(choice)].map(([, rejected = '']) => rejected.toLowerCase()));
  // With an explicit choice, the negation belongs to the rejected part.
  const isNegative = rejects.size === 0 && (text.match(negation)?.length ?? 0) % 2 === 1;
  const words =
    text
      .replace(negation, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}][\p{L}\p{N}/@_-]*/gu) ?? [];
  const topic = words.filter((word) => !plainWords.has(word));
  return { words: new Set(topic), isNegative, rejects };
}

function contradicts(a: RuleTopic, b: RuleTopic): boolean {
  const shared = a.words.intersection(b.words).size;
  const [onlyA, onlyB] = [a.words.difference(b.words), b.words.difference(a.words)];
  const most = Math.max(a.words.size, b.words.size);
  if (shared > 0 && a.isNegative !== b.isNegative && shared >= most * 0.7) return true;
  const wanted = ({ words, rejects, isNegative }: RuleTopic, by: RuleTopic) =>
    !isNegative && rejects.size === 0 && words.size <= 4 && [...by.rejects].some((word) => words.has(word));
  if (wanted(a, b) || wanted(b, a)) return true;
  const [one] = onlyA;
  const [two] = onlyB;
  const isSwapped = onlyA.size === 1 && onlyB.size === 1 && a.isNegative === b.isNegative && shared >= 2;
  if (!isSwapped || one === undefined || two === undefined) return false;
  return (/^\d/.test(one) && /^\d/.test(two)) || (shared >= 2 && most <= 4);
}

/** The newest statements compared; older ones of lower authority are history. */
const maxCompared = 1_000;

function contradictionsIn(entries: readonly MemoryEntry[]): Contradiction[] {
  const ranked = entries
    .filter(({ kind }) => comparedKinds.has(kind))
    .toSorted((a, b) => authorityRank(b) - authorityRank(a) || b.confirmedAt - a.confirmedAt || (a.id < b.id ? -1 : 1))
    .slice(0, maxCompared)
    .map((entry) => ({ entry, statement: statementOf(entry.text) }));
  const kept: typeof ranked = [];
  const byWord = new Map<string, typeof ranked>();
  const found: Contradiction[] = [];
  for (const one of ranked) {
    const near = new Set([...one.statement.words, ...one.statement.rejects].flatMap((word) => byWord.get(word) ?? []));
    const winner = [...near].find(
      (other) => canMeet(one.entry, other.entry) && contradicts(one.statement, other.statement),
    );
    if (winner) {
      const isHigher = authorityRank(winner.entry) > authorityRank(one.entry);
      found.push({ kept: winner.entry.id, archived: one.entry.id, why: isHigher ? 'authority' : 'recency' });
      continue;
    }
    kept.push(one);
    for (const word of [...one.statement.words, ...one.statement.rejects])
      byWord.set(word, [...(byWord.get(word) ?? []), one]);
  }
  return found;
}

/** Entries of different branches may disagree. */
function canMeet(a: MemoryEntry, b: MemoryEntry): boolean {
  return a.branch === undefined || b.branch === undefined || a.branch === b.branch;
}
