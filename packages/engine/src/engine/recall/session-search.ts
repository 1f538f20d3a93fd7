import { createItemHost, type Finding, type ItemHost, type SourceItem } from '../../analysis/index.ts';
import { answerTo, type SearchQuestion } from './search-answer.ts';

/** Searches a session. */
export type SessionSearch = (about: {
  readonly items: readonly SourceItem[];
  readonly question: SearchQuestion;
}) => Promise<readonly Finding[]>;

/**
 * A search that runs in a worker thread, which holds the items between two searches. Where no worker can be started, or
 * it fails, the search runs in this thread.
 *
 * @example
 * const search = createSessionSearch();
 * const findings = await search({ items, question: { query: 'port', seen: [], far: [], most: 100 } });
 */
export function createSessionSearch({
  worker: mayStart = true,
}: {
  /** False searches in this thread. */
  readonly worker?: boolean;
} = {}): SessionSearch {
  let running: Host | undefined;
  return async (about) => {
    const found = mayStart ? await inWorker(about) : undefined;
    return found ?? answerTo(about);
  };

  async function inWorker(about: Parameters<SessionSearch>[0]): Promise<readonly Finding[] | undefined> {
    try {
      running ??= start();
      return await running.ask(about);
    } catch {
      return undefined;
    }
  }

  function start(): Host {
    const onEnd = () => {
      if (running === host) running = undefined;
    };
    const host: Host = createItemHost({ module: 'engine/recall/worker', name: 'recall', onEnd });
    return host;
  }
}

type Host = ItemHost<SearchQuestion, readonly Finding[]>;
