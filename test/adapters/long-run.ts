import { createLonghaul, type LonghaulSession } from 'longhaul';
import { type LoopbackAnswer, type LoopbackExchange, type LoopbackRequest, startLoopback } from 'longhaul/testing';
import { estimateTokens } from 'longhaul/tokens';
import { expect } from 'vitest';
import type { JsonRecord } from '../../packages/engine/src/testing/judge/json.ts';
import { PrefixCache } from '../../packages/engine/src/testing/loopback/cache.ts';
import { sumsOf } from '../../packages/engine/src/testing/loopback/count.ts';
import { chainOf, unitsOf } from '../../packages/engine/src/testing/loopback/units.ts';
import { runs } from '../../packages/engine/src/testing/runs.ts';

/** An agent of an example: it keeps its history itself, and reads files through `read`. */
export interface ExampleAgent {
  ask(prompt: string, options?: { readonly signal?: AbortSignal }): Promise<string>;
}

/** What an example needs to start its agent. */
export interface ExampleInput {
  /** The provider's address, without a path. */
  readonly url: string;
  readonly window: number;
  readonly session: LonghaulSession;
  readonly read: (path: string) => string;
}

const window = 32_000;
/** 300 tool turns with `npm run soak -- adapters`. With fewer, results are larger, so that there is enough to compact. */
const turns = Math.min(300, runs(180).numRuns);
export const isFull: boolean = turns === 300;
const lines = Number(process.env.RESULT_LINES ?? (isFull ? 70 : 180));
/** Each request adds a result that no cache can hold yet: of a large one, the share is larger. */
const leastHits = isFull ? 0.9 : 0.8;
const prompts = 3;

/** Facts that appear once, early, and the words by which a model would look for them. */
const canaries = [
  { path: 'src/file-1.ts', query: 'release token', value: 'ORCHID-7731' },
  { path: 'src/file-4.ts', query: 'rollback contact', value: 'HERON-2204' },
];

/** The text of a file, different for every path. */
function fileText(path: string): string {
  const [seed = 0] = /\d+/.exec(path)?.map(Number) ?? [];
  const fact = canaries.find((canary) => canary.path === path);
  const code = Array.from({ length: lines }, (_, at) => `const value${(seed * 131 + at * 17) % 9973} = ${seed * at};`);
  return [`// ${path}`, ...(fact ? [`// ${fact.query}: ${fact.value}`] : []), ...code].join('\n');
}

/**
 * A model that answers only from what it is sent: it reads one file per request, says so after each third of them, and
 * at the end gives the facts it was sent early, looking up with `recall` those that are no longer in the request.
 */
function longScript(): (request: LoopbackRequest) => LoopbackAnswer {
  let read = 0;
  let pauses = 0;
  const asked = new Set<string>();
  return ({ body }) => {
    if (read < turns) {
      if (read >= ((pauses + 1) * turns) / prompts) {
        pauses += 1;
        return { text: `Part ${pauses} is done.` };
      }
      read += 1;
      return {
        text: `Reading file ${read}.`,
        toolCalls: [{ name: 'read', arguments: { path: `src/file-${read}.ts` } }],
      };
    }
    const sent = JSON.stringify(body);
    const missing = canaries.find(({ value, query }) => !sent.includes(value) && !asked.has(query));
    if (missing) {
      asked.add(missing.query);
      return { toolCalls: [{ name: 'recall', arguments: { query: missing.query } }] };
    }
    return {
      text: `Facts: ${['ZANZIBAR-42', ...canaries.map(({ value }) => value)].filter((value) => sent.includes(value))}`,
    };
  };
}

/** Runs the agent of an example over many tool turns in a small window, and checks what every adapter must keep. */
export async function longRun(start: (input: ExampleInput) => ExampleAgent | Promise<ExampleAgent>): Promise<string> {
  const loopback = await startLoopback({ window, count: estimateTokens, script: longScript() });
  const longhaul = await createLonghaul();
  try {
    const session = await longhaul.open('long-run');
    const agent = await start({ url: loopback.url, window, session, read: fileText });
    expect(await agent.ask('Read all files. The code word is ZANZIBAR-42.')).toContain('Part 1 is done.');
    expect(await agent.ask('Go on.')).toContain('Part 2 is done.');
    const answer = await agent.ask('Go on, then tell me the code word, the release token and the rollback contact.');

    const { requests } = loopback;
    const refused = requests.filter(({ status, verdict }) => status !== 200 || verdict?.legal !== true);
    expect(refused.map(({ status, verdict }) => ({ status, verdict }))).toEqual([]);
    expect(requests.length).toBeGreaterThanOrEqual(turns + prompts);
    for (const value of ['ZANZIBAR-42', ...canaries.map((canary) => canary.value)]) expect(answer).toContain(value);

    const path = await session.engine.session.path();
    const results = path.filter(
      (entry) => entry.type === 'message' && JSON.stringify(entry.message).includes('// src/file-'),
    );
    expect(results.length).toBeGreaterThanOrEqual(turns);
    const last = path.findLast((entry) => entry.type === 'message');
    expect(JSON.stringify(last)).toContain('Facts: ');
    const compactions = path.filter(({ type }) => type === 'compaction').length;
    expect(compactions).toBeGreaterThanOrEqual(3);
    const { hits, fresh, again, epochs } = cacheShares(requests);
    const usages = await session.engine.session.read({ types: ['usage'] });
    expect(usages.length).toBeGreaterThanOrEqual(prompts);
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    const figures = `${requests.length} requests, ${compactions} compactions, ${epochs} epochs, ${percent(hits)} cache hits (new content ${percent(fresh)}, read again ${percent(again)})`;
    expect(hits, figures).toBeGreaterThanOrEqual(leastHits);
    return figures;
  } finally {
    await longhaul.close();
    await loopback.close();
  }
}

/** Where the tokens of all prompts came from, as shares: the provider's cache, new content, and content that had to be read again. */
interface CacheShares {
  readonly hits: number;
  /** What the request before did not have: no cache can hold it yet. */
  readonly fresh: number;
  /** What the request before had, behind a place that changed. */
  readonly again: number;
  /** Requests whose beginning differs from the one before. */
  readonly epochs: number;
}

/** By the provider's own rules. */
function cacheShares(requests: readonly LoopbackExchange[]): CacheShares {
  const cache = new PrefixCache({ now: () => 0, minimum: 1_024 });
  let [read, fresh, again, all, epochs] = [0, 0, 0, 0, 0];
  let before: readonly string[] = [];
  for (const { body, dialect } of requests) {
    const units = unitsOf({ dialect, body: body as JsonRecord });
    const sums = sumsOf({ units, count: estimateTokens, skew: 1 });
    const hit = cache.use({ dialect, units, sums, chain: chainOf({ units, seed: 'model' }) }).read;
    const keys = units.map(({ key }) => key);
    const known = new Set(before);
    const unseen = keys.reduce(
      (sum, key, at) => (known.has(key) ? sum : sum + (sums[at] ?? 0) - (sums[at - 1] ?? 0)),
      0,
    );
    if (before.some((key, at) => key !== keys[at])) epochs += 1;
    const total = sums.at(-1) ?? 0;
    before = keys;
    read += hit;
    all += total;
    fresh += Math.min(unseen, total - hit);
    again += Math.max(0, total - hit - unseen);
  }
  return { hits: read / all, fresh: fresh / all, again: again / all, epochs };
}
