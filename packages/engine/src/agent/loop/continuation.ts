import type { Entry, Session } from '../../session/index.ts';

/** Why a logged answer is incomplete: the length limit cut it off, the provider paused it, or the run was aborted. */
export type UnfinishedReason = (typeof unfinishedReasons)[number];

const unfinishedReasons = ['length', 'paused', 'aborted'] as const;

/** Whether an answer that ended for this reason is incomplete. */
export function isUnfinished(reason: string): reason is UnfinishedReason {
  return unfinishedReasons.some((known) => known === reason);
}

/** What the model still has to do. */
export type OpenRequest = 'answer' | UnfinishedReason;

/** Prompts that continue an unfinished answer. */
export const continuationPrompts: Readonly<Record<UnfinishedReason, string>> = {
  length: 'Your answer was cut off by the output limit. Continue exactly where it stopped, without repeating it.',
  paused: 'Go on.',
  aborted:
    'Your answer was interrupted before its end; a tool call that had begun was not made. Continue exactly where the text stopped, without repeating it.',
};

/** Key of an unfinished answer in the log: a resumed run needs the reason, and the key is part of the same write. */
export function unfinishedKey({ why, id }: { readonly why: UnfinishedReason; readonly id: string }): string {
  return `${prefix}${why}:${id}`;
}

const prefix = 'longhaul:unfinished:';

/** Whether the last message still needs an answer or a continuation. */
export async function readOpenRequest(session: Session): Promise<OpenRequest | undefined> {
  const last = await newestEntry(session);
  if (last?.type === 'custom_message') return 'answer';
  if (last?.type !== 'message') return undefined;
  const { role, parts } = last.message;
  if (role === 'user' || role === 'tool') return 'answer';
  if (parts.some(({ type }) => type === 'tool_call')) return 'answer';
  return unfinishedReasons.find((why) => last.key?.startsWith(`${prefix}${why}:`));
}

/** The newest message. A summary has the role `user` but needs no answer, so the message before it counts. */
async function newestEntry(session: Session): Promise<Entry | undefined> {
  const id = session.context.items.at(-1)?.entry;
  const [entry] = id ? await session.read({ ids: [id] }) : [];
  if (id === undefined || entry?.type === 'message' || entry?.type === 'custom_message') return entry;
  return (await session.path()).findLast(({ type }) => type === 'message');
}
