import { isObject, type JsonObject, without } from '../../json.ts';
import type { Entry } from '../../session/index.ts';
import type { LinesFormat } from '../format.ts';
import { createChain, digestOf } from '../ids.ts';
import { headerPieces } from '../lines/header-pieces.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createLogBuilder } from '../log-builder.ts';
import type { EmbeddedEntry, EmbeddedSession, ParsedHeader } from '../parsed-session.ts';
import { createSkipCounter } from '../skip-counter.ts';
import { readTime } from '../time.ts';
import type { WarningList } from '../warnings.ts';
import { type CopilotEvent, callIdOf, createAssets, isCopilotEvent, readEvent } from './event.ts';
import { type ConversationReader, createConversationReader, type SharedState } from './read.ts';

/**
 * A session of the Copilot CLI or a transcript of VS Code Chat. Where its first line is torn or gone, it is known by the
 * id that is left of it, or by the first event that can be read.
 *
 * @example
 * const reading = readCopilot({ records, first, beginning, warnings });
 */
const readCopilot: LinesFormat['read'] = ({ records, first, beginning, warnings }) => {
  const event = readEvent(first.value);
  const isWhole = event?.kind === 'session.start';
  const start = isWhole ? event.data : pieces(beginning);
  const key = typeof start.sessionId === 'string' ? start.sessionId : `entries:${digestOf(first.value)}`;
  if (!isWhole) {
    const message = 'The first event is damaged or gone; the session was taken from those after it.';
    warnings.add({ code: 'half-a-header', message, line: 1 });
  }
  const header = headerOf(start);
  return {
    format: 'copilot',
    key,
    header,
    entries: ({ createdAt }) => readEvents({ records, warnings, startedAt: createdAt, session: { key, header } }),
  };
};

/** The events of a session of the Copilot CLI, or a transcript of VS Code Chat, which writes the same. */
export const copilot: LinesFormat = {
  kind: 'lines',
  name: 'copilot',
  isRecord: isCopilotEvent,
  startsLike: /^\{\s*"type"\s*:\s*"session\.start"/,
  read: readCopilot,
};

function headerOf(start: JsonObject): ParsedHeader {
  const cwd = isObject(start.context) ? start.context.cwd : start.cwd;
  const createdAt = readTime(start.startTime);
  const rest = without(start, ['sessionId', 'startTime', 'cwd']);
  return {
    ...(typeof cwd === 'string' && cwd !== '' && { cwd }),
    ...(createdAt !== undefined && { createdAt }),
    ...(rest && { details: { copilot: rest } }),
  };
}

/** What is left of a torn first event. */
function pieces(beginning: string): JsonObject {
  return headerPieces({ beginning, start: /"session\.start"/, names: ['sessionId', 'startTime', 'cwd'] });
}

/**
 * The entries of an event log: the main conversation, and one embedded session per sub-agent, which is owned by the call
 * that started it and is never part of the main model's context.
 *
 * @example
 * for await (const piece of readEvents({ records, warnings, startedAt: 0, session })) { … }
 */
async function* readEvents({
  records,
  warnings,
  startedAt,
  session,
}: {
  readonly records: AsyncIterable<FileRecord>;
  readonly warnings: WarningList;
  /** The time of entries before any that has one. */
  readonly startedAt: number;
  readonly session: { readonly key: string; readonly header: ParsedHeader };
}): AsyncGenerator<Entry | EmbeddedEntry> {
  const common: SharedState = {
    warnings,
    skips: createSkipCounter({ warnings }),
    assets: createAssets(),
    calls: new Map(),
    withoutContent: 0,
  };
  const agents = new Map<string, { readonly conversation: ConversationReader; readonly embedded: EmbeddedSession }>();
  const main = createConversationReader({ ...createLogs(session.key), author: 'human', common });
  let at = startedAt;

  for await (const { line, value } of records) {
    const event = readEvent(value);
    if (!event) {
      warnings.add({ code: 'bad-line', message: 'This line is no event; it was left out.', line });
      continue;
    }
    at = event.at ?? at;
    const agent = event.agent === undefined ? undefined : agentOf(event, event.agent);
    if (!agent) yield* main.take({ event, at, line });
    else for (const entry of agent.conversation.take({ event, at, line })) yield { embedded: agent.embedded, entry };
  }
  common.skips.report();
  if (common.withoutContent > 0) {
    const message = `${common.withoutContent} tool results are not in the file: it says only that the tools ran.`;
    warnings.add({ code: 'results-missing', message });
  }

  function agentOf(event: CopilotEvent, id: string): { conversation: ConversationReader; embedded: EmbeddedSession } {
    const known = agents.get(id);
    if (known) return known;
    const { toolCallId, agentDisplayName, agentName, parentToolCallId } = event.data;
    // The first event of a sub-agent says which call started it; in older logs the call's id is the agent's.
    const call = callIdOf(event.kind === 'subagent.started' ? toolCallId : parentToolCallId) ?? id;
    const name = agentDisplayName ?? agentName;
    const { cwd } = session.header;
    const key = `${session.key}/${id}`;
    const embedded: EmbeddedSession = {
      key,
      header: { createdAt: at, ...(cwd !== undefined && { cwd }), ...(typeof name === 'string' && { name }) },
      owner: { key: common.calls.get(call)?.by ?? session.key, call },
    };
    const agent = { conversation: createConversationReader({ ...createLogs(key), author: 'model', common }), embedded };
    agents.set(id, agent);
    return agent;
  }
}

function createLogs(key: string): { key: string; builder: ReturnType<typeof createLogBuilder> } {
  return { key, builder: createLogBuilder({ idOf: createChain({ seed: `copilot\n${key}` }) }) };
}
