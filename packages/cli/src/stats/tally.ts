import type { Message } from 'longhaul/message';
import {
  addCounts,
  type CompactionEntry,
  type Counts,
  countEntry,
  type Entry,
  noCounts,
  type SessionHeader,
} from 'longhaul/session';
import { sumOfKinds, type TokenCounter, type TokenKind, tokenKinds } from '../session/token-counter.ts';
import { createFileTally, type FileCount } from './files.ts';
import { createToolTally, type ToolCount } from './tools.ts';
import { createUsageTally, type ModelUsage, type Used } from './usage.ts';

/** Everything that is counted in one session or several; the shape is described in docs/sessions.md. */
export interface Counted extends Counts {
  /** How often somebody said something to the model; several messages in a row are one. */
  readonly turns: number;
  /** Entries by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly tokensByKind: Readonly<Record<TokenKind, number>>;
  readonly tools: readonly ToolCount[];
  readonly compactions: readonly CompactionFacts[];
  readonly usage: Used;
  readonly models: readonly ModelUsage[];
  /** What the models whose prices are known would cost today; `null` where none is. */
  readonly dollars: number | null;
  readonly files: readonly FileCount[];
}

interface CompactionFacts {
  readonly session: string;
  readonly handle: string;
  readonly at: string;
  readonly trigger: string;
  readonly tokensBefore: number;
}

/** Counts entry by entry, with memory for names, ids and paths, and none for texts. */
export interface Tally {
  readonly take: (input: { readonly header: SessionHeader; readonly entry: Entry }) => void;
  readonly counted: () => Counted;
}

/**
 * @example
 * const tally = createTally(await loadTokenCounter());
 * for await (const entry of readLog({ store, session: header.id })) tally.take({ header, entry });
 * tally.counted().turns;
 */
export function createTally({ byKind }: Pick<TokenCounter, 'byKind'>): Tally {
  const kinds: Record<string, number> = {};
  const tokensByKind = Object.fromEntries(tokenKinds.map((kind) => [kind, 0])) as Record<TokenKind, number>;
  const tools = createToolTally();
  const files = createFileTally();
  const usage = createUsageTally();
  const compactions: CompactionFacts[] = [];
  let counts = noCounts;
  let turns = 0;
  let spoken = false;
  return {
    take({ header, entry }) {
      kinds[entry.type] = (kinds[entry.type] ?? 0) + 1;
      counts = addCounts(counts, countEntry({ entry, countTokens }));
      usage.take(entry);
      if (entry.type === 'compaction') compactions.push(factsOf({ entry, session: header.id }));
      if (entry.type !== 'message') return;
      const { message } = entry;
      tools.take(message);
      files.take({ message, cwd: header.cwd });
      if (!isAside(message)) {
        const speaks = isSpoken(message);
        if (speaks && !spoken) turns += 1;
        spoken = speaks;
      }
    },
    counted: () => ({
      ...counts,
      turns,
      kinds,
      tokensByKind,
      tools: tools.counted(),
      compactions,
      ...usage.counted(),
      files: files.counted(),
    }),
  };

  function countTokens(message: Message): number {
    const counted = byKind(message);
    for (const kind of tokenKinds) tokensByKind[kind] += counted[kind] ?? 0;
    return sumOfKinds(counted);
  }
}

function factsOf({ entry, session }: { entry: CompactionEntry; session: string }): CompactionFacts {
  const { handle, at, trigger, tokensBefore } = entry;
  return { session, handle: `@${handle}`, at: new Date(at).toISOString(), trigger, tokensBefore };
}

function isSpoken({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(({ origin, type }) => origin === 'human' && type !== 'tool_result');
}

/** Prompts and reminders of a client neither open a turn nor close one. */
function isAside({ role, parts }: Message): boolean {
  return role === 'system' || (role === 'user' && parts.every(({ origin }) => origin === 'engine'));
}
