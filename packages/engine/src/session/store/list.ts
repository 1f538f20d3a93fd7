import type { ListQuery, SessionSummary } from './store.ts';

/**
 * The sessions that a query asks for, in its order: the newest, the youngest, by name (those without one last) or the
 * longest first. For stores that have no database to do it.
 */
export function listed({
  summaries,
  query,
}: {
  readonly summaries: readonly SessionSummary[];
  readonly query: ListQuery;
}): SessionSummary[] {
  const wanted = summaries.filter((summary) => matches(summary, query)).sort(orders[query.sort ?? 'updated']);
  return query.limit === undefined ? wanted : wanted.slice(0, query.limit);
}

type SessionOrder = (a: SessionSummary, b: SessionSummary) => number;

const byId: SessionOrder = (a, b) => compare(b.header.id, a.header.id);
const orders: { readonly [S in NonNullable<ListQuery['sort']>]: SessionOrder } = {
  updated: (a, b) => b.updatedAt - a.updatedAt || byId(a, b),
  created: (a, b) => b.header.createdAt - a.header.createdAt || byId(a, b),
  name: (a, b) =>
    Number(a.name === undefined) - Number(b.name === undefined) || compare(a.name ?? '', b.name ?? '') || byId(a, b),
  entries: (a, b) => b.count - a.count || byId(a, b),
};

function matches({ header, name }: SessionSummary, { text, cwd, source }: ListQuery): boolean {
  if (cwd !== undefined && header.cwd !== cwd) return false;
  if (source && (header.source?.format !== source.format || header.source.key !== source.key)) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return [name, header.cwd, header.id].some((value) => value?.toLowerCase().includes(wanted));
}

/** By code unit, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
