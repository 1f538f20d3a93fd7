import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from 'longhaul/message';

/**
 * What a client says about itself beyond the conversation. One id of a client carries its main conversation, its
 * sub-agents, titles and compactions, so it only narrows the choice between conversations that fit by content.
 */
export interface ClientHints {
  /** The name of the program, from its user agent. */
  readonly client: string;
  /** The client's own id of the conversation or of the sub-agent in it. */
  readonly id?: string;
  /** The client's id of the conversation that this one is a part of. */
  readonly owner?: string;
}

const sessionHeaders = ['x-claude-code-session-id', 'thread-id', 'session-id', 'session_id', 'x-session-id'] as const;
const parentHeaders = ['x-codex-parent-thread-id', 'x-parent-session-id'] as const;

/**
 * Reads the ids that known clients send (Claude Code, Codex, opencode, Kilo, pi, Kimi, Copilot).
 *
 * @example
 * const { id, owner } = readHints({ headers, member });
 */
export function readHints({
  headers,
  member,
}: {
  readonly headers: IncomingHttpHeaders;
  /** A top-level member of the body, parsed. */
  readonly member: (name: string) => Json | undefined;
}): ClientHints {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const client = /^[\w.@ -]{1,40}/.exec(header('user-agent') ?? '')?.[0].trim() || 'unknown';
  const session = sessionHeaders.map(header).find((id) => id !== undefined) ?? bodySession(member);
  const agent = header('x-claude-code-agent-id');
  const parent = parentHeaders.map(header).find((id) => id !== undefined);
  if (session === undefined) return { client };
  if (agent !== undefined) return { client, id: `${session}/${agent}`, owner: session };
  return { client, id: session, ...(parent !== undefined && parent !== session && { owner: parent }) };
}

function bodySession(member: (name: string) => Json | undefined): string | undefined {
  const key = member('prompt_cache_key');
  if (typeof key === 'string' && key !== '') return key;
  const metadata = member('metadata');
  const user =
    typeof metadata === 'object' && metadata !== null && 'user_id' in metadata ? metadata.user_id : undefined;
  if (typeof user !== 'string') return undefined;
  // Claude Code writes JSON into it, earlier versions `…_session_ID`.
  return /"session_id"\s*:\s*"([^"]+)"/.exec(user)?.[1] ?? /_session_([\w-]+)$/.exec(user)?.[1];
}
