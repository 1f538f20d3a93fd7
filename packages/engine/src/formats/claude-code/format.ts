import { isArray, isObject, type JsonObject, parseJson } from '../../json.ts';
import type { Part } from '../../message/index.ts';
import type { Entry } from '../../session/index.ts';
import type { LinesFormat } from '../format.ts';
import { createChain, digestOf, sessionIdOf } from '../ids.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createLogBuilder } from '../log-builder.ts';
import type { EmbeddedEntry, EmbeddedSession, ParsedHeader } from '../parsed-session.ts';
import { createSkipCounter, type SkipCounter } from '../skip-counter.ts';
import type { WarningList } from '../warnings.ts';
import { messageOf, textOfContent } from './content.ts';
import { detailsOf, type TranscriptLine, timeOf, uuidOf } from './line.ts';
import { stateKinds } from './notes.ts';
import { createThreadReader, type ThreadReader } from './read.ts';

/** Which session a file is. */
interface Identity {
  /** The session's own id; that of a sub-agent is the id of the session that called it, and its own. */
  readonly key: string;
  /** The id that its lines carry; in the file of a sub-agent that is the id of the session that called it. */
  readonly session: string;
  /** The sub-agent whose file it is. */
  readonly agent: string | undefined;
  readonly header: ParsedHeader;
}

/** The key of a sub-agent's session, wherever its lines are. */
function agentKey({ session, agent }: { readonly session: string; readonly agent: string }): string {
  return `${session}/${agent}`;
}

/**
 * Tells from the beginning of a file whose it is. A file that was made by resuming or forking another session may repeat
 * its lines; where they carry the old id, the file is the old session, grown.
 *
 * @example
 * identify({ first: { type: 'user', sessionId: '0f3a', … }, beginning }).key; // '0f3a'
 */
