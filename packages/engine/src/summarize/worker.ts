/** The worker thread of the extractive summarizer: planning and choosing must not stall the caller's event loop. */

import { serveItems } from '../analysis/index.ts';
import { createTokenizer } from '../tokens/index.ts';
import { answerTo } from './answer.ts';
import type { Answer, Question } from './protocol.ts';
import { createReader } from './reader.ts';

const tokenizer = await createTokenizer('o200k_base');
const read = createReader();

serveItems<Question, Answer<Question>>({
  answer: ({ items, question }) => answerTo({ items, question, read, count: (text) => tokenizer.count(text) }),
});
