import { filesTouched } from 'longhaul/engine';
import { isEngineMessage, isHumanMessage, type Message, type ToolCallPart } from 'longhaul/message';
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
import { createUsageTally, type ModelUsage, type UsageByPurpose } from './usage.ts';

/** Counts of one or more sessions; see docs/sessions.md. */
export interface SessionStats extends EntryCounts {
  /** User turns; consecutive messages count as one. */
  readonly turns: number;
  /** Entries by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly tokensByKind: Readonly<Record<TokenKind, number>>;
  readonly tools: readonly ToolCount[];
  readonly compactions: readonly CompactionFacts[];
  readonly usage: UsageByPurpose;
  readonly models: readonly ModelUsage[];
  /** Cost at today's prices of the models whose prices are known; `null` if none is. */
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

/** Counts entry by entry; keeps names, ids and paths in memory, but no texts. */
export interface StatsTally {
  readonly take: (input: { readonly header: SessionHeader; readonly entry: Entry }) => void;
  readonly counted: () => SessionStats;
}

/**
 * @example
 * const tally = createTally(await loadTokenCounter());
 * for await (const entry of readLog({ store, session: header.id })) tally.take({ header, entry });
 * tally.counted().turns;
 */
export function createTally({ byKind }: Pick<TokenCounter, 'byKind'>): StatsTally {
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

/** Calls and failures of a tool. */
interface ToolCount {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
}

/** Counts calls and failures by tool. */
interface ToolTally {
  readonly take: (message: Message) => void;
  /** Most calls first. */
  readonly counted: () => readonly ToolCount[];
}

function createToolTally(): ToolTally {
  const tools = new Map<string, ToolCount>();
  /** The names of calls without a result yet: not every dialect repeats them on the result. */
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

/** Reads and changes of a file. */
interface FileCount {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
}

/** Counts file operations of tool calls. */
interface FileTally {
  readonly take: (input: { readonly message: Message; readonly cwd: string | undefined }) => void;
  /** Most changed first, then most read. */
  readonly counted: () => readonly FileCount[];
}

function createFileTally(): FileTally {
  const files = new Map<string, FileCount>();
  /** Operations of calls that have no result yet. */
  const open = new Map<string, readonly FileOperation[]>();
  const add = (operations: readonly FileOperation[], amount: 1 | -1) => {
    for (const { path, isRead } of operations) {
      const { reads, writes } = files.get(path) ?? { reads: 0, writes: 0 };
      files.set(path, { path, reads: reads + (isRead ? amount : 0), writes: writes + (isRead ? 0 : amount) });
    }
  };
  return {
    take({ message: { parts }, cwd }) {
      for (const part of parts) {
        if (part.type === 'tool_call') {
          const operations = operationsOf({ part, cwd });
          open.set(part.id, operations);
          // Some formats have no results, so a call counts until its result says that it was denied or failed.
          add(operations, 1);
        }
        if (part.type !== 'tool_result') continue;
        if (part.isError) add(open.get(part.callId) ?? [], -1);
        open.delete(part.callId);
      }
    },
    counted: () =>
      [...files.values()]
        .filter(({ reads, writes }) => reads + writes > 0)
        .sort((a, b) => b.writes - a.writes || b.reads - a.reads || (a.path < b.path ? -1 : 1)),
  };
}

interface FileOperation {
  readonly path: string;
  readonly isRead: boolean;
}

function operationsOf({
  part,
  cwd,
}: {
  readonly part: ToolCallPart;
  readonly cwd: string | undefined;
}): readonly FileOperation[] {
  return filesTouched({ part, directory: cwd }).map(({ path, kind }) => ({
    path: inside({ path, cwd }),
    isRead: kind === 'read',
  }));
}

/** Normalizes absolute and relative paths of one file. */
function inside({ path, cwd }: { readonly path: string; readonly cwd: string | undefined }): string {
  const root = cwd === undefined || /[/\\]$/.test(cwd) ? cwd : `${cwd}${cwd.includes('\\') ? '\\' : '/'}`;
  return root !== undefined && path.startsWith(root) ? path.slice(root.length) : path.replace(/^\.\//, '');
}
