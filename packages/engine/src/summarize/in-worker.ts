import { createItemHost, type ItemHost, type SourceItem } from '../analysis/index.ts';
import { createTokenizer } from '../tokens/index.ts';
import { answerTo } from './answer.ts';
import { inOrder } from './extractive.ts';
import { createItemReader, type ItemReader } from './item-reader.ts';
import type { ExtractiveAnswer, ExtractiveQuestion } from './protocol.ts';
import type { Summarizer } from './summarizer.ts';

/**
 * The summarizer that needs no model: it selects lines in a worker thread. If no worker is available, or it fails, the
 * selection runs in the caller's thread.
 *
 * @example
 * const engine = await createEngine({ store, summarizer: createExtractiveSummarizer() });
 */
export function createExtractiveSummarizer({
  worker: usesWorker = true,
}: {
  /** False runs the selection in the caller's thread. */
  readonly worker?: boolean;
} = {}): Summarizer {
  let host: ExtractiveHost | undefined;
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
        ...input
      } = rest;
      const covered = items.map(({ handle }) => handle);
      return ask({ items: inOrder([...items, ...later]), question: { input, covered }, signal });
    },
    tailFor: ({ items, signal, ...question }) => ask({ items: inOrder(items), question, signal }),
  };

  async function ask<Q extends ExtractiveQuestion>(about: QuestionInput<Q>) {
    about.signal?.throwIfAborted();
    const answer = usesWorker ? await inWorker(about) : undefined;
    about.signal?.throwIfAborted();
    return answer ?? (await inThisThread({ ...about, read }));
  }

  async function inWorker<Q extends ExtractiveQuestion>(
    about: QuestionInput<Q>,
  ): Promise<ExtractiveAnswer<Q> | undefined> {
    try {
      host ??= start();
      return (await host.ask(about)) as ExtractiveAnswer<Q>;
    } catch {
      return undefined;
    }
  }

  function start(): ExtractiveHost {
    const onEnd = () => {
      if (host === started) host = undefined;
    };
    const started: ExtractiveHost = createItemHost({ module: 'summarize/worker', name: 'summary', onEnd });
    return started;
  }
}

type ExtractiveHost = ItemHost<ExtractiveQuestion, ExtractiveAnswer<ExtractiveQuestion>>;

interface QuestionInput<Q extends ExtractiveQuestion> {
  readonly items: readonly SourceItem[];
  readonly question: Q;
  readonly signal?: AbortSignal | undefined;
}

async function inThisThread<Q extends ExtractiveQuestion>({
  items,
  question,
  read,
}: QuestionInput<Q> & { readonly read: ItemReader }): Promise<ExtractiveAnswer<Q>> {
  const tokenizer = await createTokenizer('o200k_base');
  return answerTo({ items, question, read, count: (text) => tokenizer.count(text) });
}
