import { LonghaulError } from 'longhaul';
import type { Store } from 'longhaul/session';
import type { Ledger } from '../import/ledger.ts';
import type { Invocation } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { createProgress } from '../output/progress.ts';
import type { Opened } from '../store/with-store.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import { type Agent, agents } from './agents.ts';
import { choose } from './choose.ts';
import { findCandidates } from './find.ts';
import { foundFacts, noneFound, scanLines } from './list.ts';
import { type Found, lookAt } from './look.ts';

/** What is to be done with what is found. */
export interface ScanWishes {
  readonly agent: string | undefined;
  /** Everything that is new or has grown is to be imported, and nobody asked. */
  readonly all: boolean;
}

/**
 * Finds the sessions of agents on this machine, lists them, and answers the files that are to be imported: those that a
 * person chooses, or all that are not in the store as they are.
 *
 * @example
 * const paths = await scan({ invocation, opened, ledger, wishes: { agent: undefined, all: true } });
 */
export async function scan({
  invocation,
  opened: { store, values },
  ledger,
  wishes,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly opened: Opened<Store>;
  readonly ledger: Ledger;
  readonly wishes: ScanWishes;
}): Promise<readonly string[]> {
  const { io, json, paint } = invocation;
  const candidates = await findCandidates({ io, agents: agentsOf(wishes.agent) });
  const progress = createProgress({ io });
  const { found, passedOver } = await lookAt({
    io,
    candidates,
    stored: await store.list(),
    ledger,
    limit: values.limits.fileBytes,
    onProgress: (looked) => void progress.show(`${number(looked)} of ${number(candidates.length)} files looked at`),
  });
  await progress.clear();
  if (wishes.all) {
    const wanted = found.filter(({ status }) => status !== 'imported');
    if (wanted.length === 0) await answer({ invocation, value: [], lines: () => [nothingNew(found)] });
    return filesOf(wanted);
  }
  await answer({
    invocation,
    value: {
      sessions: found.map(foundFacts),
      passedOver: passedOver.map(({ path, error }) => ({ path, ...error.toJSON() })),
    },
    lines: () => scanLines({ io, found, passedOver, paint: paint('stdout') }),
  });
  if (json || found.length === 0) return [];
  const said = await io.ask('Import which? (e.g. 1,3-5, or all; nothing for none) ');
  const chosen = choose({ said: said ?? '', amount: found.length });
  return filesOf(chosen.flatMap((place) => found[place - 1] ?? []));
}

function nothingNew(found: readonly Found[]): string {
  if (found.length === 0) return noneFound;
  return `Nothing to import: ${count({ amount: found.length, of: 'session' })}, all in the store as they are.`;
}

/** Sub-agents come after the session that called them, so that they find it. */
function filesOf(found: readonly Found[]): string[] {
  return found.flatMap(({ path, parts }) => [path, ...parts]);
}

function agentsOf(wanted: string | undefined): readonly Agent[] {
  if (wanted === undefined) return agents;
  const some = agents.filter(({ name }) => name === wanted);
  if (some.length > 0) return some;
  const names = agents.map(({ name }) => name);
  const near = closest({ word: wanted, candidates: names });
  throw new LonghaulError({
    code: 'unknown-agent',
    cause: `there is no agent "${wanted}"${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    next: `Use one of ${names.join(', ')}.`,
  });
}
