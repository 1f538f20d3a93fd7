import { type AgentHooks, createBoardTool, findInstructions, type Tool } from 'longhaul/agent';
import type { EngineSession } from 'longhaul/engine';
import { chooseInbox, isInboxText, type MemoryEntry, staleCheck } from 'longhaul/memory';
import { asLonghaulError } from '../errors/family.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';
import { openBoard } from './board.ts';
import { performMemoryLine } from './edit-board.ts';
import { consolidation } from './gateway-memory.ts';

/** The tokens that a later prompt may bring. */
const laterTokens = 300;

/** What an agent gets of memory. */
export interface AgentMemory {
  /**
   * For the head: chosen by the first prompt of a new session, and the same bytes for as long as the session exists.
   * Empty before the first prompt and if there is nothing to deliver.
   */
  readonly briefing: () => string | undefined;
  readonly tool: Tool;
  readonly hooks: AgentHooks;
  /**
   * Performs the rest of a line `/memory …` and returns the lines to show, also for bad input. Its words are in
   * `memoryWords`.
   */
  readonly perform: (line: string) => string[];
  /** Closes the memory and, if the settings say so, consolidates the session in a process of its own. */
  readonly close: () => void;
}

/**
 * The memory of an agent: notes for a new session, those that a resumed session got before, more of them with later
 * prompts, the tool `context_board` and the command `/memory`.
 *
 * @example
 * const memory = await openAgentMemory({ io, dir, values, session, onNotes: show });
 */
export async function openAgentMemory({
  io,
  dir,
  values,
  session,
  onNotes = () => undefined,
}: {
  readonly io: Pick<Io, 'cwd' | 'env' | 'now' | 'openMemory' | 'startDetached'>;
  /** The folder of the store. */
  readonly dir: string;
  readonly values: Settings;
  readonly session: EngineSession;
  /** Called with the entries that a prompt brought. */
  readonly onNotes?: ((entries: readonly MemoryEntry[]) => void) | undefined;
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
    onNotes(entries);
  };
  let isFirst = session.context.items.length === 0;
  let briefing = isFirst ? undefined : await frozenText(session);
  return {
    briefing: () => briefing,
    tool: createBoardTool({ memory, session: session.session, mask: session.mask, repository, now: io.now }),
    hooks: {
      userPromptSubmit: ({ prompt, session: of }) => {
        // Sub-agents share the hooks.
        if (of !== session.id) return undefined;
        if (isFirst) {
          isFirst = false;
          const first = choose({ request: prompt, tokens: values.memory.inboxTokens });
          deliver(first.entries);
          if (first.text !== '') briefing = first.text;
          return undefined;
        }
        const { delivered } = memory.session(session.id);
        const more = choose({ request: prompt, tokens: laterTokens, delivered: ['', ...delivered] });
        deliver(more.entries);
        return more.text === '' ? undefined : { context: [more.text] };
      },
    },
    perform: (line) => {
      try {
        return performMemoryLine({ memory, line, now: io.now, delivered: memory.session(session.id).delivered });
      } catch (error) {
        const { message, hint } = asLonghaulError(error);
        return [`${printable(message)} ${hint}`];
      }
    },
    close: () => {
      memory.close();
      if (!values.memory.consolidate || session.context.items.length === 0) return;
      io.startDetached(consolidation({ sessions: [session.id], dir, values, folder: io.cwd, env: io.env }));
    },
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
  return [
    'Notes of earlier sessions; dismiss one with `longhaul memory vote ID down` or /memory dismiss ID:',
    ...lines,
  ];
}
