/** The worker thread of the extractive summariser: planning and choosing must not stall the caller's event loop. */
import { parentPort } from 'node:worker_threads';
import { createTokenizer } from '../../tokens/index.ts';
import type { SourceItem } from '../source.ts';
import { answerTo } from './answer.ts';
import type { Question, Reply, Request } from './protocol.ts';
import { createReader } from './reader.ts';

const tokenizer = await createTokenizer('o200k_base');
const read = createReader();
/** The session that was sent last. */
let items: SourceItem[] = [];

parentPort?.on('message', (request: Request) => {
  if ('job' in request) return parentPort?.postMessage(replyTo(request));
  if (request.isFirst) items = [];
  for (const item of request.items) items.push(item);
});

function replyTo({ job, ...question }: { readonly job: number } & Question): Reply {
  try {
    return { job, answer: answerTo({ items, question, read, count: (text) => tokenizer.count(text) }) };
  } catch (error) {
    return { job, failure: error instanceof Error ? error.message : String(error) };
  }
}
