import { isArray, isObject, type JsonObject, parseJson } from '../../json.ts';
import type { Part } from '../../message/index.ts';
import { createChain } from '../chain.ts';
import { digestOf } from '../digest.ts';
import { createWeaver } from '../log-builder.ts';
import type { Beside, Strand } from '../reading.ts';
import type { WarningList } from '../report.ts';
import type { Tally } from '../tally.ts';
import { messageOf, textOfContent } from './content.ts';
import { agentKey, type Identity } from './identity.ts';
import { type Line, uuidOf } from './line.ts';
import { createThread, type Thread } from './thread.ts';

/** The sub-agents whose lines stand in the file of the session that called them. */
export interface Agents {
  /** Whether a line is a sub-agent's. */
  readonly isTheirs: (raw: JsonObject) => boolean;
  readonly take: (line: Line) => Generator<Beside>;
  /** A call that may be one of a sub-agent. */
  readonly called: (part: Part) => void;
  /** A line of the main conversation; where it holds the result of a sub-agent, nothing more will be said of its answer. */
  readonly heard: (raw: JsonObject) => Generator<Beside>;
  readonly end: () => Generator<Beside>;
}

interface Agent {
  readonly strand: Strand;
  readonly thread: Thread;
}

interface Call {
  readonly id: string;
  readonly description?: string;
}

/** The tool that calls sub-agents, under its old name and its new one. */
const tools: ReadonlySet<string> = new Set(['Task', 'Agent']);

/**
 * Reads the conversations of sub-agents as sessions of their own. Lines of old versions do not say of which sub-agent
 * they are, nor by which call: the first is known by the others' parents, the second by its prompt.
 *
 * @example
 * const agents = createAgents({ identity, warnings, tally });
 * if (agents.isTheirs(raw)) yield* agents.take(line);
 */
export function createAgents({
  identity,
  warnings,
  tally,
}: {
  readonly identity: Identity;
  readonly warnings: WarningList;
  readonly tally: Tally;
}): Agents {
  const agents = new Map<string, Agent>();
  /** The agents of lines that do not name theirs. */
  const byLine = new Map<string, Agent>();
  const byCall = new Map<string, Agent>();
  const waiting = new Map<string, Call[]>();
  return { isTheirs, take, called, heard, end };

  function isTheirs(raw: JsonObject): boolean {
    return raw.isSidechain === true && (identity.agent === undefined || raw.agentId !== identity.agent);
  }

  function* take(line: Line): Generator<Beside> {
    const { raw } = line;
    const { agentId, parentUuid } = raw;
    const uuid = uuidOf(raw) ?? `line ${line.number}`;
    const name = typeof agentId === 'string' ? agentId : undefined;
    const known = name === undefined ? byLine.get(String(parentUuid)) : agents.get(name);
    const agent = known ?? open({ name: name ?? uuid, line });
    if (name === undefined) byLine.set(uuid, agent);
    yield* aside({ agent, entries: agent.thread.take(line) });
  }

  function called(part: Part): void {
    if (part.type !== 'tool_call' || !tools.has(part.name)) return;
    const input = parseJson(part.arguments);
    if (!isObject(input) || typeof input.prompt !== 'string') return;
    const { description } = input;
    const call = { id: part.id, ...(typeof description === 'string' && { description }) };
    const key = digestOf(input.prompt);
    waiting.set(key, [...(waiting.get(key) ?? []), call]);
  }

  function* heard({ message }: JsonObject): Generator<Beside> {
    const content = isObject(message) ? message.content : undefined;
    for (const block of isArray(content) ? content : []) {
      const agent = isObject(block) ? byCall.get(String(block.tool_use_id)) : undefined;
      if (agent) yield* aside({ agent, entries: agent.thread.settle() });
    }
  }

  function* end(): Generator<Beside> {
    for (const agent of agents.values()) yield* aside({ agent, entries: agent.thread.end() });
  }

  function open({ name, line }: { readonly name: string; readonly line: Line }): Agent {
    const { raw, at } = line;
    const call = waiting.get(digestOf(textOfContent(messageOf(raw).content)))?.shift();
    const key = agentKey({ session: identity.session, agent: name });
    const strand: Strand = {
      key,
      header: {
        createdAt: at,
        ...(typeof raw.cwd === 'string' && { cwd: raw.cwd }),
        ...(call?.description !== undefined && { name: call.description }),
        details: { 'claude-code': { agentId: name } },
      },
      owner: { key: identity.key, ...(call && { call: call.id }) },
    };
    const weaver = createWeaver({ idOf: createChain({ seed: `claude-code\n${key}` }) });
    const thread = createThread({ weaver, whose: 'model', warnings, tally, onCall: called });
    const agent = { strand, thread };
    agents.set(name, agent);
    if (call) byCall.set(call.id, agent);
    return agent;
  }
}

function* aside({
  agent,
  entries,
}: {
  readonly agent: Agent;
  readonly entries: ReturnType<Thread['end']>;
}): Generator<Beside> {
  for (const entry of entries) yield { beside: agent.strand, entry };
}
