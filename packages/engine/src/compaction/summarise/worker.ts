/** The worker thread of the extractive summariser: planning and choosing must not stall the caller's event loop. */
import { parentPort } from 'node:worker_threads';
import { createTokenizer } from '../../tokens/index.ts';
import type { SourceItem } from '../source.ts';
import { answerTo } from './answer.ts';
import type { Question, Reply, Request } from './protocol.ts';

const tokenizer = await createTokenizer('o200k_base');
const begun = new Map<number, SourceItem[]>();

parentPort?.on('message', (request: Request) => {
  const { job } = request;
  const items = begun.get(job) ?? [];
  if ('items' in request) {
    for (const item of request.items) items.push(item);
    begun.set(job, items);
    return;
  }
  begun.delete(job);
  parentPort?.postMessage(replyTo({ job, items, question: request }));
});

function replyTo({ job, ...about }: { job: number; items: SourceItem[]; question: Question }): Reply {
  try {
    return { job, answer: answerTo({ ...about, count: (text) => tokenizer.count(text) }) };
  } catch (error) {
    return { job, failure: error instanceof Error ? error.message : String(error) };
  }
}
