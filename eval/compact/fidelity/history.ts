import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type SourceItem, sourceItems } from 'longhaul/engine';
import { importSession } from 'longhaul/formats';
import type { ToolCallPart } from 'longhaul/message';
import { createMemoryStore, openSession, type Session } from 'longhaul/session';

/** A session as it was at its cut, and what happened after. */
export interface CutHistory {
  readonly session: Session;
  /** Everything that was said up to the cut, as it was said; recorded compactions are left out. */
  readonly items: readonly SourceItem[];
  /** Calls that were made after the cut. */
  readonly laterCalls: readonly ToolCallPart[];
  /** The folder the agent worked in. */
  readonly root?: string;
}

/**
 * Imports a file as if it had ended at an entry: that many lines of JSONL, or elements of `messages` in JSON. Importers
 * need not know of entry numbers then.
 */
export async function cutHistory({ path, cut }: { readonly path: string; readonly cut: number }): Promise<CutHistory> {
  const bytes = readFileSync(path, 'utf8');
  const before = await imported(upTo({ text: bytes, isLines: extname(path) === '.jsonl', cut }));
  const after = await imported(bytes);
  const known = new Set(callsIn(before.items).map(({ id }) => id));
  const root = before.session.header.cwd;
  return {
    ...before,
    laterCalls: callsIn(after.items).filter(({ id }) => !known.has(id)),
    ...(root !== undefined && { root }),
  };
}

export function upTo({
  text,
  isLines,
  cut,
}: {
  readonly text: string;
  readonly isLines: boolean;
  readonly cut: number;
}) {
  if (isLines) {
    return text
      .split('\n')
      .slice(0, cut + 1)
      .join('\n');
  }
  const whole = JSON.parse(text) as { messages: unknown[] };
  return JSON.stringify({ ...whole, messages: whole.messages.slice(0, cut + 1) });
}

async function imported(text: string) {
  const store = createMemoryStore();
  const bytes = new TextEncoder().encode(text);
  const { session: id } = await importSession({
    store,
    open: async function* open() {
      yield bytes;
    },
  });
  const session = await openSession({ store, id });
  const path = await session.path();
  const items = sourceItems(path);
  return { session, items };
}

function callsIn(items: readonly SourceItem[]): ToolCallPart[] {
  return items.flatMap(({ message }) => message.parts.flatMap((part) => (part.type === 'tool_call' ? [part] : [])));
}
