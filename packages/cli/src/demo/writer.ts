import type { Message } from 'longhaul/message';
import { openSession, type Store } from 'longhaul/session';

/** What the other process of the demo writes, for as long as it lives. */
function stepMessage(step: number): Message {
  const text = `Step ${step} of the release is done.`;
  return {
    role: step % 2 === 1 ? 'user' : 'assistant',
    parts: [{ type: 'text', origin: step % 2 === 1 ? 'human' : 'model', text }],
  };
}

/**
 * Appends message after message, and tells each handle once the store has acknowledged it. It does not end by itself.
 *
 * @example
 * await writeForEver({ store, session, tell: (handle) => console.log(handle), until: () => false });
 */
export async function writeForEver({
  store,
  session,
  tell,
  until,
}: {
  readonly store: Store;
  readonly session: string;
  readonly tell: (handle: number) => Promise<void>;
  readonly until: () => boolean;
}): Promise<void> {
  const live = await openSession({ store, id: session });
  for (let step = 1; !until(); step += 1) {
    const { handle } = await live.append({ type: 'message', message: stepMessage(step) });
    await tell(handle);
  }
}
