import type { SessionSummary } from 'longhaul/session';

/** A session in a list; the JSON output, see docs/sessions.md. */
export function sessionFacts({ header, name, title, count, messages, updatedAt }: SessionSummary) {
  return {
    id: header.id,
    name: name ?? null,
    title: title ?? null,
    cwd: header.cwd ?? null,
    entries: count,
    messages,
    createdAt: new Date(header.createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    parent: header.parent?.session ?? null,
    owner: header.owner?.session ?? null,
    source: header.source ?? null,
  };
}
