import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentEvent } from 'longhaul/agent';
import { createEngine, type EngineSession } from 'longhaul/engine';
import { partTexts } from 'longhaul/session';
import { addEvent, emptyTally, type RunTally } from '../agent/tally.ts';
import type { Io, SessionStore } from '../io/io.ts';
import { answersTo, type DemoProvider, startProvider } from './provider.ts';
import { demoTasks, facts, project } from './work.ts';

/** The results of the demo, all measured when it runs. */
export interface Demo {
  readonly window: number;
  readonly processes: number;
  readonly tally: RunTally;
  readonly crash: Crash;
  readonly undo: UndoResult;
  readonly branch: BranchResult;
  readonly facts: FactsFound;
  /** By the provider's judge, which is independent of the engine. */
  readonly judged: ReturnType<DemoProvider['judged']>;
}

/** The killed process. */
interface Crash {
  /** What it was doing. */
  readonly during: string;
  /** Entries it had acknowledged, and how many of them are in the log afterwards. */
  readonly acknowledged: number;
  readonly found: number;
  readonly isSound: boolean;
}

/** Receives the events of the demo. */
export interface Audience {
  readonly prompted: (of: { readonly text: string; readonly isResumed?: boolean }) => Promise<void>;
  readonly event: (event: AgentEvent) => Promise<void>;
  readonly killed: (crash: Crash) => Promise<void>;
  readonly undone: (undo: UndoResult) => Promise<void>;
  readonly branched: (branch: BranchResult) => Promise<void>;
}

export const window = 32_000;

/** The task in which the process is killed, and the module whose tests run then. */
const [deadly, slow] = [1, 'webhooks'];

/**
 * Lets an agent port a small project, in several processes, in a window that it repeatedly outgrows. One of them is
 * killed. Then undoes a compaction, tries a branch, and looks for every planted fact.
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
  // A killed process cannot remove its temporary files, so they are in the folder of the demo.
  const tmp = join(folder, 'tmp');
  await mkdir(tmp);
  const provider = await startProvider({ window });
  try {
    const stage: Stage = { io, cwd, store, tmp, url: provider.url, window, signal };
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
    tally = addEvent({ tally, event });
    if ('entry' in event) entries.add(event.entry);
    await audience.event(event);
  };
  const run = async (args: readonly string[], isLast = (_: AgentEvent) => false) => {
    processes += 1;
    const end = await runChild({
      stage,
      args,
      onEvent: async (event) => {
        await hear(event);
        return isLast(event) ? 'kill' : undefined;
      },
    });
    if (!end.isKilled && end.code !== 0) throw new Error(`A process of the demo ended with ${end.code}.`);
  };
  for (const [index, task] of demoTasks.entries()) {
    const continueFlags = index === 0 ? [] : ['--continue'];
    const isDeadly = index === deadly;
    provider.play(answersTo({ task, ...(isDeadly && { slow }) }));
    await audience.prompted({ text: task.say });
    let during = '';
    await run(['-p', task.say, ...continueFlags], (event) => {
      if (!isDeadly || event.type !== 'tool_start' || !event.summary.includes(`sleep`)) return false;
      during = event.summary;
      return true;
    });
    if (!isDeadly) continue;
    crash = await examine({ io, stage, during, entries });
    await audience.killed(crash);
    await audience.prompted({ text: 'longhaul -p --continue', isResumed: true });
    await run(['-p', '--continue']);
  }
  const undo = await takeBack({ io, stage });
  await audience.undone(undo);
  const branch = await branchAndReturn({
    io,
    stage,
    ask: async (say) => {
      provider.play([{ text: 'With Connect the browser could call it directly, but the gateway would have to go.' }]);
      await audience.prompted({ text: say });
      await run(['-p', say, '--continue']);
    },
  });
  await audience.branched(branch);
  const facts = await keptFacts({ io, stage });
  if (!crash) throw new Error('No process was killed.');
  return { window, processes, tally, crash, undo, branch, facts, judged: provider.judged() };
}

/** How many entries that the killed process had acknowledged are in the log. */
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

/** Undo and redo of the newest compaction. */
interface UndoResult {
  /** Messages sent with the compaction, and without it. */
  readonly sent: number;
  readonly before: number;
  /** Whether each was byte for byte what had been sent before. */
  readonly isExact: boolean;
}

/** A branch that was tried and abandoned. */
interface BranchResult {
  readonly from: string;
  /** Entries of the branch; they stay in the tree. */
  readonly tried: number;
  readonly entries: number;
  /** Whether the context after the return is byte for byte the one before. */
  readonly isExact: boolean;
}

/** Where the planted facts are found at the end. */
interface FactsFound {
  readonly planted: number;
  readonly inContext: number;
  readonly byRecall: number;
}

type DemoContext = { readonly io: Pick<Io, 'openStore'>; readonly stage: Pick<Stage, 'store'> };

/** Opens the session of the demo. */
async function withSession<T>(
  { io, stage }: DemoContext,
  work: (of: { readonly session: EngineSession; readonly store: SessionStore }) => Promise<T>,
): Promise<T> {
  const store = await io.openStore(stage.store);
  try {
    const engine = await createEngine({ store });
    const [newest] = await store.list({ sort: 'updated' });
    if (!newest) throw new Error('The demo has no session.');
    return await work({ session: await engine.open(newest.header.id), store });
  } finally {
    await store.close();
  }
}

