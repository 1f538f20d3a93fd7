import { createSearch, type SearchFinding, type SourceItem } from '../../analysis/index.ts';

/** What is searched for. */
export interface SearchQuestion {
  readonly query: string;
  /** What earlier searches of the turn gave, and what lies so far back that only the index of words knows it. */
  readonly seen: readonly SearchFinding[];
  readonly far: readonly SourceItem[];
  /** How many findings are enough. */
  readonly most: number;
}

/** Searches the items of a session, in whatever thread: the findings that say most, best first. */
export function answerTo({
  items,
  question: { query, seen, far, most },
}: {
  readonly items: readonly SourceItem[];
  readonly question: SearchQuestion;
}): readonly SearchFinding[] {
  const search = createSearch(query);
  search.add(far);
  search.add(items);
  return search.best({ budget: most, count: () => 1, seen }).findings;
}
