import type { ClientRequest } from '../client-request.ts';
import { type ClientConversation, gatewayDetails, isSideHeader } from './conversation.ts';

/** What tells the main line of a conversation from a side call over the same history. */
export interface RequestProfile {
  /** The beginning and the end of the system text. */
  readonly system: string;
  readonly hasTools: boolean;
}

const shown = 4_000;

export function profileOf(request: Pick<ClientRequest, 'head' | 'tools' | 'forbidsTools'>): RequestProfile {
  const system = request.head
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n');
  const kept = system.length <= 2 * shown ? system : system.slice(0, shown) + system.slice(-shown);
  return { system: kept, hasTools: request.tools.length > 0 && !request.forbidsTools };
}

/**
 * Whether a request over the same history is a side call: a summary, memory extraction or the like, with another system
 * prompt or without the tools. Clients change a line of their prompt or a tool within the main line as well.
 */
export function isSideCall({
  main,
  request,
}: {
  readonly main: RequestProfile;
  readonly request: RequestProfile;
}): boolean {
  if (main.hasTools && !request.hasTools) return true;
  const [a, b] = [main.system, request.system];
  if (a === b) return false;
  const shorter = Math.min(a.length, b.length);
  if (shorter === 0) return Math.max(a.length, b.length) > 200;
  let front = 0;
  while (front < shorter && a[front] === b[front]) front += 1;
  let back = 0;
  while (back < shorter - front && a.at(-1 - back) === b.at(-1 - back)) back += 1;
  return front + back < shorter / 2;
}

/** What is known of a conversation beyond its items. */
export interface ConversationFacts {
  /** Of its newest request. */
  readonly profile: RequestProfile;
  /** The client's own id. */
  readonly id: string | undefined;
  /** Whether it began as a side call over the history of another one. */
  readonly isSide: boolean;
}

/** What the log says, after a restart. */
export async function factsOf({ engine, head: sent, notes }: ClientConversation): Promise<ConversationFacts> {
  const head = sent.filter(({ parts }) => !parts.some((part) => part.type === 'text' && part.text === notes));
  const tools = await engine.tools();
  const { header } = engine.session;
  const { id } = gatewayDetails(header);
  const profile = profileOf({ head, tools, forbidsTools: false });
  return { profile, id: typeof id === 'string' ? id : undefined, isSide: isSideHeader(header) };
}
