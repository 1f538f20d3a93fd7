import { stemmer } from 'stemmer';
import type { ChunkRow, ColumnWeights, IndexStore } from './index-store.ts';
import { type QueryTerm, queryTerms, stemsOf } from './words.ts';

/** Where a chunk is. */
type ChunkPlace = Pick<ChunkRow, 'id' | 'path' | 'start' | 'end' | 'symbols' | 'mtime'>;

/** A chunk with its score: comparable within one answer only. */
export interface ScoredChunk extends ChunkPlace {
  readonly score: number;
}

/** A file that may answer, with its chunks that matched, best first. */
export interface RankedChunk {
  readonly path: string;
  readonly score: number;
  /** Why it was found, for people. */
  readonly reasons: readonly string[];
  readonly chunks: readonly ScoredChunk[];
}

export interface LexicalAnswer {
  /** Best first. */
  readonly candidates: readonly RankedChunk[];
  /** What the question was understood as. */
  readonly terms: readonly RankedTerm[];
}

/** A term with how much it tells. */
export interface RankedTerm extends QueryTerm {
  readonly stem: string;
  /** Chunks it occurs in. */
  readonly frequency: number;
}

const weights: ColumnWeights = { path: 2, symbols: 2, body: 1, parts: 0.5 };

/** Chunks looked at for one answer. */
const mostChunks = 200;
/** Reading more postings than this takes longer than an answer may: the commonest terms are left out then. */
const mostPostings = 4_000;
const fewestChunks = 50;

/**
 * The files that match a question by its words, best first: BM25 by chunk over words, parts of identifiers, definitions and
 * path, summed by file, then what the path tells.
 */
export function lexicalSearch({
  store,
  query,
  now,
}: {
  readonly store: IndexStore;
  readonly query: string;
  /** Milliseconds since 1970, for what was changed lately. */
  readonly now: number;
}): LexicalAnswer {
  const terms = queryTerms(query).map((term) => {
    const stem = stemmer(term.text);
    return { ...term, stem, frequency: store.frequency(stem) };
  });
  const [used, common] = selective(terms);
  if (used.length === 0) return { candidates: [], terms };
  const either = used.map(quoted).join(' OR ');
  // Where even the rarest term is common, chunks that have two of them are enough, if there are enough of those.
  const both = common ? `${used.map(quoted).join(' AND ')} AND ${quoted(common)}` : either;
  const narrow = store.match({ expression: both, weights, limit: mostChunks });
  const rows =
    both === either || narrow.length >= fewestChunks
      ? narrow
      : store.match({ expression: either, weights, limit: mostChunks });
  const byFile = new Map<string, ScoredChunk[]>();
  for (const { bm25, ...place } of rows) {
    const chunks = byFile.get(place.path);
    const chunk = { ...place, score: -bm25 };
    if (chunks) chunks.push(chunk);
    else byFile.set(place.path, [chunk]);
  }
  const recent = recencyOf({ times: [...byFile.values()].map(([chunk]) => chunk?.mtime ?? 0), now });
  const candidates = [...byFile].map(([path, chunks]): RankedChunk => {
    const [first = 0, second = 0, third = 0] = chunks.map(({ score }) => score);
    const matched = first + 0.3 * second + 0.1 * third;
    const { factor, reasons } = pathFactor({ path, query, terms, symbols: chunks.map(({ symbols }) => symbols) });
    if (!recent(chunks[0]?.mtime ?? 0)) return { path, chunks, score: matched * factor, reasons };
    return { path, chunks, score: matched * factor * recencyFactor, reasons: [...reasons, 'changed recently'] };
  });
  return { candidates: candidates.sort(byScore), terms };
}

export function byScore(a: Pick<RankedChunk, 'score' | 'path'>, b: Pick<RankedChunk, 'score' | 'path'>): number {
  return b.score - a.score || (a.path < b.path ? -1 : 1);
}

const recencyFactor = 1.1;
const hour = 3_600_000;

