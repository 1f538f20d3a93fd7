import { filesTouched } from 'longhaul/engine';
import { isEngineMessage, isHumanMessage, type Message } from 'longhaul/message';
import {
  addCounts,
  type CompactionEntry,
  countEntry,
  type Entry,
  type EntryCounts,
  isToolCall,
  noCounts,
  type SessionHeader,
} from 'longhaul/session';
import { sumOfKinds, type TokenCounter, type TokenKind, tokenKinds } from '../session/token-counter.ts';
import { createUsageTally, type ModelUsage, type Used } from './usage.ts';

/** Everything that is counted in one session or several; the shape is described in docs/sessions.md. */
export interface Counted extends EntryCounts {
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
      if (!isEngineMessage(message)) {
        const speaks = isHumanMessage(message);
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

/** How often a tool was called, and how often it failed. */
interface ToolCount {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
}

/** Counts calls and failures by tool. */
interface ToolTally {
  readonly take: (message: Message) => void;
  /** The busiest first. */
  readonly counted: () => readonly ToolCount[];
}

function createToolTally(): ToolTally {
  const tools = new Map<string, ToolCount>();
  /** The names of calls that have no result yet: not every dialect repeats them on the result. */
  const open = new Map<string, string>();
  const count = (name: string, more: Partial<ToolCount>) => {
    const { calls, errors } = tools.get(name) ?? { calls: 0, errors: 0 };
    tools.set(name, { name, calls: calls + (more.calls ?? 0), errors: errors + (more.errors ?? 0) });
  };
  return {
    take({ parts }) {
      for (const part of parts) {
        if (part.type === 'tool_call') open.set(part.id, part.name);
        if (isToolCall(part)) count(part.type === 'tool_call' ? part.name : part.kind, { calls: 1 });
        if (part.type !== 'tool_result') continue;
        const name = part.name ?? open.get(part.callId) ?? 'unknown';
        open.delete(part.callId);
        if (part.isError) count(name, { errors: 1 });
      }
    },
    counted: () => [...tools.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1)),
  };
}

/** How often a file was read and changed. */
interface FileCount {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
}

/** Counts what calls did to files. */
interface FileTally {
  readonly take: (input: { readonly message: Message; readonly cwd: string | undefined }) => void;
  /** The most changed first, then the most read. */
  readonly counted: () => readonly FileCount[];
}

function createFileTally(): FileTally {
  const files = new Map<string, FileCount>();
  return {
    take({ message: { parts }, cwd }) {
      for (const part of parts) {
        if (part.type !== 'tool_call') continue;
        for (const { path: written, kind } of filesTouched({ part, directory: cwd })) {
          const path = inside({ path: written, cwd });
          const { reads, writes } = files.get(path) ?? { reads: 0, writes: 0 };
          const isRead = kind === 'read';
          files.set(path, { path, reads: reads + (isRead ? 1 : 0), writes: writes + (isRead ? 0 : 1) });
        }
      }
    },
    counted: () =>
      [...files.values()].sort((a, b) => b.writes - a.writes || b.reads - a.reads || (a.path < b.path ? -1 : 1)),
  };
}

/** One file has one name here, whether it was written from the root or from the folder of the session. */
function inside({ path, cwd }: { readonly path: string; readonly cwd: string | undefined }): string {
  const root = cwd === undefined || /[/\\]$/.test(cwd) ? cwd : `${cwd}${cwd.includes('\\') ? '\\' : '/'}`;
  return root !== undefined && path.startsWith(root) ? path.slice(root.length) : path.replace(/^\.\//, '');
}
