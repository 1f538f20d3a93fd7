import { createHash } from 'node:crypto';
import { estimateTokens } from '../tokens/index.ts';

/** What an entry is about. */
export const memoryKinds = ['command', 'convention', 'decision', 'pitfall', 'preference', 'location'] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** Who wrote an entry. */
export type MemoryAuthor = 'person' | 'agent' | 'consolidation';

/**
 * What an entry rests on, most binding first: words of a person, an instruction or memory file, calls that were observed,
 * or text of a model. It decides contradictions and never rises by being repeated.
 */
export type MemoryAuthority = 'person' | 'file' | 'event' | 'agent';

/** The place in a session that an entry rests on. */
export interface MemoryEvidence {
  readonly session: string;
  /** Such as `@12.1:3-3`. */
  readonly handle: string;
  /** Verbatim, with secrets masked, at most 200 characters. */
  readonly quotation: string;
  readonly at: number;
}

/** One fact on the board of a repository. */
export interface MemoryEntry {
  /** Eight hexadecimal digits, derived from kind and fact: the same fact has the same id everywhere. */
  readonly id: string;
  readonly kind: MemoryKind;
  /** One line. */
  readonly text: string;
  readonly author: MemoryAuthor;
  readonly authority: MemoryAuthority;
  /** Absent if it holds on all branches. */
  readonly branch?: string;
  readonly createdAt: number;
  /** When it was last said or observed. */
  readonly confirmedAt: number;
  /** When a person last wrote its text. */
  readonly editedAt?: number;
  /** Newest first, at most three. */
  readonly evidence: readonly MemoryEvidence[];
  /** How much each session used it, by session id; the newest 20. */
  readonly confirmations: Readonly<Record<string, { readonly at: number; readonly weight: number }>>;
  /** By voter, such as `person` or `use:SESSION`. */
  readonly votes: Readonly<Record<string, number>>;
  /** The file, command or symbol that must exist for the entry to hold. A symbol was seen in the repository before. */
  readonly subject?: { readonly file?: string; readonly command?: string; readonly symbol?: string };
  /** Why it may no longer hold. It is then ranked last. */
  readonly stale?: string;
  /** Why it is in the archive and not on the board. */
  readonly archived?: { readonly why: 'full' | 'pruned' | 'superseded'; readonly at?: number; readonly by?: string };
}

/** A fact that may become an entry. */
export type MemoryCandidate = Pick<MemoryEntry, 'kind' | 'text' | 'author' | 'authority'> &
  Partial<Pick<MemoryEntry, 'branch' | 'subject'>> & {
    readonly at: number;
    readonly evidence?: MemoryEvidence;
    /** How much the session used it; default 1. */
    readonly weight?: number;
  };

const maxText = 300;
const maxQuotation = 200;
const maxEvidence = 3;
const maxConfirmations = 20;

/** Characters that are invisible or reorder text. */
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** A text in one line, without invisible characters. */
export function memoryText(text: string, most = maxText): string {
  const line = text.replace(/\s+/g, ' ').replace(hidden, '').trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}

/** A key that ignores case, whitespace and punctuation of prose; commands and paths are compared exactly. */
function factKey({ kind, text, subject }: Pick<MemoryEntry, 'kind' | 'text' | 'subject'>): string {
  const exact = kind === 'location' ? subject?.file : kind === 'command' ? subject?.command : undefined;
  if (exact !== undefined) return `${kind} ${exact}`;
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  // A rule is the same whether it was taken for a convention, a preference or a decision.
  return `${kind === 'pitfall' || kind === 'command' || kind === 'location' ? kind : 'rule'} ${words || text}`;
}

/** The id of a fact. */
export function factId(fact: Pick<MemoryEntry, 'kind' | 'text' | 'subject'>): string {
  return createHash('sha256').update(factKey(fact)).digest('hex').slice(0, 8);
}

/** Creates an entry from a candidate. */
export function entryOf(candidate: MemoryCandidate): MemoryEntry {
  const { kind, author, authority, branch, subject, at, evidence, weight = 1 } = candidate;
  const text = memoryText(candidate.text);
  const quoted = evidence && { ...evidence, quotation: memoryText(evidence.quotation, maxQuotation) };
  return {
    id: factId({ kind, text, ...(subject && { subject }) }),
    kind,
    text,
    author,
    authority,
    ...(branch !== undefined && { branch }),
    createdAt: at,
    confirmedAt: at,
    evidence: quoted ? [quoted] : [],
    confirmations: evidence ? { [evidence.session]: { at, weight } } : {},
    votes: {},
    ...(subject && { subject }),
  };
}

