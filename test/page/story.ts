import { exportSession } from 'longhaul/formats';
import type { Part } from 'longhaul/message';
import { createMemoryStore, createSession, type Session, type Store } from 'longhaul/session';

const start = Date.UTC(2026, 2, 9, 8, 0, 0);
const model = { provider: 'anthropic', name: 'claude-opus-5' };

/** A session in memory, its clock a few seconds further with every entry. */
export async function openStory(header: { readonly name?: string } = {}): Promise<{
  readonly store: Store;
  readonly session: Session;
}> {
  const store = createMemoryStore();
  let now = start;
  const session = await createSession({
    store,
    header: { id: 'story', createdAt: start, cwd: '/home/me/shop', ...header },
    now: () => {
      now += 7_000;
      return now;
    },
  });
  return { store, session };
}

export const say = (session: Session, text: string) =>
  session.append({ type: 'message', message: { role: 'user', parts: [{ type: 'text', origin: 'human', text }] } });

export const answer = (session: Session, ...parts: readonly Part[]) =>
  session.append({ type: 'message', message: { role: 'assistant', parts }, by: model });

export const words = (text: string): Part => ({ type: 'text', origin: 'model', text });
export const thought = (text: string): Part => ({ type: 'thinking', origin: 'model', text });
export const call = (id: string, name: string, input: object): Part => ({
  type: 'tool_call',
  origin: 'model',
  id,
  name,
  arguments: JSON.stringify(input),
});

export const result = (session: Session, callId: string, text: string, isError?: true) =>
  session.append({
    type: 'message',
    message: {
      role: 'tool',
      parts: [
        {
          type: 'tool_result',
          origin: 'tool',
          callId,
          content: [{ type: 'text', origin: 'tool', text }],
          ...(isError && { isError }),
        },
      ],
    },
  });

/** The page of a session. */
export async function pageOf({
  store,
  session,
}: {
  readonly store: Store;
  readonly session: Session;
}): Promise<string> {
  const { text } = await exportSession({ store, session: session.id, format: 'html' });
  return (await Array.fromAsync(text)).join('');
}
