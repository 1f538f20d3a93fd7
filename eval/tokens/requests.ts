import { createReadStream } from 'node:fs';
import { importSession } from 'longhaul/formats';
import type { Message } from 'longhaul/message';
import { promptTokens, type TokenFamily, tokenFamilyOf } from 'longhaul/models';
import { contextOf, createMemoryStore, type Entry, headLength, openSession } from 'longhaul/session';

/** A request whose size its provider reported, as far as the log of its session holds it. */
export interface LoggedRequest {
  readonly head: readonly Message[];
  readonly messages: readonly Message[];
  /** What the provider reported, without reasoning that the log does not hold. */
  readonly actual: number;
  /** Requests with the same number are based on one another: an epoch, or the part of it after an unlogged removal. */
  readonly segment: number;
}

export interface LoggedSession {
  readonly file: string;
  readonly agent: string;
  readonly model: string;
  readonly family: TokenFamily;
  readonly requests: readonly LoggedRequest[];
  /** How often the reported size fell although the log only grew. */
  readonly falls: number;
}

/** The requests of every model in a file. Sub-agents' sessions are sessions of their own. */
export async function loggedSessions(of: { readonly path: string; readonly file: string }): Promise<LoggedSession[]> {
  const store = createMemoryStore();
  const { sessions, format } = await importSession({ store, path: of.path, open: () => createReadStream(of.path) });
  const found: LoggedSession[] = [];
  for (const id of sessions) {
    const session = await openSession({ store, id });
    found.push(...requestsIn({ entries: await session.read({ after: 0 }), file: of.file, agent: format }));
  }
  return found;
}

function requestsIn(of: {
  readonly entries: readonly Entry[];
  readonly file: string;
  readonly agent: string;
}): LoggedSession[] {
  const byId = new Map(of.entries.map((entry) => [entry.id, entry]));
  const models = new Map<string, { requests: LoggedRequest[]; falls: number }>();
  let last: { epoch: string | null; actual: number; length: number } | undefined;
  let [segment, hidden] = [0, 0];
  for (const entry of of.entries) {
    if (entry.type === 'message' && entry.message.role === 'user') hidden = 0;
    if (entry.type !== 'usage' || entry.purpose !== undefined || !entry.model) continue;
    const target = entry.target === undefined ? undefined : byId.get(entry.target);
    const reported = promptTokens(entry.usage);
    if (!target || reported <= 0) continue;
    const context = contextOf({ entries: byId, leaf: target.parentId });
    const all = sentBy({
      agent: of.agent,
      model: entry.model.name,
      items: context.items.map(({ message }) => message),
    });
    // An answer may be logged as several entries, of which the target is one.
    const end = all.findLastIndex(({ role }) => role !== 'assistant') + 1;
    const length = headLength(context);
    const actual = reported - hidden;
    const isNew = last?.epoch !== context.epoch || all.length < last.length;
    const hasFallen = !isNew && last !== undefined && actual < last.actual;
    if (isNew || hasFallen) segment += 1;
    const found = models.get(entry.model.name) ?? { requests: [], falls: 0 };
    models.set(entry.model.name, found);
    found.falls += hasFallen ? 1 : 0;
    found.requests.push({ head: all.slice(0, length), messages: all.slice(length, end), actual, segment });
    last = { epoch: context.epoch, actual, length: all.length };
    // Codex keeps reasoning within a turn; exported logs do not hold its text.
    if (of.agent === 'codex') hidden += entry.usage.reasoning ?? 0;
  }
  return [...models].flatMap(([model, { requests, falls }]) => {
    const family = tokenFamilyOf({ name: model });
    return family ? [{ file: of.file, agent: of.agent, model, family, requests, falls }] : [];
  });
}

/**
 * What an agent sends of what it logs: Gemini CLI and opencode (to OpenAI's models) do not send thoughts back, and pi
 * leaves out answers that were broken off, whose calls have no results.
 */
function sentBy({
  agent,
  model,
  items,
}: {
  readonly agent: string;
  readonly model: string;
  readonly items: readonly Message[];
}): readonly Message[] {
  const keepsThoughts = agent !== 'gemini-cli' && !(agent === 'opencode' && model.startsWith('gpt'));
  const answered = new Set(items.flatMap(({ parts }) => parts.map((part) => 'callId' in part && part.callId)));
  const isBroken = ({ parts }: Message) => parts.some((part) => part.type === 'tool_call' && !answered.has(part.id));
  return items.flatMap((message, index) => {
    if (agent === 'pi' && index < items.length - 1 && isBroken(message)) return [];
    return keepsThoughts ? message : (withoutThoughts.get(message) ?? stripped(message));
  });
}

/** The same message again for the same message, since counts are remembered by it. */
const withoutThoughts = new WeakMap<Message, Message>();

function stripped(message: Message): Message {
  const without = { ...message, parts: message.parts.filter(({ type }) => type !== 'thinking') };
  withoutThoughts.set(message, without);
  return without;
}
