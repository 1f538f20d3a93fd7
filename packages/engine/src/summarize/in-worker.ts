import { createItemHost, type ItemHost, type SourceItem } from '../analysis/index.ts';
import { createTokenizer } from '../tokens/index.ts';
import { answerTo } from './answer.ts';
import { inOrder } from './extractive.ts';
import type { ExtractiveAnswer, ExtractiveQuestion } from './protocol.ts';
import { createItemReader, type ItemReader } from './reader.ts';
import type { Summarizer } from './summarizer.ts';

/**
 * The summarizer that needs no model: it chooses what to keep, in a worker thread. Where no worker can be had, or it
 * fails, it chooses in this thread: it cannot fail.
 *
 * @example
 * const engine = await createEngine({ store, summarizer: createExtractiveSummarizer() });
 */
export function createExtractiveSummarizer({
  worker: mayStart = true,
}: {
  /** False chooses in this thread. */
  readonly worker?: boolean;
} = {}): Summarizer {
  let running: ExtractiveHost | undefined;
  const read = createItemReader();
  return {
    strategy: 'extractive',
    needsNoModel: true,
    summarize: ({ items, later = [], signal, live: _live, trigger: _trigger, ...rest }) => {
      const {
        conversation: _conversation,
        instructions: _instructions,
        context: _context,
        mode: _mode,
        onAttempt: _onAttempt,
        ...order
      } = rest;
      const told = items.map(({ handle }) => handle);
      return ask({ items: inOrder([...items, ...later]), question: { order, told }, signal });
    },
    tailFor: ({ items, signal, ...question }) => ask({ items: inOrder(items), question, signal }),
  };

  async function ask<Q extends ExtractiveQuestion>(about: QuestionInput<Q>) {
    about.signal?.throwIfAborted();
    const answer = mayStart ? await inWorker(about) : undefined;
    about.signal?.throwIfAborted();
    return answer ?? (await here({ ...about, read }));
  }

  async function inWorker<Q extends ExtractiveQuestion>(about: QuestionInput<Q>): Promise<ExtractiveAnswer<Q> | undefined> {
    try {
      running ??= start();
      return (await running.ask(about)) as ExtractiveAnswer<Q>;
    } catch {
      return undefined;
    }
  }

  function start(): ExtractiveHost {
    const onEnd = () => {
      if (running === host) running = undefined;
    };
    const host: ExtractiveHost = createItemHost({ module: 'summarize/worker', name: 'summary', onEnd });
    return host;
  }
}

type ExtractiveHost = ItemHost<ExtractiveQuestion, ExtractiveAnswer<ExtractiveQuestion>>;

interface QuestionInput<Q extends ExtractiveQuestion> {
  readonly items: readonly SourceItem[];
  readonly question: Q;
  readonly signal?: AbortSignal | undefined;
}

async function here<Q extends ExtractiveQuestion>({
  items,
  question,
  read,
}: QuestionInput<Q> & { readonly read: ItemReader }): Promise<ExtractiveAnswer<Q>> {
  const tokenizer = await createTokenizer('o200k_base');
  return answerTo({ items, question, read, count: (text) => tokenizer.count(text) });
}
