import { createEngine, type EngineSession } from 'longhaul/engine';
import { partTexts } from 'longhaul/session';
import type { Io, SessionStore } from '../io/io.ts';
import type { Stage } from './child.ts';
import { facts } from './work.ts';

/** What undo and redo of the newest compaction did to what is sent. */
export interface TakenBack {
  /** Messages that are sent with the compaction, and without it. */
  readonly sent: number;
  readonly before: number;
  /** Whether each was byte for byte what was sent there before. */
  readonly isExact: boolean;
}

/** Another way was tried, and left again. */
export interface Branched {
  readonly from: string;
  /** Entries of the branch; they stay in the tree. */
  readonly tried: number;
  readonly entries: number;
  /** Whether what is sent after the return is byte for byte what was sent before. */
  readonly isExact: boolean;
}

/** Where planted facts are found in the end. */
export interface Kept {
  readonly planted: number;
  readonly inContext: number;
  readonly byRecall: number;
}

type World = { readonly io: Pick<Io, 'openStore'>; readonly stage: Pick<Stage, 'store'> };

/** Opens the session of the demo. */
async function withSession<T>(
  { io, stage }: World,
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
export async function takeBack(world: World): Promise<TakenBack> {
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

/** Goes back to an earlier answer, asks something else there, and returns. */
export async function branchAndReturn({
  ask,
  ...world
}: World & { readonly ask: (say: string) => Promise<void> }): Promise<Branched> {
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

/** Looks for every fact: in front of the model, else by search and recall. */
export async function keptFacts(world: World): Promise<Kept> {
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
