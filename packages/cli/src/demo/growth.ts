import {
  advanceFrontier,
  type CompactionResult,
  createEngine,
  createFrontier,
  type EngineSession,
  sourceItems,
  type TargetModel,
} from 'longhaul/compaction';
import type { Message } from 'longhaul/message';
import { modelInfo } from 'longhaul/models';
import { partTexts, type Store } from 'longhaul/session';
import { longWork } from './long-work.ts';

/** What became of a session that outgrew its window three times. */
export interface Growth {
  readonly window: number;
  readonly compactions: readonly Compacted[];
  /** Messages that were said, and those that are sent in the end. */
  readonly said: number;
  readonly sent: number;
  /** Whether undo sent, byte for byte, what was sent before, and redo what was sent after. */
  readonly undo: { readonly exact: boolean; readonly messages: number };
}

/** One compaction, and what is still in front of the model after it. */
interface Compacted {
  /** Tokens of what is sent. */
  readonly before: number;
  readonly after: number;
  /** How many prunes of old tool outputs came before it. */
  readonly prunes: number;
  readonly rules: Share;
  /** What people said, word for word. */
  readonly words: Share;
  /** Files that were read or changed. */
  readonly files: Share;
}

interface Share {
  readonly kept: number;
  readonly of: number;
}

const window = 32_000;
const compactionsShown = 3;

/** The work would go on for ever; this is far more than it needs. */
const mostRounds = 100;

const head: readonly Message[] = [
  { role: 'system', parts: [{ type: 'text', origin: 'engine', text: 'You are a careful engineer.' }] },
];

const model: TargetModel = {
  id: { provider: 'demo', name: 'demo' },
  dialect: 'anthropic',
  info: modelInfo({ name: 'demo', extra: [{ match: ['demo'], window }] }),
};

/**
 * Lets a session grow in a small window until it was compacted three times, then takes the last one back: the real
 * engine, the real summariser, a conversation from a script.
 *
 * @example
 * const { compactions } = await growInSmallWindow({ store, now: io.now });
 */
export async function growInSmallWindow({
  store,
  now,
}: {
  readonly store: Store;
  readonly now: () => number;
}): Promise<Growth> {
  const engine = await createEngine({ store, clock: { now } });
  const session = await engine.create({ name: 'billing' });
  const compactions: Compacted[] = [];
  let prunes = 0;
  session.on('prune', () => {
    prunes += 1;
  });
  const ask = async (messages: readonly Message[]) => {
    const prepared = await session.prepare({ model, head, turn: { messages } });
    // This provider counts as we do; one that tells nothing would make the engine keep more room free.
    await session.report({ usage: { input: prepared.tokens } });
    const { compaction } = prepared.report;
    if (!compaction?.installed) return;
    compactions.push(await compacted({ session, compaction, prunes }));
    prunes = 0;
  };
  let rounds = 0;
  for (const { asked, steps } of longWork()) {
    await work({ session, ask, asked, steps });
    rounds += 1;
    if (compactions.length >= compactionsShown || rounds === mostRounds) break;
  }
  const said = (await session.session.path()).filter(({ type }) => type === 'message').length;
  return { window, compactions, said, sent: session.context.items.length, undo: await takeBack(session) };
}

async function work({
  session,
  ask,
  asked,
  steps,
}: {
  readonly session: EngineSession;
  readonly ask: (messages: readonly Message[]) => Promise<void>;
  readonly asked: string;
  readonly steps: readonly Message[];
}): Promise<void> {
  await ask([{ role: 'user', parts: [{ type: 'text', origin: 'human', text: asked }] }]);
  for (const message of steps) {
    if (message.role === 'tool') await ask([message]);
    else await session.append({ type: 'message', message });
  }
}

async function compacted({
  session,
  compaction: { tokensBefore, tokensAfter, loss },
  prunes,
}: {
  readonly session: EngineSession;
  readonly compaction: CompactionResult;
  readonly prunes: number;
}): Promise<Compacted> {
  const items = sourceItems(await session.session.path());
  const sent = session.context.items
    .flatMap(({ message }) => partTexts(message.parts))
    .map(({ text }) => text)
    .join('\n');
  const share = (texts: readonly string[]) => ({
    kept: texts.filter((text) => sent.includes(text)).length,
    of: texts.length,
  });
  const words = items.flatMap(({ message }) =>
    message.parts.flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [part.text] : [])),
  );
  const { files } = advanceFrontier({ frontier: createFrontier(), items });
  return {
    before: tokensBefore,
    after: tokensAfter,
    prunes,
    rules: share(loss?.pins.map(({ text }) => text) ?? []),
    words: share(words),
    files: share(files.map(({ path }) => path)),
  };
}

/** Undo and redo of the newest action, and what is sent between the two. */
async function takeBack(session: EngineSession): Promise<Growth['undo']> {
  const bytes = () => JSON.stringify(session.context.items);
  const [action] = (await session.session.history()).done.slice(-1);
  const before = action?.entry.parentId ?? null;
  const after = bytes();
  await session.undo();
  const undone = bytes();
  const { length: messages } = session.context.items;
  const then = await session.session.contextAt({ leaf: before });
  await session.redo();
  const isBefore = undone.startsWith(JSON.stringify(then.items).slice(0, -1));
  return { exact: isBefore && bytes() === after, messages };
}
