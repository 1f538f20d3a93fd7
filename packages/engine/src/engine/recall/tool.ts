import {
  createItemHost,
  findingsText,
  type ItemHost,
  type SearchFinding,
  type SourceItem,
  shorten,
  sourceItems,
} from '../../analysis/index.ts';
import { LonghaulError } from '../../errors.ts';
import { isObject, parseJson } from '../../json.ts';
import type { ToolDefinition } from '../../message/index.ts';
import type { Entry, Session } from '../../session/index.ts';
import { PathCache } from '../path-cache/path-cache.ts';
import { answerTo, type SearchQuestion } from './search-answer.ts';

/** The tool by which a model looks up what is no longer in front of it. */
export interface RecallTool {
  readonly definition: ToolDefinition;
  /** Runs a call; failures are answers that the model can read. */
  run(call: { readonly arguments: string }): Promise<string>;
  /** Gives the next turn its own budget. */
  beginTurn(): void;
}

/** The description of the tool for models. */
export const recallDefinition = {
  name: 'recall',
  description:
    'Looks up what was said or shown earlier in this conversation and is no longer in front of you. Give `handle` (such as "@12", "@12.2" or "@12:40-80", as summaries name them) for the exact text, with `page` for the next part of a long one; or give `query` (a few words or identifiers) to search everything.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'What to read exactly: @12, @12.2 (part), @12:40-80 (lines).' },
      page: { type: 'integer', minimum: 1, description: 'Which part of a long text; 1 is the first.' },
      query: { type: 'string', description: 'Words, names, paths or numbers to search for.' },
    },
  },
} satisfies ToolDefinition;

/**
 * Makes the tool for a session. One call, and all calls of one turn together, are bounded, so that looking back cannot
 * fill the window again.
 *
 * @example
 * const recall = createRecallTool({ session: session.session, count });
 * const text = await recall.run({ arguments: '{"query":"database password rotation"}' });
 */
