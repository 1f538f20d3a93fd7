import { LonghaulError } from '../errors.ts';
import type { EntryId } from './entry/entry.ts';

/** A draft that is not an entry. */
export function invalidEntry({ type, problems }: { readonly type: string; readonly problems: readonly string[] }) {
  return new LonghaulError({
    code: 'invalid-entry',
    message: `This is not an entry of the kind "${type}": ${problems.join(' ')} Nothing was appended.`,
    hint: 'Correct it and append again.',
  });
}

/** An id or handle that the session does not have. */
export function entryMissing({ what }: { readonly what: EntryId }) {
  return new LonghaulError({
    code: 'entry-missing',
    message: `The session has no entry ${what}.`,
    hint: 'Look the entry up in the tree of the session.',
  });
}

/** A place where a session cannot be. */
export function notANode({ handle, type }: { readonly handle: number; readonly type: string }) {
  return new LonghaulError({
    code: 'not-a-node',
    message: `Entry @${handle} is a note (${type}), not part of the tree, so a session cannot be moved to it.`,
    hint: 'Name a message or another entry that the tree shows.',
  });
}

/** A place that is not behind the session. */
export function notOnPath({ handle }: { readonly handle: number }) {
  return new LonghaulError({
    code: 'not-on-path',
    message: `Entry @${handle} is not on the path of the session.`,
    hint: 'Move there instead of rewinding, or name an entry of the path.',
  });
}

/** An entry that is not sent, so that nothing can be done to it in what is sent. */
export function notInContext({ what }: { readonly what: EntryId }) {
  return new LonghaulError({
    code: 'not-in-context',
    message: `Entry ${what} is not part of what is sent now.`,
    hint: 'Name an entry whose message is sent, or undo the compaction that replaced it.',
  });
}

/** A plan for what was sent at another place, or before it was changed. */
export function contextMoved() {
  return new LonghaulError({
    code: 'context-moved',
    message: 'What is sent was changed while this was planned, so the plan no longer fits. Nothing was appended.',
    hint: 'Plan again.',
  });
}

export function nothingToUndo() {
  return new LonghaulError({
    code: 'nothing-to-undo',
    message: 'There is no compaction, prune, edit, move or rewind that could be undone.',
    hint: 'Nothing has to be done.',
  });
}

export function nothingToRedo() {
  return new LonghaulError({
    code: 'nothing-to-redo',
    message: 'Nothing was undone since the last action.',
    hint: 'Nothing has to be done.',
  });
}

/** A key that names a batch of another shape. */
export function keyReused({ key }: { readonly key: string }) {
  return new LonghaulError({
    code: 'key-reused',
    message: `The key ${JSON.stringify(key)} was used for other entries. Nothing was appended.`,
    hint: 'Append under a key of its own.',
  });
}

/** Text that is no handle, or names a part or line that is not there. */
export function badHandle({ text, why }: { readonly text: string; readonly why: string }) {
  return new LonghaulError({
    code: 'bad-handle',
    message: `The handle ${JSON.stringify(text)} ${why}.`,
    hint: 'Write @12 for an entry, @12.2 for a part, @12:40-80 for lines, @12.2:40-80 for lines of a part.',
  });
}
