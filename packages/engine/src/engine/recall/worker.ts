/** The worker thread of recall: searching a long session must not stall the caller's event loop. */

import { type SearchFinding, serveItems } from '../../analysis/index.ts';
import { answerTo, type SearchQuestion } from './search-answer.ts';

serveItems<SearchQuestion, readonly SearchFinding[]>({ answer: answerTo });
