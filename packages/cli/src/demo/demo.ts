import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentEvent } from 'longhaul/agent';
import { added, emptyTally, type Tally } from '../agent/tally.ts';
import type { Io } from '../io/io.ts';
import { type Branched, branchAndReturn, type Kept, keptFacts, type TakenBack, takeBack } from './afterwards.ts';
import { runChild, type Stage } from './child.ts';
import { answersTo, type DemoProvider, startProvider } from './provider.ts';
import { errands, project } from './work.ts';

/** What the demo shows, all of it found out when it runs. */
export interface Demo {
  readonly window: number;
  readonly processes: number;
  readonly tally: Tally;
  readonly crash: Crash;
  readonly undo: TakenBack;
  readonly branch: Branched;
  readonly facts: Kept;
  /** By the judge of the provider, which is not ours to persuade. */
  readonly judged: ReturnType<DemoProvider['judged']>;
}

/** What became of the process that was killed. */
interface Crash {
  /** What it was doing. */
  readonly during: string;
  /** Entries that it had acknowledged, and how many of them are there afterwards. */
  readonly acknowledged: number;
  readonly found: number;
  readonly isSound: boolean;
}

/** Who is told while it goes on. */
export interface Audience {
  readonly said: (of: { readonly text: string; readonly isResumed?: boolean }) => Promise<void>;
  readonly event: (event: AgentEvent) => Promise<void>;
  readonly killed: (crash: Crash) => Promise<void>;
  readonly undone: (undo: TakenBack) => Promise<void>;
  readonly branched: (branch: Branched) => Promise<void>;
}

export const window = 32_000;

/** The errand in which the process is killed, and the module whose tests it runs then. */
const [deadly, slow] = [1, 'webhooks'];

/**
 * Lets an agent port a small project, one process after the other, in a window that it outgrows again and again. One of
 * them is killed. Then takes a compaction back, tries another branch, and looks for everything that was ever said.
 *
 * @example
 * const demo = await runDemo({ io, folder: '/tmp/demo', audience, signal });
 */
export async function runDemo({
  io,
  folder,
  audience,
  signal,
}: {
  readonly io: Pick<Io, 'startSelf' | 'env' | 'openStore'>;
  readonly folder: string;
  readonly audience: Audience;
  readonly signal: AbortSignal;
}): Promise<Demo> {
  const [cwd, store] = [join(folder, 'billing'), join(folder, 'store')];
  for (const [path, text] of Object.entries(project())) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  await mkdir(store, { recursive: true });
  const provider = await startProvider({ window });
  try {
    const stage: Stage = { io, cwd, store, url: provider.url, window, signal };
    return await play({ stage, io, provider, audience });
  } finally {
    await provider.close();
  }
}

async function play(of: {
  readonly stage: Stage;
  readonly io: Pick<Io, 'openStore'>;
  readonly provider: DemoProvider;
  readonly audience: Audience;
}): Promise<Demo> {
  const { stage, io, provider, audience } = of;
  let [tally, processes] = [emptyTally, 0];
  let crash: Crash | undefined;
  const entries = new Set<string>();
  const hear = async (event: AgentEvent) => {
    tally = added({ tally, event });
    if ('entry' in event) entries.add(event.entry);
    await audience.event(event);
  };
  const run = async (args: readonly string[], isLast = (_: AgentEvent) => false) => {
    processes += 1;
    const end = await runChild({
      ...{ stage, args },
      onEvent: async (event) => {
        await hear(event);
        return isLast(event) ? 'kill' : undefined;
      },
    });
    if (!end.isKilled && end.code !== 0) throw new Error(`A process of the demo ended with ${end.code}.`);
  };
  for (const [index, errand] of errands.entries()) {
    const goOn = index === 0 ? [] : ['--continue'];
    const isDeadly = index === deadly;
    provider.play(answersTo({ errand, ...(isDeadly && { slow }) }));
    await audience.said({ text: errand.say });
    let during = '';
    await run(['-p', errand.say, ...goOn], (event) => {
      if (!isDeadly || event.type !== 'tool_start' || !event.summary.includes(`sleep`)) return false;
      during = event.summary;
      return true;
    });
    if (!isDeadly) continue;
    crash = await examine({ io, stage, during, entries });
    await audience.killed(crash);
    await audience.said({ text: 'longhaul -p --continue', isResumed: true });
    await run(['-p', '--continue']);
  }
  const undo = await takeBack({ io, stage });
  await audience.undone(undo);
  const branch = await branchAndReturn({
    ...{ io, stage },
    ask: async (say) => {
      provider.play([{ text: 'With Connect the browser could call it directly, but the gateway would have to go.' }]);
      await audience.said({ text: say });
      await run(['-p', say, '--continue']);
    },
  });
  await audience.branched(branch);
  const facts = await keptFacts({ io, stage });
  if (!crash) throw new Error('Nobody was killed.');
  return { window, processes, tally, crash, undo, branch, facts, judged: provider.judged() };
}

/** What is there of what the dead process had acknowledged. */
async function examine(of: {
  readonly io: Pick<Io, 'openStore'>;
  readonly stage: Pick<Stage, 'store'>;
  readonly during: string;
  readonly entries: ReadonlySet<string>;
}): Promise<Crash> {
  const store = await of.io.openStore(of.stage.store);
  try {
    const [session] = await store.list({ sort: 'updated' });
    const ids = [...of.entries];
    const found = session ? await store.read({ session: session.header.id, query: { ids } }) : [];
    const { sound } = await store.doctor({});
    return { during: of.during, acknowledged: ids.length, found: found.length, isSound: sound };
  } finally {
    await store.close();
  }
}