export function createRecallTool({
  session,
  count,
  perCall = 3_000,
  perTurn = 12_000,
  worker = true,
}: {
  readonly session: Pick<Session, 'read' | 'head' | 'recall' | 'search'>;
  readonly count: (text: string) => number;
  readonly perCall?: number;
  readonly perTurn?: number;
  /** False searches in the caller's thread. */
  readonly worker?: boolean;
}): RecallTool {
  const pathCache = new PathCache({ session, near });
  const searchSession = createSessionSearch({ worker });
  let left = perTurn;
  /** What searches of this turn gave: asking again goes on behind it. */
  let found: SearchFinding[] = [];
  return {
    definition: recallDefinition,
    beginTurn() {
      left = perTurn;
      found = [];
    },
    async run({ arguments: written }) {
      const limit = Math.min(perCall, left);
      if (limit < smallest) {
        return 'The budget for looking back in this turn is used up. Go on with what you have, or ask the user.';
      }
      const text = await answer({ written, limit }).catch((error: unknown) => {
        if (!LonghaulError.is(error)) throw error;
        return `${error.message} ${error.hint}`;
      });
      left -= count(text);
      return text;
    },
  };

  async function answer({ written, limit }: { readonly written: string; readonly limit: number }): Promise<string> {
    const input = parseJson(written);
    const { handle, query, page = 1 } = isObject(input) ? input : {};
    if (typeof handle === 'string' && handle.trim() !== '') return await read({ handle: handle.trim(), page, limit });
    if (typeof query === 'string' && query.trim() !== '') return await search({ query, limit });
    return 'Give a handle such as "@12", or a query of a few words.';
  }

  async function read({ handle, page, limit }: { handle: string; page: unknown; limit: number }): Promise<string> {
    const wanted = typeof page === 'number' && Number.isInteger(page) && page > 0 ? page : 1;
    const { text, pages } = await session.recall({ handle, page: wanted, pageLength: limit * charsPerToken });
    const more = pages > wanted ? `\n[page ${wanted} of ${pages}; give page ${wanted + 1} for the next]` : '';
    const note = ({ chars }: { readonly chars: number }) =>
      `[… ${chars} characters left out; name lines, as in ${handle}:1-80 …]`;
    return `${shorten({ text, limit: limit - count(more) - 1, count, note })}${more}`;
  }

  async function search({ query, limit }: { query: string; limit: number }): Promise<string> {
    const { near, far } = await searched(query);
    const question = { query, seen: found, far: sourceItems(far), most: mostFindings };
    const findings = within({ findings: await searchSession({ items: sourceItems(near), question }), limit });
    found = [...found, ...findings];
    return findings.length > 0 ? findingsText(findings) : await searchAll({ query, limit });
  }

  /** All that is near; of what lies far back on the way, what the index of words has. */
  async function searched(query: string): Promise<{ readonly near: readonly Entry[]; readonly far: readonly Entry[] }> {
    const { entries, wholeFrom } = await pathCache.pathTo();
    const near = entries.filter(({ handle }) => handle >= wholeFrom);
    if (near.length === entries.length) return { near, far: [] };
    const far = new Set(entries.map(({ handle }) => handle).filter((handle) => handle < wholeFrom));
    const hits = await session.search({ text: query, limit: mostFar });
    const handles = [...new Set(hits.map(({ handle }) => handle))].filter((handle) => far.has(handle));
    const found = handles.length === 0 ? [] : await session.read({ handles });
    return { near, far: found.toSorted((a, b) => a.handle - b.handle) };
  }

  /** The first findings that fit together. */
  function within(of: {
    readonly findings: readonly SearchFinding[];
    readonly limit: number;
  }): readonly SearchFinding[] {
    let tokens = 0;
    const end = of.findings.findIndex((finding) => {
      tokens += count(`${findingsText([finding])}\n`);
      return tokens > of.limit;
    });
    return end < 0 ? of.findings : of.findings.slice(0, end);
  }

  /** Searches everything: branches that were left, notes and summaries as well. */
  async function searchAll({ query, limit }: { query: string; limit: number }): Promise<string> {
    const hits = await session.search({ text: query, limit: mostHits });
    const lines: string[] = [];
    let used = 0;
    for (const { handle, part, snippet } of hits) {
      const line = `@${handle}.${part}: ${snippet}`;
      const tokens = count(line) + 1;
      if (used + tokens > limit) continue;
      used += tokens;
      lines.push(line);
    }
    return lines.length > 0 ? lines.join('\n') : 'Nothing was found, or nothing more. Try other words, or fewer.';
  }
}

/** More findings than any budget holds. */
const mostFindings = 300;

/** Below this an answer says nothing. */
const smallest = 100;

const mostHits = 40;

/** So many characters of the newest entries are searched line by line; what lies before them by the index of words. */
const near = 1_000_000;

/** Entries far back that are looked through, by the index of words. */
const mostFar = 200;

/** A page is a little longer than it may be, and shortened where it is dense. */
const charsPerToken = 4;

/** Searches a session. */
type SessionSearch = (about: {
  readonly items: readonly SourceItem[];
  readonly question: SearchQuestion;
}) => Promise<readonly SearchFinding[]>;

/**
 * A search that runs in a worker thread, which holds the items between two searches. Where no worker can be started, or
 * it fails, the search runs in this thread.
 *
 * @example
 * const search = createSessionSearch();
 * const findings = await search({ items, question: { query: 'port', seen: [], far: [], most: 100 } });
 */
function createSessionSearch({
  worker: mayStart = true,
}: {
  /** False searches in this thread. */
  readonly worker?: boolean;
} = {}): SessionSearch {
  let running: RecallHost | undefined;
  return async (about) => {
    const found = mayStart ? await inWorker(about) : undefined;
    return found ?? answerTo(about);
  };

  async function inWorker(about: Parameters<SessionSearch>[0]): Promise<readonly SearchFinding[] | undefined> {
    try {
      running ??= start();
      return await running.ask(about);
    } catch {
      return undefined;
    }
  }

  function start(): RecallHost {
    const onEnd = () => {
      if (running === host) running = undefined;
    };
    const host: RecallHost = createItemHost({ module: 'engine/recall/worker', name: 'recall', onEnd });
    return host;
  }
}

type RecallHost = ItemHost<SearchQuestion, readonly SearchFinding[]>;
