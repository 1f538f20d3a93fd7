import type { EngineSession } from '../engine/index.ts';
import type { Message } from '../message/index.ts';
import type { Session } from '../session/index.ts';
import type { PlannedCall } from './loop/call.ts';
import { readOpenRequest } from './loop/continuation.ts';
import { planCalls } from './loop/plan-calls.ts';
import type { QueuedMessage } from './loop/queued-message.ts';
import type { Tool } from './tool.ts';

/** Interrupted work, read from the log. */
export interface PendingWork {
  /** Calls of the newest answer without a result. */
  readonly calls: readonly PlannedCall[];
  /** Whether the last message still needs an answer. */
  readonly needsAnswer: boolean;
  /** Steered or queued messages that never reached the model, oldest first. */
  readonly messages: readonly QueuedMessage[];
  /** The partial message of an aborted answer, if nothing followed it. */
  readonly partial?: Message;
}

/** Reads interrupted work. Nothing is written or run. */
export async function readPending({
  session,
  tools,
}: {
  readonly session: Session;
  readonly tools: readonly Tool[];
}): Promise<PendingWork> {
  const calls = await readOpenCalls({ session, tools });
  const newest = await newestHandle(session);
  const answers = await session.read({ types: ['partial_answer'] });
  const partial = answers.findLast(({ handle }) => handle > newest);
  return {
    calls,
    needsAnswer: (await readOpenRequest(session)) !== undefined,
    messages: await readQueuedMessages(session),
    ...(partial?.type === 'partial_answer' && { partial: partial.message }),
  };
}

/** Calls at the end of the log without a result. A later message of the user abandons them. */
export async function readOpenCalls({
  session,
  tools,
}: {
  readonly session: Session;
  readonly tools: readonly Tool[];
}): Promise<readonly PlannedCall[]> {
  const { items } = session.context;
  const at = items.findLastIndex(({ message }) => message.role !== 'tool');
  const item = items[at];
  if (item?.message.role !== 'assistant') return [];
  const settled = new Set(
    items
      .slice(at + 1)
      .flatMap(({ message: { parts } }) => parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []))),
  );
  const isOpen = ({ parts }: Message) => parts.some((part) => part.type === 'tool_call' && !settled.has(part.id));
  if (!isOpen(item.message)) return [];
  // The sent message may have been shortened; the log has the original calls.
  const [entry] = item.entry === null ? [] : await session.read({ ids: [item.entry] });
  const message = entry?.type === 'message' ? entry.message : item.message;
  const notes = await session.read({ types: ['tool_started'] });
  const started = new Set(notes.flatMap((note) => (note.type === 'tool_started' ? [note.call] : [])));
  const planned = await planCalls({ message, tools });
  return planned
    .filter(({ call }) => !settled.has(call.id))
    .map((each) => ({ ...each, interrupted: started.has(each.call.id) ? 'started' : 'unstarted' }));
}

async function newestHandle(session: Session): Promise<number> {
  const id = session.context.items.findLast(({ entry }) => entry !== null)?.entry;
  const [entry] = id ? await session.read({ ids: [id] }) : [];
  return entry?.handle ?? 0;
}

/** Messages that were queued, not withdrawn, and have not reached the model. */
async function readQueuedMessages(session: Session): Promise<readonly QueuedMessage[]> {
  const withdrawn = new Set<string>();
  const waiting: QueuedMessage[] = [];
  for (const note of await session.read({ types: ['queued_prompt', 'withdrawn_prompt'] })) {
    if (note.type === 'withdrawn_prompt') withdrawn.add(note.key);
    if (note.type === 'queued_prompt') waiting.push({ key: note.key, how: note.how, message: note.message });
  }
  const left = waiting.filter(({ key }) => !withdrawn.has(key));
  if (left.length === 0) return [];
  const said = await session.read({ keys: left.map(({ key }) => `${key}:0`) });
  const keys = new Set(said.flatMap((entry) => (entry.type === 'message' ? [entry.key] : [])));
  return left.filter(({ key }) => !keys.has(`${key}:0`));
}

/**
 * Messages that have not reached the model. Each is noted in the log when it is queued, so nothing is lost if the
 * process ends; once sent, it is in the log under its key.
 */
export class PendingPrompts {
  readonly #session: EngineSession;
  /** `undefined` until the log was read. */
  #known: QueuedMessage[] | undefined;
  #reading: Promise<readonly QueuedMessage[]> | undefined;
  /** Messages assigned to the current run and not sent yet. */
  readonly #unsaid = new Map<string, QueuedMessage>();

  constructor(session: EngineSession) {
    this.#session = session;
  }

  /** Read from the log once; concurrent callers share the read. */
  async list(): Promise<readonly QueuedMessage[]> {
    if (this.#known) return this.#known;
    this.#reading ??= readQueuedMessages(this.#session.session);
    try {
      const read = await this.#reading;
      this.#known ??= [...read];
    } finally {
      this.#reading = undefined;
    }
    return this.#known;
  }

  /** Takes all messages, for a run that starts. */
  async take(): Promise<readonly QueuedMessage[]> {
    await this.list();
    const taken = this.#known?.splice(0) ?? [];
    for (const queued of taken) this.assign(queued);
    return taken;
  }

  /** The current run will send it. */
  assign(queued: QueuedMessage): void {
    this.#unsaid.set(queued.key, queued);
  }

  /** The message is in the log. */
  markSent({ key }: QueuedMessage): void {
    this.#unsaid.delete(key);
  }

  /** Adds a message for the next run. */
  async add(queued: QueuedMessage): Promise<void> {
    await this.list();
    this.#known?.push(queued);
  }

  async persist({ key, how, message }: QueuedMessage): Promise<void> {
    await this.#session.append({ type: 'queued_prompt', key, how: how === 'continuation' ? 'queued' : how, message });
  }

  /** The run ended: unsent messages wait for the next one, also in the log. */
  async requeueUnsent(): Promise<void> {
    const all = [...this.#unsaid.values()];
    this.#unsaid.clear();
    try {
      const said = await keysIn({ session: this.#session, keys: all.map(({ key }) => key) });
      const waiting = all.filter(({ key }) => !said.has(key));
      for (const queued of waiting) if (queued.how === 'prompt') await this.persist(queued);
      this.#known = [...waiting, ...(this.#known ?? [])];
    } catch {
      // Reread the log before the next run.
      this.#known = undefined;
    }
  }

  async withdraw(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#unsaid.delete(key);
    this.#known = (await this.list()).filter(({ key }) => !keys.includes(key));
    for (const key of keys) {
      await this.#session.append({ type: 'withdrawn_prompt', key });
    }
  }
}

/** Which of these keys are in the log. */
async function keysIn(of: {
  readonly session: EngineSession;
  readonly keys: readonly string[];
}): Promise<ReadonlySet<string>> {
  if (of.keys.length === 0) return new Set();
  const found = await of.session.session.read({ keys: of.keys.map((key) => `${key}:0`) });
  const known = new Set(found.flatMap((entry) => (entry.type === 'message' ? [entry.key] : [])));
  return new Set(of.keys.filter((key) => known.has(`${key}:0`)));
}
