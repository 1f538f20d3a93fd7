import { readConversation } from 'longhaul/message';
import { createMemoryStore, createSession, type EntryId, openSession, type Session, type Tree } from 'longhaul/session';
import type { Snapshot } from 'longhaul/tokens';
import { viewOf } from '../context/view.ts';
import type { Io, SessionStore } from '../io/io.ts';
import { demoRequest } from './conversation.ts';
import { type Growth, growInSmallWindow } from './growth.ts';

/** What the demo shows, all of it found out when it runs. */
export interface Demo {
  /** How many messages were said before the branch. */
  readonly said: number;
  readonly tree: Tree;
  readonly leaf: EntryId | null;
  readonly branch: { readonly from: string; readonly abandoned: number };
  readonly crash: Crash;
  readonly search: {
    readonly text: string;
    readonly hits: readonly { readonly handle: string; readonly snippet: string }[];
  };
  readonly recall: { readonly handle: string; readonly text: string; readonly exact: boolean };
  readonly size: Snapshot;
  readonly growth: Growth;
}

/** What became of a process that was killed while it wrote. */
interface Crash {
  /** How many entries were acknowledged when it was killed. */
  readonly acknowledged: number;
  /** How many of those are there afterwards. */
  readonly found: number;
  /** Whether the examination of the store found no damage. */
  readonly sound: boolean;
}

/** The writer is killed once so many entries were acknowledged. */
const acknowledgedBefore = 20;

/** Where the talk branches: before the fix. */
const forkAt = 3;

/**
 * Builds a session, branches it, kills a process that writes to it, and finds everything again. Then lets another one
 * outgrow its window.
 *
 * @example
 * const demo = await runDemo({ io, dir: '/tmp/demo' });
 */
export async function runDemo({ io, dir }: { readonly io: Io; readonly dir: string }): Promise<Demo> {
  const first = await io.openStore(dir);
  const { id, said, branch } = await build({ store: first, now: io.now });
  await first.close();
  const handles = await writeAndKill({ io, dir, session: id });
  const store = await io.openStore(dir);
  try {
    const live = await openSession({ store, id, now: io.now });
    const found = await store.read({ session: id, query: { handles } });
    const { sound } = await store.doctor({});
    const text = 'unsigned arm64';
    const hits = await store.search({ text, session: id, limit: 3 });
    const { size } = await viewOf({ live, provider: 'anthropic', window: 2000, guard: false });
    return {
      said,
      tree: await live.tree(),
      leaf: live.head.leaf,
      branch,
      crash: { acknowledged: handles.length, found: found.length, sound },
      search: { text, hits: hits.map(({ handle, part, snippet }) => ({ handle: `@${handle}.${part}`, snippet })) },
      recall: await recallResult(live),
      size,
      // In memory: what is on the disk was shown, and nobody likes to wait for a demo.
      growth: await growInSmallWindow({ store: createMemoryStore(), now: io.now }),
    };
  } finally {
    await store.close();
  }
}

/** The talk, then a second attempt from the middle of it. */
async function build({ store, now }: { readonly store: SessionStore; readonly now: () => number }) {
  const live = await createSession({ store, now, header: { name: 'arm64' } });
  const { head, messages } = readConversation({ value: demoRequest }).conversation;
  for (const message of [...head, ...messages]) await live.append({ type: 'message', message });
  const [place] = await live.read({ handles: [forkAt + 1] });
  const { abandoned } = await live.rewind({ to: place?.id ?? null });
  const [first] = abandoned;
  if (first) await live.label({ target: first.id, label: 'the fix' });
  await live.append({
    type: 'message',
    message: {
      role: 'assistant',
      parts: [{ type: 'text', origin: 'model', text: 'Or build with -fsigned-char. I try that.' }],
    },
  });
  return { id: live.id, said: messages.length, branch: { from: `@${forkAt + 1}`, abandoned: abandoned.length } };
}

/** Starts a process that writes, and kills it in the middle. The handles that it had acknowledged. */
async function writeAndKill(of: {
  readonly io: Io;
  readonly dir: string;
  readonly session: string;
}): Promise<number[]> {
  const handles: number[] = [];
  const writer = of.io.startWriter({ dir: of.dir, session: of.session });
  for await (const handle of writer.acknowledged) {
    handles.push(handle);
    if (handles.length === acknowledgedBefore) break;
  }
  await writer.kill();
  return handles;
}

/** A tool result of the abandoned branch, by its handle, against what was said. */
async function recallResult(live: Session): Promise<Demo['recall']> {
  const handle = '@4.1';
  const { text } = await live.recall({ handle });
  const { messages } = readConversation({ value: demoRequest }).conversation;
  const [part] = messages[2]?.parts ?? [];
  const [inner] = part?.type === 'tool_result' ? part.content : [];
  return { handle, text, exact: inner?.type === 'text' && inner.text === text };
}