const bytesOf = ({ context }: EngineSession) => JSON.stringify(context.items);

/** Undo of the newest action, and redo. */
async function takeBack(world: DemoContext): Promise<UndoResult> {
  return await withSession(world, async ({ session }) => {
    const [action] = (await session.session.history()).done.slice(-1);
    const after = bytesOf(session);
    const { length: sent } = session.context.items;
    await session.undo();
    const undone = bytesOf(session);
    const { length: before } = session.context.items;
    const then = await session.session.contextAt({ leaf: action?.entry.parentId ?? null });
    await session.redo();
    const isBefore = undone.startsWith(JSON.stringify(then.items).slice(0, -1));
    return { sent, before, isExact: isBefore && bytesOf(session) === after };
  });
}

/** Moves back to an earlier answer, asks something else there, and returns. */
async function branchAndReturn({
  ask,
  ...world
}: DemoContext & { readonly ask: (say: string) => Promise<void> }): Promise<BranchResult> {
  const left = await withSession(world, async ({ session }) => {
    const { leaf } = session.session.head;
    const answers = (await session.session.path()).filter(
      (entry) =>
        entry.type === 'message' &&
        entry.message.role === 'assistant' &&
        !entry.message.parts.some(({ type }) => type === 'tool_call'),
    );
    const place = answers.at(-2);
    const bytes = bytesOf(session);
    await session.move({ to: place?.id ?? null, summarize: false });
    return { leaf, bytes, from: `@${place?.handle ?? 0}`, last: session.session.head.last };
  });
  await ask('Before we go on: would Connect have been the better choice?');
  return await withSession(world, async ({ session }) => {
    const { last: end } = session.session.head;
    await session.move({ to: left.leaf, summarize: false });
    const { count } = session.session.head;
    return { from: left.from, tried: end - left.last, entries: count, isExact: bytesOf(session) === left.bytes };
  });
}

/** Looks for every fact: in the context, otherwise by search and recall. */
async function keptFacts(world: DemoContext): Promise<FactsFound> {
  return await withSession(world, async ({ session, store }) => {
    const sent = session.context.items
      .flatMap(({ message }) => partTexts(message.parts))
      .map(({ text }) => text)
      .join('\n');
    let [inContext, byRecall] = [0, 0];
    for (const fact of facts) {
      if (sent.includes(fact)) inContext += 1;
      else if (await isRecalled({ session, store, fact })) byRecall += 1;
    }
    return { planted: facts.length, inContext, byRecall };
  });
}

async function isRecalled(of: {
  readonly session: EngineSession;
  readonly store: SessionStore;
  readonly fact: string;
}): Promise<boolean> {
  const { session, store, fact } = of;
  for (const { handle, part } of await store.search({ text: fact, session: session.id, limit: 5 })) {
    const { text } = await session.recall({ handle: `@${handle}.${part}` });
    if (text.includes(fact)) return true;
  }
  return false;
}

/** Folders and provider of the demo's processes. */
interface Stage {
  readonly io: Pick<Io, 'startSelf' | 'env'>;
  /** The folder of the agent, and that of the store. */
  readonly cwd: string;
  readonly store: string;
  /** For temporary files of the processes. */
  readonly tmp: string;
  readonly url: string;
  readonly window: number;
  readonly signal: AbortSignal;
}

/** How a process ended. */
interface ChildEnd {
  readonly code: number | string;
  readonly isKilled: boolean;
}

/**
 * Runs `longhaul -p` in a child process and reads its events. A listener that returns `kill` ends it as `kill -9` does.
 *
 * @example
 * await runChild({ stage, args: ['-p', 'Fix it.'], onEvent: async (event) => undefined });
 */
async function runChild({
  stage,
  args,
  onEvent,
}: {
  readonly stage: Stage;
  readonly args: readonly string[];
  readonly onEvent: (event: AgentEvent) => Promise<'kill' | undefined>;
}): Promise<ChildEnd> {
  const { io, cwd, store, tmp, url, window, signal } = stage;
  const { PATH, SystemRoot, NODE_COMPILE_CACHE } = io.env;
  const child = io.startSelf({
    args: [
      ...args,
      ...['--json', '--yes', '--model', 'anthropic/claude-sonnet-5-5', '--window', String(window)],
      ...['--cwd', cwd, '--store', store],
    ],
    // Without the user's keys and settings.
    env: {
      PATH,
      TMPDIR: tmp,
      TEMP: tmp,
      TMP: tmp,
      SystemRoot,
      NODE_COMPILE_CACHE,
      HOME: store,
      XDG_CONFIG_HOME: store,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'no-key-is-needed',
    },
  });
  const stop = () => void child.kill();
  signal.addEventListener('abort', stop, { once: true });
  let isKilled = false;
  try {
    for await (const line of child.lines) {
      if (isKilled) continue;
      if ((await onEvent(JSON.parse(line) as AgentEvent)) !== 'kill') continue;
      isKilled = true;
      await child.kill();
    }
    const code = await child.ended;
    signal.throwIfAborted();
    return { code, isKilled };
  } finally {
    signal.removeEventListener('abort', stop);
    await child.kill();
  }
}
