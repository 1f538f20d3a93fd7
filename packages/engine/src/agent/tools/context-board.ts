import { LonghaulError } from '../../errors.ts';
import {
  addNote,
  type Memory,
  type MemoryEntry,
  type MemoryKind,
  memoryKinds,
  pruneNote,
  type Repository,
  voteFor,
} from '../../memory/index.ts';
import type { Session } from '../../session/index.ts';
import type { Tool } from '../tool.ts';
import { defineTool, toolText } from './define.ts';

const actions = ['list', 'add', 'prune', 'vote'] as const;

interface BoardCall {
  readonly action: (typeof actions)[number];
  readonly kind?: MemoryKind;
  readonly text?: string;
  readonly handle?: string;
  readonly id?: string;
  readonly vote?: 'up' | 'down';
}

/**
 * The tool `context_board`: lists the memory of the repository, adds to it, and rates or archives entries. What is added
 * must be supported by the session; see `docs/memory.md`.
 *
 * @example
 * const tool = createBoardTool({ memory, session: session.session, mask: session.mask, repository, now: Date.now });
 */
export function createBoardTool({
  memory,
  session,
  mask,
  repository,
  now,
}: {
  readonly memory: Memory;
  readonly session: Pick<Session, 'id' | 'header' | 'path'>;
  readonly mask: (text: string) => string;
  readonly repository: Pick<Repository, 'root' | 'branch'>;
  readonly now: () => number;
}): Tool {
  return defineTool<BoardCall>({
    name: 'context_board',
    isBound: true,
    description:
      'The memory of this repository, shared by all sessions. `list` shows it. `add` stores one fact that will help later sessions: a command that worked or a file that matters (in backticks), a pitfall, or a convention, preference or decision in the exact words of the user, with the handle of their message. `vote` rates an entry, `prune` archives one that no longer holds.',
    properties: {
      action: { type: 'string', enum: actions },
      kind: { type: 'string', enum: memoryKinds, description: 'For add.' },
      text: { type: 'string', description: 'For add: the fact, one sentence.' },
      handle: { type: 'string', description: 'For add: the message of the user that is quoted, such as @12.' },
      id: { type: 'string', description: 'For prune and vote: the id of an entry.' },
      vote: { type: 'string', enum: ['up', 'down'] },
    },
    required: ['action'],
    target: (args) => {
      const action = actions.find((one) => one === args.text('action'));
      if (!action) throw badCall(`action must be one of ${actions.join(', ')}`);
      const kind = memoryKinds.find((one) => one === args.text('kind'));
      const vote = args.text('vote') === 'down' ? 'down' : 'up';
      const [text, handle, id] = [args.text('text'), args.text('handle'), args.text('id')];
      if (action === 'add' && (!kind || text === undefined)) throw badCall('add needs kind and text');
      if ((action === 'prune' || action === 'vote') && id === undefined) throw badCall(`${action} needs an id`);
      return {
        action,
        vote,
        ...(kind && { kind }),
        ...(text !== undefined && { text }),
        ...(handle !== undefined && { handle }),
        ...(id !== undefined && { id }),
      };
    },
    run: async ({ target }) => toolText(await perform(target)),
  });

  async function perform({
    action,
    kind = 'convention',
    text = '',
    handle,
    id = '',
    vote,
  }: BoardCall): Promise<string> {
    if (action === 'list') return listText(memory.list());
    if (action === 'add') {
      const note = { kind, text, ...(handle !== undefined && { handle }) };
      const { entry, isNew } = await addNote({ memory, note, session, mask, repository, now });
      return isNew && entry ? `Added ${entry.id}.` : 'It was known already, and is now confirmed.';
    }
    if (action === 'prune') return `Archived ${pruneNote({ memory, id, now }).id}.`;
    if (!memory.list().some((one) => one.id === id)) throw badCall(`There is no entry ${id}`);
    const voter = `agent:${session.id}`;
    memory.change({ work: (state) => voteFor({ state, id, voter, vote: vote === 'down' ? -1 : 1 }) });
    return `Voted ${vote} for ${id}.`;
  }
}

/** Entries shown to the model; the board may have more than a result should. */
const maxListed = 100;

function listText(entries: readonly MemoryEntry[]): string {
  if (entries.length === 0) return 'The board is empty.';
  const lines = entries.slice(0, maxListed).map(({ id, kind, text, authority, branch, stale }) => {
    const notes = [
      authority,
      ...(branch === undefined ? [] : [`branch ${branch}`]),
      ...(stale === undefined ? [] : [stale]),
    ];
    return `${id} ${kind}: ${text} (${notes.join(', ')})`;
  });
  const rest = entries.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join('\n');
}

function badCall(message: string): LonghaulError {
  return new LonghaulError({
    code: 'bad-arguments',
    message: `${message}.`,
    hint: 'Use action list to see the board.',
  });
}
