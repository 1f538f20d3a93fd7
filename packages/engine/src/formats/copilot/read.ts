import { isObject, type Json, type JsonObject, safeString, without } from '../../json.ts';
import type { Origin } from '../../message/index.ts';
import type { Draft, Entry, EntryId, EpochItem, ModelName, UsageEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import type { LogBuilder } from '../log-builder.ts';
import { createSessionRecorder, type RecorderState } from '../session-recorder.ts';
import type { SkipCounter } from '../skip-counter.ts';
import { amount, usageNote } from '../usage.ts';
import type { WarningList } from '../warnings.ts';
import { type Assets, type CopilotEvent, callIdOf } from './event.ts';
import { checkpointOf, compactedEpoch, readAnswer, readNotice, readResult, readUser } from './messages.ts';

/** What the conversations of a file have in common. */
export interface SharedState {
  readonly warnings: WarningList;
  readonly skips: SkipCounter;
  readonly assets: Assets;
  /** The tool of each call, and the conversation that made it. */
  readonly calls: Map<string, { readonly tool: string; readonly by: string }>;
  /** Number of tool results that were reported without content. */
  withoutContent: number;
}

/** One conversation of a file: the main one, or that of a sub-agent. */
export interface ConversationReader {
  readonly take: (of: { readonly event: CopilotEvent; readonly at: number; readonly line: number }) => Generator<Entry>;
}

/**
 * Makes the log of one conversation from its events.
 *
 * @example
 * const main = createConversation({ key, weaver, author: 'human', common });
 * for (const entry of main.take({ event, at, line })) { … }
 */
export function createConversationReader({
  key,
  builder,
  author,
  common,
}: {
  readonly key: string;
  readonly builder: LogBuilder;
  /** Who speaks in the user's role where an event does not say. */
  readonly author: Origin;
  readonly common: SharedState;
}): ConversationReader {
  const { skips, assets, calls } = common;
  const recorder = createSessionRecorder({ builder, provider, at: 0 });
  const { append: put } = recorder;
  const usage = createUsageReader();
  /** Where the conversation stood before each event. */
  const places = new Map<string, RecorderState>();
  /** What the user asked for: compactions quote it. */
  const asked = new Set<EntryId>();
  let notices: { readonly event?: string; readonly message?: string } = {};
  let answer: EntryId | undefined;
  let reasoning: string | undefined;
  let begun: { readonly leaf: EntryId | null; readonly data: JsonObject } | undefined;
  let place = recorder.state;
  let line = 0;
  return {
    *take(of) {
      recorder.at = of.at;
      line = of.line;
      if (place.leaf !== builder.leaf) place = recorder.state;
      places.set(of.event.id, place);
      yield* entriesOf(of.event);
    },
  };

  function* entriesOf(event: CopilotEvent): Generator<Entry> {
    const { kind, data } = event;
    switch (kind) {
      case 'session.start':
      case 'session.resume':
        return yield* started(event);
      case 'session.model_change':
        return yield* recorder.setModel({ name: data.newModel, effort: data.reasoningEffort });
      case 'subagent.started':
        // Logs that do not name the agent of an event tell it to the main conversation.
        return author === 'human'
          ? yield* aside(event)
          : yield* recorder.setModel({ name: data.model, effort: undefined });
      case 'system.message':
        if (!(yield* recorder.setSystemPrompt(data.content))) skips.skip('repeated system prompts');
        return;
      case 'user.message':
        return yield* asking(data);
      case 'system.notification':
        return yield* notified(data);
      case 'assistant.message':
        return yield* answered(data);
      case 'assistant.usage':
        return yield* used({ counted: usage.ofCall(data), target: answer });
      case 'tool.execution_complete':
        return yield* returned(data);
      case 'session.compaction_start':
        begun = { leaf: builder.leaf, data };
        return;
      case 'session.compaction_complete':
        return yield* compacted(data);
      case 'session.context_cleared':
        return yield* cleared(data);
      case 'session.snapshot_rewind':
        return yield* rewound(data);
      case 'session.title_changed':
        return yield* put({ type: 'session_info', info: { name: typeof data.title === 'string' ? data.title : '' } });
      default:
        return yield* aside(event);
    }
  }

  function* started({ kind, data }: CopilotEvent): Generator<Entry> {
    // VS Code begins a transcript again when a window is opened on it.
    if (places.size > 1 || kind === 'session.resume') yield* put(custom(kind, data));
    yield* recorder.setModel({ name: data.selectedModel, effort: data.reasoningEffort });
  }

  function* asking(data: JsonObject): Generator<Entry> {
    const draft = readUser({ data, author, assets });
    if (!draft) return yield* put(custom('user.message', data));
    const text = draft.message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (text === notices.event) return repeatedNotice();
    const isAsked = draft.message.parts.some(({ origin }) => origin === author);
    const id = yield* put(draft);
    if (isAsked) asked.add(id);
    else notices = { message: text };
  }

  function* notified(data: JsonObject): Generator<Entry> {
    const draft = readNotice(data);
    if (!draft) return yield* put(custom('system.notification', data));
    const text = safeString(data.content);
    if (text === notices.message) return repeatedNotice();
    notices = { event: text };
    yield* put(draft);
  }

  /** A notice that wakes the model is logged both as an event and as the message that it becomes. */
  function repeatedNotice(): void {
    notices = {};
    skips.skip('repeated notices');
  }

  function* answered(data: JsonObject): Generator<Entry> {
    const draft = readAnswer({ data, ...(reasoning !== undefined && { reasoning }) });
    reasoning = undefined;
    const model = typeof data.model === 'string' ? { provider, name: data.model } : recorder.state.model;
    if (draft) {
      for (const part of draft.message.parts) {
        if (part.type === 'tool_call') calls.set(part.id, { tool: part.name, by: key });
      }
      answer = yield* put({ ...draft, ...(model && { by: model }) });
    } else {
      yield* put(custom('assistant.message', data));
    }
    yield* used({ counted: usage.ofMessage(data), model, target: draft && answer });
  }

  function* returned(data: JsonObject): Generator<Entry> {
    const callId = callIdOf(data.toolCallId) ?? '';
    // A tool run by the user: no model called it, and no model receives its result.
    const isPersons = data.isUserRequested === true;
    const draft = isPersons ? undefined : readResult({ data, name: calls.get(callId)?.tool, assets });
    if (!draft && !isPersons) common.withoutContent += 1;
    yield* put(draft ?? custom('tool.execution_complete', data));
  }

  function* used(of: {
    readonly counted: Draft<UsageEntry> | undefined;
    readonly model?: ModelName | undefined;
    readonly target?: EntryId | undefined;
  }): Generator<Entry> {
    const { counted, model = recorder.state.model, target } = of;
    if (counted) yield* put({ ...counted, ...(model && { model }), ...(target !== undefined && { target }) });
  }

  /** Copilot compacts in the background: messages since the compaction began follow the summary. */
  function* compacted(data: JsonObject): Generator<Entry> {
    const { summaryContent: summary, success, preCompactionTokens: tokens, compactionTokensUsed: spent } = data;
    const trigger = data.trigger ?? begun?.data.trigger;
    const items = builder.items();
    const kept = keptOf({ items, covered: data.preCompactionMessagesLength });
    begun = undefined;
    yield* used({ counted: compactionUsage(spent) });
    if (success === false || typeof summary !== 'string' || summary === '') {
      return yield* put(custom('session.compaction_complete', data));
    }
    const [first] = kept;
    const rest = without(data, ['summaryContent', 'success', 'preCompactionTokens', 'compactionTokensUsed']);
    yield* put({
      type: 'compaction',
      summary,
      firstKeptId: first && 'entry' in first ? first.entry : null,
      tokensBefore: typeof tokens === 'number' && tokens >= 0 ? tokens : 0,
      trigger: typeof trigger === 'string' ? trigger : 'import',
      ...(rest && { details: { copilot: rest } }),
    });
    const isQuoted = (entry: EntryId) => entry === recorder.state.head || asked.has(entry);
    yield* put(compactedEpoch({ summary, items, kept, isQuoted }));
    const checkpoint = checkpointOf({ data, summary });
    if (checkpoint) yield* put(checkpoint);
  }

  /** Where the beginning of a compaction was not logged, it says how many messages it covers, the prompt not counted. */
  function keptOf(of: { readonly items: readonly EpochItem[]; readonly covered: Json | undefined }): EpochItem[] {
    const since = begun ? builder.keptFrom(builder.after(begun.leaf)) : of.items;
    const said = since.filter((item) => !('entry' in item) || item.entry !== recorder.state.head);
    if (begun) return said;
    return typeof of.covered === 'number' ? said.slice(Math.max(0, of.covered)) : [];
  }

  function* cleared(data: JsonObject): Generator<Entry> {
    const { head } = recorder.state;
    const list = head === undefined ? [] : [{ entry: head }];
    yield* put(custom('session.context_cleared', data));
    yield* put({ type: 'epoch', reason: 'clear', items: { list }, codec: codecVersion });
  }

  /** The event that is named, and all after it, never were. */
  function* rewound(data: JsonObject): Generator<Entry> {
    const target = typeof data.upToEventId === 'string' ? places.get(data.upToEventId) : undefined;
    if (!target) {
      common.warnings.add({
        code: 'missing-event',
        message: 'It goes back to an event that is not in the file.',
        line,
      });
      return yield* put(custom('session.snapshot_rewind', data));
    }
    begun = undefined;
    answer = undefined;
    yield* recorder.rewind(target);
  }

  function* aside({ kind, data }: CopilotEvent): Generator<Entry> {
    remember(kind, data);
    const use = useOf(kind);
    if (use === 'left-out') return skips.skip(`${kind} events`);
    yield* put(use === 'note' ? custom(kind, data) : { type: 'unknown', kind: `copilot:${kind}`, value: data });
  }

  /** What later events leave out because these have said it. */
  function remember(kind: string, data: JsonObject): void {
    if (kind === 'session.binary_asset') assets.remember(data);
    if (kind === 'assistant.reasoning' && typeof data.content === 'string') reasoning = data.content;
    if (kind !== 'tool.execution_start') return;
    const callId = callIdOf(data.toolCallId);
    if (callId === undefined || typeof data.toolName !== 'string' || calls.has(callId)) return;
    calls.set(callId, { tool: data.toolName, by: key });
  }
}

/** Copilot proxies the provider and does not name it. */
const provider = 'github-copilot';

function custom(kind: string, data: JsonObject): Draft {
  return { type: 'custom', customType: `copilot:${kind}`, data };
}

/** Reads what calls consumed; a call may be reported twice, on its message and in an event of its own. */
interface CopilotUsageReader {
  /** What a message says: the tokens that the model wrote, once a call. */
  readonly ofMessage: (data: JsonObject) => Draft<UsageEntry> | undefined;
  /** What the event of a call says beyond that. */
  readonly ofCall: (data: JsonObject) => Draft<UsageEntry> | undefined;
}

function createUsageReader(): CopilotUsageReader {
  let reported: { readonly call: Json | undefined; readonly output: number } | undefined;
  return {
    ofMessage(data) {
      const call = data.apiCallId ?? data.requestId;
      const output = amount(data.outputTokens);
      // One call may make several messages, each with the count of the call.
      if (output === 0 || (call !== undefined && reported?.call === call)) return undefined;
      reported = { call, output };
      const note = usageNote({ output });
      return note && { ...note, details: { copilot: { counted: 'output' } } };
    },
    ofCall(data) {
      const isReported = reported !== undefined && reported.output === amount(data.outputTokens);
      const isSame = isReported && (data.apiCallId === undefined || reported?.call === data.apiCallId);
      reported = undefined;
      return usageOf(isSame ? { ...data, outputTokens: 0 } : data);
    },
  };
}

function usageOf(counts: JsonObject): Draft<UsageEntry> | undefined {
  return usageNote({
    prompt: counts.inputTokens ?? counts.input ?? 0,
    cacheRead: counts.cacheReadTokens ?? counts.cacheRead ?? counts.cachedInput,
    cacheWrite: counts.cacheWriteTokens ?? counts.cacheWrite,
    output: counts.outputTokens ?? counts.output,
    reasoning: counts.reasoningTokens,
  });
}

/** The calls of a compaction are counted on its event. */
function compactionUsage(used: Json | undefined): Draft<UsageEntry> | undefined {
  const counted = isObject(used) ? usageOf(used) : undefined;
  return counted && { ...counted, purpose: 'compaction' };
}

/** Events that tell a screen how work goes on, and copies of what other events say. */
const shown: ReadonlySet<string> = new Set([
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.idle',
  'assistant.intent',
  'assistant.reasoning',
  'assistant.message_start',
  'assistant.server_tool_progress',
  'tool.execution_start',
  'tool.execution_progress',
  'tool.execution_partial_result',
  'skill.invoked',
  'session.idle',
  'session.info',
  'session.usage_info',
  'session.todos_changed',
  'session.background_tasks_changed',
  'session.tools_updated',
  'session.skills_loaded',
  'session.custom_agents_updated',
  'session.mcp_servers_loaded',
  'session.mcp_server_status_changed',
  'session.extensions_loaded',
  'pending_messages.modified',
  'commands.changed',
  'capabilities.changed',
]);

/** Families of them: `hook.start` holds a third copy of every result. */
const shownFamilies =
  /^(?:hook|permission|user_input|elicitation|sampling|mcp|command|external_tool|exit_plan_mode)\.|_delta$/;

/** Events whose information is nowhere else and that were not sent to a model. */
const informativeEvents: ReadonlySet<string> = new Set([
  'abort',
  'model.call_failure',
  'tool.user_requested',
  'subagent.started',
  'subagent.completed',
  'subagent.failed',
  'subagent.configured',
  'subagent.selected',
  'subagent.deselected',
  'session.error',
  'session.warning',
  'session.shutdown',
  'session.usage_checkpoint',
  'session.truncation',
  'session.mode_changed',
  'session.permissions_changed',
  'session.plan_changed',
  'session.context_changed',
  'session.workspace_file_changed',
  'session.handoff',
  'session.task_complete',
  'session.binary_asset',
]);

/** What becomes of an event that is no part of the conversation. */
function useOf(kind: string): 'left-out' | 'note' | 'unknown' {
  if (shown.has(kind) || shownFamilies.test(kind)) return 'left-out';
  return informativeEvents.has(kind) ? 'note' : 'unknown';
}
