import type { Entry, Session } from '../../session/index.ts';

/** Why an answer that is in the log is not all of it: it was cut off by its length, or the provider paused it. */
export type Unfinished = 'length' | 'paused';

/** What the model has still to do. */
export type Asked = 'answer' | Unfinished;

/** What is said so that an answer goes on. */
export const goOnWords: Readonly<Record<Unfinished, string>> = {
  length: 'Your answer was cut off by the limit on its length. Go on exactly where it stopped, without repeating it.',
  paused: 'Go on.',
};

/** Under such a key an answer is logged that is not all of it: whoever resumes must know, and one write is never half done. */
export function unfinishedKey({ why, id }: { readonly why: Unfinished; readonly id: string }): string {
  return `${prefix}${why}:${id}`;
}

const prefix = 'longhaul:unfinished:';

/** Whether what was said last is still to be answered, or to be gone on with. */
export async function readAsked(session: Session): Promise<Asked | undefined> {
  const last = await newest(session);
  if (last?.type === 'custom_message') return 'answer';
  if (last?.type !== 'message') return undefined;
  const { role, parts } = last.message;
  if (role === 'user' || role === 'tool') return 'answer';
  if (parts.some(({ type }) => type === 'tool_call')) return 'answer';
  return (['length', 'paused'] as const).find((why) => last.key?.startsWith(`${prefix}${why}:`));
}

/** What was said last. A summary is told in the role of the user and asks for nothing: what it stands for counts. */
async function newest(session: Session): Promise<Entry | undefined> {
  const id = session.context.items.at(-1)?.entry;
  const [entry] = id ? await session.read({ ids: [id] }) : [];
  if (id === undefined || entry?.type === 'message' || entry?.type === 'custom_message') return entry;
  return (await session.path()).findLast(({ type }) => type === 'message');
}
