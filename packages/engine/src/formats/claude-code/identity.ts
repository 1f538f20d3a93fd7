import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { sessionIdOf } from '../chain.ts';
import { digestOf } from '../digest.ts';
import type { ReadHeader } from '../reading.ts';
import { detailsOf, timeOf } from './line.ts';

/** Which session a file is. */
export interface Identity {
  /** The session's own id; that of a sub-agent is the id of the session that called it, and its own. */
  readonly key: string;
  /** The id that its lines carry; in the file of a sub-agent that is the id of the session that called it. */
  readonly session: string;
  /** The sub-agent whose file it is. */
  readonly agent: string | undefined;
  readonly header: ReadHeader;
}

/** The key of a sub-agent's session, wherever its lines are. */
export function agentKey({ session, agent }: { readonly session: string; readonly agent: string }): string {
  return `${session}/${agent}`;
}

/**
 * Tells from the beginning of a file whose it is. A file that was made by resuming or forking another session may repeat
 * its lines; where they carry the old id, the file is the old session, grown.
 *
 * @example
 * identify({ first: { type: 'user', sessionId: '0f3a', … }, beginning }).key; // '0f3a'
 */
export function identify({ first, beginning }: { readonly first: JsonObject; readonly beginning: string }): Identity {
  const lines = [first, ...beginning.split('\n').map(parseJson)].filter(isObject);
  const session = lines.map(({ sessionId }) => sessionId).find(isText) ?? idIn(beginning) ?? `first:${digestOf(first)}`;
  // The first line of a conversation says whose it is; lines of state do not.
  const opening = lines.find(({ isSidechain }) => typeof isSidechain === 'boolean') ?? {};
  const agent = opening.isSidechain === true && isText(opening.agentId) ? opening.agentId : undefined;
  const createdAt = lines.map(timeOf).find((time) => time !== undefined);
  const { cwd } = opening;
  const facts = Object.fromEntries(
    told.flatMap((name) => (opening[name] === undefined ? [] : [[name, opening[name]]])),
  );
  return {
    key: agent === undefined ? session : agentKey({ session, agent }),
    session,
    agent,
    header: {
      ...(isText(cwd) && { cwd }),
      ...(createdAt !== undefined && { createdAt }),
      ...(agent !== undefined && { owner: { session: sessionOf(session) } }),
      ...parentOf(opening),
      ...detailsOf(facts),
    },
  };
}

/** What the header keeps of the first line. */
const told = ['version', 'gitBranch', 'entrypoint', 'forkedFrom', 'agentId'];

/** Lines of a fork name the line that they were copied from. */
function parentOf({ forkedFrom: origin }: JsonObject): Pick<ReadHeader, 'parent'> {
  return isObject(origin) && isText(origin.sessionId) ? { parent: { session: sessionOf(origin.sessionId) } } : {};
}

function sessionOf(key: string): string {
  return sessionIdOf({ format: 'claude-code', key });
}

/** The id in a line that is longer than what is looked at, or torn. Inside a text the quotes would be escaped. */
function idIn(beginning: string): string | undefined {
  return /[{,]"sessionId":"([0-9a-f-]{36})"/.exec(beginning)?.[1];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
