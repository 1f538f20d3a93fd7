import {
  advanceFrontier,
  type CompactionResult,
  createEngine,
  createFrontier,
  createModelSummariser,
  type EngineSession,
  sourceItems,
  type TargetModel,
} from 'longhaul/compaction';
import type { Message } from 'longhaul/message';
import { modelInfo } from 'longhaul/models';
import { partTexts, type Store } from 'longhaul/session';
import { longWork } from './long-work.ts';
import { createStory, type Story } from './story.ts';

/** What became of a session that outgrew its window three times. */
export interface Growth {
  readonly window: number;
  /** How long the model takes for a summary. Milliseconds. */
  readonly takes: number;
  readonly compactions: readonly Compacted[];
  readonly requests: number;
  /** Requests that had to wait for the model. */
  readonly waited: number;
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
  /** How the summary was made: `fork` asks the model with the live request. */
  readonly rung: string;
  /** How many prunes of old tool outputs came before it. */
  readonly prunes: number;
  /** The summary that was made beside the work. */
  readonly job: Beside;
  readonly rules: Share;
  /** What people said, word for word. */
  readonly words: Share;
  /** Files that were read or changed. */
  readonly files: Share;
}

/** What happened beside the work, in milliseconds since the session began. */
interface Beside {
  readonly begun: number;
  /** Tokens of what was sent then. */
  readonly tokens: number;
  readonly ready: number;
  /** Requests that went out until then. */
  readonly meanwhile: number;
  readonly installed: number;
}

interface Share {
  readonly kept: number;
  readonly of: number;
}

const window = 64_000;
const compactionsShown = 3;

/** The work would go on for ever; this is far more than it needs. */
const mostRounds = 100;

const head: readonly Message[] = [
  { role: 'system', parts: [{ type: 'text', origin: 'engine', text: 'You are a careful engineer.' }] },
];

const target: TargetModel = {
  id: { provider: 'demo', name: 'demo' },
  dialect: 'anthropic',
  info: modelInfo({ name: 'demo', extra: [{ match: ['demo'], window }] }),
};

/** What the model takes for a summary, and what passes until there is something new to send. Milliseconds. */
const [takes, pause] = [45_000, 12_000];

/**
 * Lets a session grow in a small window until it was compacted three times, then takes the last one back: the real
 * engine, the real way of asking for summaries; the conversation, its time and what the model says are from a script.
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
  const begin = now();
  const isBusy = () => session.job.state === 'running';
  const story: Story = createStory({ begin, takes, of: target, isBusy });
  const engine = await createEngine({
    store,
    clock: { now: story.now },
    summariser: createModelSummariser({ models: [story.model] }),
  });
  const session = await engine.create({ name: 'billing' });
  const compactions: Compacted[] = [];
  let [prunes, requests] = [0, 0];
  let job = { begun: 0, tokens: 0, ready: 0, meanwhile: 0, installed: 0 };
  // The next one may begin with the very request that the last one goes in with.
  let done = job;
  let since = 0;
  const time = () => story.now() - begin;
  session.on('prune', () => {
    prunes += 1;
  });
  session.on('decision', ({ decision }) => {
    if (decision === 'wait') void story.wait();
  });
  session.on('jobStart', ({ tokens, trigger }) => {
    if (trigger !== 'background') void story.wait();
    job = { ...job, begun: time(), tokens };
    since = requests;
  });
  session.on('jobSettled', () => {
    job = { ...job, ready: time(), meanwhile: requests - since };
  });
  session.on('jobInstalled', () => {
    done = { ...job, installed: time() };
  });
  const ask = async (messages: readonly Message[]) => {
    const prepared = await session.prepare({ model: target, head, turn: { messages } });
    requests += 1;
    const { compaction } = prepared.report;
    if (compaction?.installed) {
      compactions.push(await compacted({ session, compaction, prunes, job: done }));
      prunes = 0;
    }
    // This provider counts as we do; one that tells nothing would make the engine keep more room free.
    await session.report({ usage: { input: prepared.tokens } });
    await story.pass(pause);
  };
  let rounds = 0;
  for (const { asked, steps } of longWork()) {
    await work({ session, ask, asked, steps });
    rounds += 1;
    if (compactions.length >= compactionsShown || rounds === mostRounds) break;
  }
  const said = (await session.session.path()).filter(({ type }) => type === 'message').length;
  const sent = session.context.items.length;
  const undo = await takeBack(session);
  return { window, takes, compactions, requests, waited: story.waits(), said, sent, undo };
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
  compaction: { tokensBefore, tokensAfter, rung = '', loss },
  prunes,
  job,
}: {
  readonly session: EngineSession;
  readonly compaction: CompactionResult;
  readonly prunes: number;
  readonly job: Beside;
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
    rung,
    prunes,
    job,
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
