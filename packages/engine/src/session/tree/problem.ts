import type { Entry, EntryId } from '../entry/entry.ts';

/** Something that a sound log does not have. */
export interface LogProblem {
  readonly code:
    | 'missing-entry'
    | 'missing-item'
    | 'cycle'
    | 'duplicate-id'
    | 'duplicate-handle'
    | 'note-as-parent'
    | 'wrong-epoch'
    | 'wrong-head'
    | 'bad-reference';
  /** The entry that is missing, or at which the problem shows. */
  readonly entry: EntryId;
  /** One sentence for people. */
  readonly what: string;
}

/** What is needed of an entry to speak of it. */
type Named = Pick<Entry, 'id' | 'handle' | 'type'>;

/** An entry that is named as a parent, leaf or place to restore, and is not there. */
export function missing({ id, by }: { readonly id: EntryId; readonly by: Named | undefined }): LogProblem {
  const who = by ? `it is the parent of ${name(by)}` : 'it was requested';
  return { code: 'missing-entry', entry: id, what: `Entry ${id} is missing; ${who}.` };
}

/** An entry that an epoch sends and that is not there. */
export function missingItem({ id, by }: { readonly id: EntryId; readonly by: Named }): LogProblem {
  return { code: 'missing-item', entry: id, what: `Entry ${id} is missing; ${name(by)} sends it.` };
}

/** A reference to an entry that is not older: following it could go round for ever. */
export function unordered({
  entry,
  target,
}: {
  readonly entry: Named;
  readonly target: Omit<Named, 'id'>;
}): LogProblem {
  return {
    code: 'cycle',
    entry: entry.id,
    what: `${name(entry)} has the parent ${name(target)}, which is not older: the log contains a cycle.`,
  };
}

/** A reference that is there but cannot mean anything. */
export function badReference({ entry, why }: { readonly entry: Named; readonly why: string }): LogProblem {
  return { code: 'bad-reference', entry: entry.id, what: `${name(entry)} ${why}.` };
}

function name({ handle, type }: Omit<Named, 'id'>): string {
  return `@${handle} (${type})`;
}
