import { type AgentHooks, createBoardTool, findInstructions, type Tool } from 'longhaul/agent';
import type { EngineSession } from 'longhaul/engine';
import { chooseInbox, isInboxText, type MemoryEntry, staleCheck } from 'longhaul/memory';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';
import { openBoard } from './board.ts';

/** The tokens that a later prompt may bring. */
const laterTokens = 300;

/** What an agent gets of memory. */
export interface AgentMemory {
  /** For the head; the same bytes for as long as the session exists. */
  readonly briefing?: string;
  readonly entries: readonly MemoryEntry[];
  readonly tool: Tool;
  readonly hooks: AgentHooks;
  readonly close: () => void;
}

/**
 * The memory of an agent: notes for a new session, those that a resumed session got before, more of them with later
 * prompts, and the tool `context_board`.
 *
 * @example
 * const memory = await openAgentMemory({ io, dir, values, session, request: 'Fix the test.' });
 */
export async function openAgentMemory({
  io,
  dir,
  values,
  session,
  request,
}: {
  readonly io: Pick<Io, 'cwd' | 'now' | 'openMemory'>;
  /** The folder of the store. */
  readonly dir: string;
  readonly values: Settings;
  readonly session: EngineSession;
  /** The first prompt of this run. */
  readonly request: string;
}): Promise<AgentMemory> {
  const { memory, repository } = await openBoard({ io, dir, values, folder: io.cwd });
  const { files } = await findInstructions({ cwd: io.cwd });
  const instructions = files.map(({ text }) => text).join('\n');
  const { branch, root } = repository;
  const check = staleCheck({ root });
  const choose = (of: { readonly request: string; readonly tokens: number; readonly delivered?: readonly string[] }) =>
    chooseInbox({ entries: check({ entries: memory.list(), removed: [] }).entries, branch, instructions, ...of });
  const deliver = (entries: readonly MemoryEntry[]) => {
    if (entries.length === 0) return;
    const delivered = [...memory.session(session.id).delivered, ...entries.map(({ id }) => id)];
    memory.change({ work: (state) => state, sessions: { [session.id]: { delivered } } });
  };
  const isNew = session.context.items.length === 0;
  const first = isNew ? choose({ request, tokens: values.memory.inboxTokens }) : undefined;
  if (first) deliver(first.entries);
  const briefing = first ? first.text : await frozenText(session);
  let isFirst = isNew;
  return {
    ...(briefing !== undefined && briefing !== '' && { briefing }),
    entries: first?.entries ?? [],
    tool: createBoardTool({ memory, session: session.session, mask: session.mask, repository, now: io.now }),
    hooks: {
      userPromptSubmit: ({ prompt, session: of }) => {
        if (of !== session.id) return undefined;
        const wasFirst = isFirst;
        isFirst = false;
        if (wasFirst) return undefined;
        const { delivered } = memory.session(session.id);
        const more = choose({ request: prompt, tokens: laterTokens, delivered: ['', ...delivered] });
        deliver(more.entries);
        return more.text === '' ? undefined : { context: [more.text] };
      },
    },
    close: () => memory.close(),
  };
}

/** What the session got when it began, from its log. */
async function frozenText({ session }: EngineSession): Promise<string | undefined> {
  const texts = (await session.path()).flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'system'
      ? entry.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  );
  return texts.findLast(isInboxText);
}

/**
 * The lines that tell the user what came in.
 *
 * @example
 * inboxLines([]); // []
 */
export function inboxLines(entries: readonly MemoryEntry[]): string[] {
  if (entries.length === 0) return [];
  const lines = entries.map(({ id, text }) => `  ${id}  ${printable(text)}`);
  return ['Notes of earlier sessions; dismiss one with `longhaul memory vote ID down`:', ...lines];
}
