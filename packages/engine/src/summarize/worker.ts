/** The worker thread of the extractive summarizer, which keeps selection off the caller's event loop. */

import { serveItems } from '../analysis/index.ts';
import { createTokenizer } from '../tokens/index.ts';
import { answerTo } from './answer.ts';
import { createItemReader } from './item-reader.ts';
import type { ExtractiveAnswer, ExtractiveQuestion } from './protocol.ts';

const read = createItemReader();

// Not `await`: a build as CommonJS must be possible. Messages wait until there is a listener.
void createTokenizer('o200k_base').then((tokenizer) =>
  serveItems<ExtractiveQuestion, ExtractiveAnswer<ExtractiveQuestion>>({
    answer: ({ items, question }) => answerTo({ items, question, read, count: (text) => tokenizer.count(text) }),
  }),
);
