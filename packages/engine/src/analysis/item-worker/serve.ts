import { parentPort } from 'node:worker_threads';
import type { WorkerReply } from '../../worker-client.ts';
import type { SourceItem } from '../source-item.ts';
import type { ToWorker } from './protocol.ts';

/**
 * The worker's side of `createItemHost`: keeps the items of a session, in the order of their handles, and answers
 * questions about them.
 *
 * @example
 * serveItems({ answer: ({ items, question }: { items: readonly SourceItem[]; question: string }) => items.length });
 */
export function serveItems<Question, Answer>({
  answer,
}: {
  readonly answer: (about: { readonly items: readonly SourceItem[]; readonly question: Question }) => Answer;
}): void {
  const known = new Map<number, SourceItem>();
  let items: readonly SourceItem[] | undefined;
  parentPort?.on('message', (said: ToWorker<Question>) => {
    if ('id' in said) return parentPort?.postMessage(replyTo(said));
    for (const handle of said.drop) known.delete(handle);
    for (const item of said.set) known.set(item.handle, item);
    items = undefined;
  });

  function replyTo({ id, question }: { readonly id: number; readonly question: Question }): WorkerReply<Answer> {
    try {
      items ??= [...known.values()].toSorted((a, b) => a.handle - b.handle);
      return { id, value: answer({ items, question }) };
    } catch (error) {
      return { id, failure: error instanceof Error ? error.message : String(error) };
    }
  }
}
