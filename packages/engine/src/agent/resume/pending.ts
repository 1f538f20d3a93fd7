import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { Message } from '../../message/index.ts';
import type { Session } from '../../session/index.ts';
import type { PlannedCall } from '../loop/call.ts';
import { readAsked } from '../loop/continuation.ts';
import { lookAt } from '../loop/plan-calls.ts';
import type { Saying } from '../loop/queued-message.ts';
import type { Tool } from '../tool.ts';

/** What was interrupted, read off the log. */
export interface Pending {
  /** Calls of the newest answer that have no result. */
  readonly calls: readonly PlannedCall[];
  /** Whether what was said last is still to be answered. */
  readonly isAsked: boolean;
  /** What was steered or queued and never reached the model, oldest first. */
  readonly waiting: readonly Saying[];
  /** What came of an answer that was broken off, after everything that was said. */
  readonly partial?: Message;
}

/** Reads what was interrupted. Nothing is written, and nothing runs. */
export async function readPending({
  session,
  tools,
}: {
  readonly session: Session;
  readonly tools: readonly Tool[];
}): Promise<Pending> {
  const notes = await notesOf(session);
  const calls = await readOpenCalls({ session, tools });
  const newest = await newestHandle(session);
  const partial = notes.findLast(({ kind, handle }) => kind === 'longhaul:partial' && handle > newest);
  return {
    calls,
    isAsked: (await readAsked(session)) !== undefined,
    waiting: await readWaiting(session),
    ...(partial && { partial: partial.data.message as unknown as Message }),
  };
}

/** The calls at the end of the log that have no result. Where somebody spoke after them they were given up. */
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
  // What is sent may have been shortened; what was called stands in the log.
  const [entry] = item.entry === null ? [] : await session.read({ ids: [item.entry] });
  const message = entry?.type === 'message' ? entry.message : item.message;
  const started = new Set(
    (await notesOf(session)).flatMap(({ kind, data }) => (kind === 'longhaul:started' ? [data.call] : [])),
  );
  const planned = await lookAt({ message, tools });
  return planned
    .filter(({ call }) => !settled.has(call.id))
    .map((each) => ({ ...each, interrupted: started.has(each.call.id) ? 'started' : 'unstarted' }));
}

async function newestHandle(session: Session): Promise<number> {
  const id = session.context.items.findLast(({ entry }) => entry !== null)?.entry;
  const [entry] = id ? await session.read({ ids: [id] }) : [];
  return entry?.handle ?? 0;
}

interface Note {
  readonly kind: string;
  readonly data: JsonObject;
  readonly handle: number;
}

async function notesOf(session: Session): Promise<Note[]> {
  const notes = await session.read({ types: ['custom'] });
  return notes.flatMap((entry) =>
    entry.type === 'custom' && isObject(entry.data)
      ? [{ kind: entry.customType, data: entry.data, handle: entry.handle }]
      : [],
  );
}

/** What was noted as waiting, was not taken back and has not reached the model. */
export async function readWaiting(session: Session): Promise<readonly Saying[]> {
  const gone = new Set<Json | undefined>();
  const waiting: Saying[] = [];
  for (const { kind, data } of await notesOf(session)) {
    if (kind === 'longhaul:withdrawn') gone.add(data.key);
    if (kind === 'longhaul:waiting' && typeof data.key === 'string' && isObject(data.message)) {
      const how = data.how === 'steered' || data.how === 'prompt' ? data.how : 'queued';
      waiting.push({ key: data.key, how, message: data.message as unknown as Message });
    }
  }
  const left = waiting.filter(({ key }) => !gone.has(key));
  if (left.length === 0) return [];
  const said = await session.read({ keys: left.map(({ key }) => `${key}:0`) });
  const keys = new Set(said.flatMap((entry) => (entry.type === 'message' ? [entry.key] : [])));
  return left.filter(({ key }) => !keys.has(`${key}:0`));
}
