import { createReadStream } from 'node:fs';
import { LonghaulError } from 'longhaul';
import { importSession } from 'longhaul/formats';
import type { Message } from 'longhaul/message';
import {
  addCounts,
  countEntry,
  createMemoryStore,
  type Entry,
  type EntryCounts,
  noCounts,
  openSession,
  type SessionId,
  type Store,
} from 'longhaul/session';
import { type ComparedTexts, compareTexts } from './compare-texts.ts';
import { estimateTokens } from './estimate.ts';
import { refusals } from './legal.ts';
import type { Listed } from './listed.ts';
import { readRaw } from './raw-file.ts';

/** What came of one session. */
export type Measured = { readonly listed: Listed } & (Brought | { readonly failure: string });

/** What was brought in, against what should have been. */
export interface Brought {
  readonly failure?: undefined;
  readonly counts: EntryCounts;
  /** Its tokens by a real tokenizer; those in `counts` are estimated as the list does it. */
  readonly tokens: number;
  /** Further sessions in the file. */
  readonly further: number;
  readonly texts: ComparedTexts;
  /** What providers would refuse. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  readonly milliseconds: number;
}

/** Imports a session into a store of its own, and looks at what is there. */
export async function measure({
  listed,
  countTokens,
}: {
  readonly listed: Listed;
  readonly countTokens: CountTokens;
}): Promise<Measured> {
  const { path, format } = listed;
  const store = createMemoryStore();
  const begun = performance.now();
  try {
    const imported = await importSession({ store, path, open: () => createReadStream(path) });
    const milliseconds = performance.now() - begun;
    if (imported.format !== format) return { listed, failure: `taken for ${imported.format}` };
    const entries = await logsOf({ store, sessions: imported.sessions });
    const lives = await Promise.all(imported.sessions.map((id) => openSession({ store, id })));
    return {
      listed,
      counts: countLog({ entries, countTokens: estimateTokens }),
      tokens: countLog({ entries, countTokens }).tokens,
      further: imported.sessions.length - 1,
      texts: compareTexts({ entries, raw: readRaw(path) }),
      refusals: lives.flatMap(refusals),
      warnings: imported.warnings.map(({ code }) => code),
      milliseconds,
    };
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    return { listed, failure: unknown.has(error.code) ? 'not recognized' : `${error.code}: ${error.message}` };
  }
}

type CountTokens = (message: Message) => number;

function countLog({ entries, countTokens }: { readonly entries: readonly Entry[]; readonly countTokens: CountTokens }) {
  return entries.map((entry) => countEntry({ entry, countTokens })).reduce(addCounts, noCounts);
}

/** The codes that say that no reader knows a file. */
const unknown: ReadonlySet<string> = new Set(['not-a-session', 'not-a-conversation']);

async function logsOf({ store, sessions }: { readonly store: Store; readonly sessions: readonly SessionId[] }) {
  const logs: Entry[] = [];
  for (const session of sessions) logs.push(...(await store.read({ session, query: { after: 0 } })));
  return logs;
}