function identify({ first, beginning }: { readonly first: JsonObject; readonly beginning: string }): Identity {
  const lines = [first, ...beginning.split('\n').map(parseJson)].filter(isObject);
  const session = lines.map(({ sessionId }) => sessionId).find(isText) ?? idIn(beginning) ?? `first:${digestOf(first)}`;
  // The first line of a conversation says whose it is; lines of state do not.
  const opening = lines.find(({ isSidechain }) => typeof isSidechain === 'boolean') ?? {};
  const agent = opening.isSidechain === true && isText(opening.agentId) ? opening.agentId : undefined;
  const createdAt = lines.map(timeOf).find((time) => time !== undefined);
  const { cwd } = opening;
  const facts = Object.fromEntries(
    headerFields.flatMap((name) => (opening[name] === undefined ? [] : [[name, opening[name]]])),
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
const headerFields = ['version', 'gitBranch', 'entrypoint', 'forkedFrom', 'agentId'];

/** Lines of a fork name the line that they were copied from. */
function parentOf({ forkedFrom: origin }: JsonObject): Pick<ParsedHeader, 'parent'> {
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

/** A file of Claude Code: the conversation it is about, and those of sub-agents that stand in it. */
const readClaudeCode: LinesFormat['read'] = ({ first, records, beginning, warnings }) => {
  const identity = identify({ first: first.value, beginning });
  const { key, header } = identity;
  return {
    format: 'claude-code',
    key,
    header,
    entries: ({ createdAt }) => readEntries({ records, identity, warnings, startedAt: createdAt }),
  };
};

async function* readEntries({
  records,
  identity,
  warnings,
  startedAt,
}: {
  readonly records: AsyncIterable<FileRecord>;
  readonly identity: Identity;
  readonly warnings: WarningList;
  readonly startedAt: number;
}): AsyncGenerator<Entry | EmbeddedEntry> {
  const skips = createSkipCounter({ warnings });
  const agents = createAgents({ identity, warnings, skips });
  const builder = createLogBuilder({ idOf: createChain({ seed: `claude-code\n${identity.key}` }) });
  const whose = identity.agent === undefined ? 'person' : 'model';
  const main = createThreadReader({ builder, whose, warnings, skips, onCall: agents.called });
  let at = startedAt;
  for await (const { line: number, value: raw, bytes } of records) {
    at = timeOf(raw) ?? at;
    const line = { raw, number, bytes, at };
    if (agents.isTheirs(raw)) {
      yield* agents.take(line);
    } else {
      yield* main.take(line);
      yield* agents.heard(raw);
    }
  }
  yield* main.end();
  yield* agents.end();
  skips.report();
}

/** A session of Claude Code, or one of its sub-agents, as lines of `~/.claude/projects/FOLDER/SESSION.jsonl`. */
export const claudeCode: LinesFormat = {
  kind: 'lines',
  name: 'claude-code',
  isRecord,
  startsLike: /^\{\s*"parentUuid"\s*:/,
  read: readClaudeCode,
};

const conversation: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

function isRecord(value: JsonObject): boolean {
  const { type, sessionId, uuid, parentUuid, message } = value;
  // Two kinds, older than the rest, do not say whose they are.
  if (type === 'summary') return typeof value.summary === 'string' && typeof value.leafUuid === 'string';
  if (type === 'file-history-snapshot') return isObject(value.snapshot);
  if (typeof sessionId !== 'string') return false;
  if (!conversation.has(type)) return typeof type === 'string' && stateKinds.has(type);
  // Qwen Code has taken the envelope over, with the messages of Gemini inside.
  const isQwen = isObject(message) && message.content === undefined && message.parts !== undefined;
  return (typeof uuid === 'string' || parentUuid !== undefined || isObject(message)) && !isQwen;
}

/** The sub-agents whose lines stand in the file of the session that called them. */
interface Agents {
  /** Whether a line is a sub-agent's. */
  readonly isTheirs: (raw: JsonObject) => boolean;
  readonly take: (line: TranscriptLine) => Generator<EmbeddedEntry>;
  /** A call that may be one of a sub-agent. */
  readonly called: (part: Part) => void;
  /** A line of the main conversation; where it holds the result of a sub-agent, nothing more will be said of its answer. */
  readonly heard: (raw: JsonObject) => Generator<EmbeddedEntry>;
  readonly end: () => Generator<EmbeddedEntry>;
}

interface AgentSession {
  readonly embedded: EmbeddedSession;
  readonly thread: ThreadReader;
}

interface AgentCall {
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
function createAgents({
  identity,
  warnings,
  skips,
}: {
  readonly identity: Identity;
  readonly warnings: WarningList;
  readonly skips: SkipCounter;
}): Agents {
  const agents = new Map<string, AgentSession>();
  /** The agents of lines that do not name theirs. */
  const byLine = new Map<string, AgentSession>();
  const byCall = new Map<string, AgentSession>();
  const waiting = new Map<string, AgentCall[]>();
  return { isTheirs, take, called, heard, end };

  function isTheirs(raw: JsonObject): boolean {
    return raw.isSidechain === true && (identity.agent === undefined || raw.agentId !== identity.agent);
  }

  function* take(line: TranscriptLine): Generator<EmbeddedEntry> {
    const { raw } = line;
    const { agentId, parentUuid } = raw;
    const uuid = uuidOf(raw) ?? `line ${line.number}`;
    const name = typeof agentId === 'string' ? agentId : undefined;
    const known = name === undefined ? byLine.get(String(parentUuid)) : agents.get(name);
    const agent = known ?? open({ name: name ?? uuid, line });
    if (name === undefined) byLine.set(uuid, agent);
    yield* embeddedEntries({ agent, entries: agent.thread.take(line) });
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

  function* heard({ message }: JsonObject): Generator<EmbeddedEntry> {
    const content = isObject(message) ? message.content : undefined;
    for (const block of isArray(content) ? content : []) {
      const agent = isObject(block) ? byCall.get(String(block.tool_use_id)) : undefined;
      if (agent) yield* embeddedEntries({ agent, entries: agent.thread.settle() });
    }
  }

  function* end(): Generator<EmbeddedEntry> {
    for (const agent of agents.values()) yield* embeddedEntries({ agent, entries: agent.thread.end() });
  }

  function open({ name, line }: { readonly name: string; readonly line: TranscriptLine }): AgentSession {
    const { raw, at } = line;
    const call = waiting.get(digestOf(textOfContent(messageOf(raw).content)))?.shift();
    const key = agentKey({ session: identity.session, agent: name });
    const embedded: EmbeddedSession = {
      key,
      header: {
        createdAt: at,
        ...(typeof raw.cwd === 'string' && { cwd: raw.cwd }),
        ...(call?.description !== undefined && { name: call.description }),
        details: { 'claude-code': { agentId: name } },
      },
      owner: { key: identity.key, ...(call && { call: call.id }) },
    };
    const builder = createLogBuilder({ idOf: createChain({ seed: `claude-code\n${key}` }) });
    const thread = createThreadReader({ builder, whose: 'model', warnings, skips, onCall: called });
    const agent = { embedded, thread };
    agents.set(name, agent);
    if (call) byCall.set(call.id, agent);
    return agent;
  }
}

function* embeddedEntries({
  agent,
  entries,
}: {
  readonly agent: AgentSession;
  readonly entries: ReturnType<ThreadReader['end']>;
}): Generator<EmbeddedEntry> {
  for (const entry of entries) yield { embedded: agent.embedded, entry };
}
