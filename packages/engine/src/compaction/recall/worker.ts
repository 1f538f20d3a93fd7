/** The worker thread of recall: searching a long session must not stall the caller's event loop. */
import { serveItems } from '../item-worker/serve.ts';
import type { Finding } from '../search/search.ts';
import { answerTo, type SearchQuestion } from './search-answer.ts';

serveItems<SearchQuestion, readonly Finding[]>({ answer: answerTo });
