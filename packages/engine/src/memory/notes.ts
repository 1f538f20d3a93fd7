import { LonghaulError } from '../errors.ts';
import type { Session } from '../session/index.ts';
import { addToBoard, pruneEntry } from './board.ts';
import { type AgentNote, checkNote } from './candidates.ts';
import type { MemoryEntry } from './entry.ts';
import type { Repository } from './repository.ts';
import type { Memory } from './store.ts';

/**
 * Adds a note of a model to the board, if the session supports it; `isNew` is `false` if the fact was known already.
 * Commands must have worked and files must have been used in the session; conventions, preferences and decisions must
 * quote a person word for word. So a text that a tool returned cannot become memory through the model.
 *
 * @example
 * const note = { kind: 'command', text: '`npm test` runs all tests.' } as const;
 * const { entry } = await addNote({ memory, note, session: session.session, repository: { root: cwd }, now: Date.now });
 */
export async function addNote({
  memory,
  note,
  session,
  mask = (text) => text,
  repository: { root, branch },
  now,
}: {
  readonly memory: Memory;
  readonly note: AgentNote;
  readonly session: Pick<Session, 'header' | 'path'>;
  /** Masks secrets in what is stored. */
  readonly mask?: (text: string) => string;
  readonly repository: Pick<Repository, 'root' | 'branch'>;
  readonly now: () => number;
}): Promise<{ readonly entry: MemoryEntry | undefined; readonly isNew: boolean }> {
  const { header } = session;
  const candidate = checkNote({ note, path: await session.path(), header, mask, root, branch, at: now() });
  if ('refused' in candidate) {
    throw new LonghaulError({
      code: 'note-unsupported',
      message: 'It was not added.',
      hint: candidate.refused,
    });
  }
  const change = memory.change({ work: (state) => addToBoard({ state, candidates: [candidate] }) });
  const [added] = [...change.added, ...change.restored];
  return { entry: added ?? change.changed[0], isNew: added !== undefined };
}

/**
 * Moves an entry to the archive until it is observed again. What rests on words of a person is theirs to take back.
 *
 * @example
 * pruneNote({ memory, id: '3f2a9c1b', now: Date.now });
 */
export function pruneNote({
  memory,
  id,
  now,
}: {
  readonly memory: Memory;
  readonly id: string;
  readonly now: () => number;
}): MemoryEntry {
  const entry = memory.list().find((one) => one.id === id);
  if (!entry) {
    throw new LonghaulError({ code: 'entry-missing', message: `There is no entry ${id}.`, hint: 'List the board.' });
  }
  if (entry.authority === 'person') {
    throw new LonghaulError({
      code: 'entry-of-person',
      message: 'The entry rests on words of the user.',
      hint: 'Ask them to remove it.',
    });
  }
  memory.change({ work: (state) => pruneEntry({ state, id, at: now() }) });
  return entry;
}