/** Changed within a week, and after most of the other files: in a fresh checkout, where all are new, none is recent. */
function recencyOf({
  times,
  now,
}: {
  readonly times: readonly number[];
  readonly now: number;
}): (time: number) => boolean {
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const since = Math.max(now - 168 * hour, median + hour);
  return (time) => time > since;
}

/**
 * Rarest first until reading their postings would take too long; and the next one, where the first alone takes too long.
 */
function selective(terms: readonly RankedTerm[]): readonly [readonly RankedTerm[], RankedTerm | undefined] {
  const rarest = terms.filter(({ frequency }) => frequency > 0).sort((a, b) => a.frequency - b.frequency);
  let postings = 0;
  const used = rarest.filter(({ frequency }, index) => {
    postings += frequency;
    return index === 0 || postings <= mostPostings;
  });
  return [used, (rarest[0]?.frequency ?? 0) > mostPostings ? rarest[1] : undefined];
}

function quoted({ text }: RankedTerm): string {
  return `"${text}"`;
}

/** Where tests are, by the usual names of many languages. */
const testPath = new RegExp(
  [
    '(?:^|/)(?:tests?|__tests__|specs?|testing|e2e|fixtures?|testdata|[\\w-]+-tests?)/',
    '(?:^|/)(?:test_[^/]+|conftest)\\.py$',
    '[._-](?:test|spec|tests|bench)\\.[a-z]+$',
    '(?:Tests?|Spec)\\.(?:java|kt|cs|swift|scala|php)$',
  ].join('|'),
);
const documentPath = /\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:docs?|examples?|benchmarks?|changelogs?)\//i;
const dataPath =
  /(?:^|\/)(?:vendor|third_party|generated)\/|\.(?:generated|gen|pb)\.[a-z]+$|\.(?:json|ya?ml|toml|xml|csv|html|css|scss)$/i;

const asksForTests = /\b(?:tests?|specs?|testing|tested|e2e|fixtures?|assertions?|mocks?)\b/i;
const asksForDocuments =
  /\b(?:docs?|documentation|readme|changelog|guide|migration|tutorials?|examples?|benchmarks?)\b/i;
const asksForData = /\b(?:configs?|configuration|json|ya?ml|toml|package|workflow|styles?|css|html)\b/i;

const knownPaths = new Map<string, ReadonlySet<string>>();

function pathStems(path: string): ReadonlySet<string> {
  const known = knownPaths.get(path);
  if (known) return known;
  const stems = stemsOf(path);
  if (knownPaths.size > 50_000) knownPaths.clear();
  knownPaths.set(path, stems);
  return stems;
}

/** What the path and the definitions of a file say about a question. */
export function pathFactor(of: {
  readonly path: string;
  readonly query: string;
  readonly terms: readonly RankedTerm[];
  readonly symbols: readonly string[];
}): { readonly factor: number; readonly reasons: string[] } {
  const { path, query, terms, symbols } = of;
  const reasons: string[] = [];
  let factor = 1;
  const apply = (by: number, reason: string) => {
    factor *= by;
    reasons.push(reason);
  };
  const names = new Set(symbols.flatMap((text) => text.toLowerCase().split(' ')));
  const defined = terms.filter(({ text, weight }) => weight >= 1 && names.has(text)).map(({ text }) => text);
  if (defined.length > 0) apply(1 + 0.15 * Math.min(2, defined.length), `defines ${defined.slice(0, 3).join(', ')}`);
  const words = pathStems(path);
  const inPath = terms.filter(({ stem }) => words.has(stem)).map(({ text }) => text);
  if (inPath.length > 0) apply(1 + 0.12 * Math.min(3, inPath.length), `path names ${inPath.slice(0, 3).join(', ')}`);
  if (testPath.test(path) && !asksForTests.test(query)) apply(0.45, 'a test, which was not asked for');
  else if (documentPath.test(path) && !asksForDocuments.test(query))
    apply(0.6, 'documentation, which was not asked for');
  else if (dataPath.test(path) && !asksForData.test(query)) apply(0.6, 'data or generated code');
  return { factor, reasons };
}
