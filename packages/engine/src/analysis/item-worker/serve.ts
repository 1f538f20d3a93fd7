import { parentPort } from 'node:worker_threads';
import type { SourceItem } from '../source-item.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

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
    if ('job' in said) return parentPort?.postMessage(replyTo(said));
    for (const handle of said.drop) known.delete(handle);
    for (const item of said.set) known.set(item.handle, item);
    items = undefined;
  });

  function replyTo({ job, question }: { readonly job: number; readonly question: Question }): FromWorker<Answer> {
    try {
      items ??= [...known.values()].toSorted((a, b) => a.handle - b.handle);
      return { job, answer: answer({ items, question }) };
    } catch (error) {
      return { job, failure: error instanceof Error ? error.message : String(error) };
    }
  }
}
