/** The worker thread of the extractive summarizer: planning and choosing must not stall the caller's event loop. */

import { serveItems } from '../analysis/index.ts';
import { createTokenizer } from '../tokens/index.ts';
import { answerTo } from './answer.ts';
import type { ExtractiveAnswer, ExtractiveQuestion } from './protocol.ts';
import { createItemReader } from './reader.ts';

const tokenizer = await createTokenizer('o200k_base');
const read = createItemReader();

serveItems<ExtractiveQuestion, ExtractiveAnswer<ExtractiveQuestion>>({
  answer: ({ items, question }) => answerTo({ items, question, read, count: (text) => tokenizer.count(text) }),
});
