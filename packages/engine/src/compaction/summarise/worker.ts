/** The worker thread of the extractive summariser: planning and choosing must not stall the caller's event loop. */
import { parentPort } from 'node:worker_threads';
import { createTokenizer } from '../../tokens/index.ts';
import type { SourceItem } from '../source.ts';
import { extractive } from './extractive.ts';
import type { Reply, Request } from './protocol.ts';

const tokenizer = await createTokenizer('o200k_base');
const begun = new Map<number, SourceItem[]>();

parentPort?.on('message', (request: Request) => {
  const { job } = request;
  const items = begun.get(job) ?? [];
  if ('items' in request) {
    items.push(...request.items);
    begun.set(job, items);
    return;
  }
  begun.delete(job);
  parentPort?.postMessage(replyTo({ job, items, order: request.order }));
});

function replyTo({
  job,
  items,
  order,
}: {
  job: number;
  items: SourceItem[];
  order: Parameters<typeof extractive>[0]['order'];
}): Reply {
  try {
    return { job, summary: extractive({ items, order, count: (text) => tokenizer.count(text) }) };
  } catch (error) {
    return { job, failure: error instanceof Error ? error.message : String(error) };
  }
}