const authorities: readonly MemoryAuthority[] = ['agent', 'event', 'file', 'person'];

/** From 0 to 3; higher decides contradictions. */
export function authorityRank({ authority }: Pick<MemoryEntry, 'authority'>): number {
  return authorities.indexOf(authority);
}

/**
 * Two records of one fact as one. Commutative, associative and idempotent, so that the order in which sessions are
 * consolidated does not matter.
 */
export function mergeEntries(a: MemoryEntry, b: MemoryEntry): MemoryEntry {
  const [first, second] = [a, b].toSorted(byPrecedence) as [MemoryEntry, MemoryEntry];
  const evidence = new Map([...a.evidence, ...b.evidence].map((one) => [`${one.session} ${one.handle}`, one]));
  const confirmations = new Map<string, { readonly at: number; readonly weight: number }>();
  for (const [session, one] of [...Object.entries(a.confirmations), ...Object.entries(b.confirmations)]) {
    const other = confirmations.get(session) ?? one;
    confirmations.set(session, { at: Math.max(one.at, other.at), weight: Math.max(one.weight, other.weight) });
  }
  const { branch: _, stale: __, archived: ___, ...base } = first;
  // A fact that holds on two branches is a fact of the repository.
  const branch = a.branch === b.branch ? a.branch : undefined;
  const stale = a.stale !== undefined && b.stale !== undefined ? first.stale : undefined;
  const archived = prunedLast(a, b);
  const subject = { ...second.subject, ...first.subject };
  return {
    ...base,
    ...(Object.keys(subject).length > 0 && { subject }),
    kind: first.kind,
    ...(branch !== undefined && { branch }),
    createdAt: Math.min(a.createdAt, b.createdAt),
    confirmedAt: Math.max(a.confirmedAt, b.confirmedAt),
    evidence: [...evidence.values()].toSorted(byNewest).slice(0, maxEvidence),
    confirmations: Object.fromEntries(
      [...confirmations]
        .toSorted(([one, x], [two, y]) => y.at - x.at || one.localeCompare(two))
        .slice(0, maxConfirmations)
        .toSorted(([one], [two]) => one.localeCompare(two)),
    ),
    votes: { ...second.votes, ...first.votes },
    ...(stale !== undefined && { stale }),
    ...(archived && { archived }),
  };
}

/** The record whose text and author are kept: higher authority, edited later, newer, then by text. */
function byPrecedence(a: MemoryEntry, b: MemoryEntry): number {
  return (
    authorityRank(b) - authorityRank(a) ||
    (b.editedAt ?? 0) - (a.editedAt ?? 0) ||
    b.confirmedAt - a.confirmedAt ||
    memoryKinds.indexOf(a.kind) - memoryKinds.indexOf(b.kind) ||
    (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
  );
}

function byNewest(a: MemoryEvidence, b: MemoryEvidence): number {
  return b.at - a.at || a.session.localeCompare(b.session) || a.handle.localeCompare(b.handle);
}

/** A pruned entry stays pruned until the fact is observed again; other reasons are decided anew. */
function prunedLast(a: MemoryEntry, b: MemoryEntry): MemoryEntry['archived'] {
  const pruned = [a, b].flatMap(({ archived }) => (archived?.why === 'pruned' ? [archived] : []));
  const last = pruned.toSorted((x, y) => (y.at ?? 0) - (x.at ?? 0))[0];
  return last && Math.max(a.confirmedAt, b.confirmedAt) <= (last.at ?? 0) ? last : undefined;
}

/** The sum of all votes. */
export function voteSum({ votes }: Pick<MemoryEntry, 'votes'>): number {
  return Object.values(votes).reduce((sum, vote) => sum + vote, 0);
}

/** Sessions, and how much they used it: grows slowly with both. */
export function usefulness(entry: MemoryEntry): number {
  const confirmations = Object.values(entry.confirmations);
  const weight = confirmations.reduce((sum, one) => sum + Math.min(one.weight, 10), 0);
  const base = { person: 3, file: 2, event: 0, agent: 0 }[entry.authority];
  const isStale = entry.stale === undefined ? 0 : -100;
  return base + 2 * Math.log2(1 + confirmations.length) + Math.log2(1 + weight) + voteSum(entry) + isStale;
}

/** The tokens of an entry as it is listed. */
export function entryTokens({ text, branch }: Pick<MemoryEntry, 'text' | 'branch'>): number {
  return estimateTokens(text) + (branch === undefined ? 0 : estimateTokens(branch)) + 6;
}
