import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { type ContentPart, codecs, type Message, type Origin, type Part } from '../../message/index.ts';
import type { CustomMessageEntry, Draft } from '../../session/index.ts';
import { thinkingParts } from '../content-parts.ts';
import type { SkipCounter } from '../skip-counter.ts';
import type { WarningList } from '../warnings.ts';
import { callPart, contentParts, framed, idOf, imageParts, textOf } from './content.ts';

/** What an event of OpenHands is to the conversation, whichever version wrote it. */
export type OpenhandsEvent =
  /** A message of the user, the model or the system. */
  | { readonly kind: 'message'; readonly message: Message; readonly response?: string | undefined }
  /** Text that the program injected for the model. */
  | { readonly kind: 'injected'; readonly draft: Draft<CustomMessageEntry> }
  | Acted
  | Observed
  | Condensed
  /** A small fact that says nothing to the model. It may still count among the events of its view. */
  | { readonly kind: 'noted'; readonly name: string; readonly data: Json; readonly isInView?: true }
  /** Nothing to the model, and nothing worth keeping. It may still count among the events of its view. */
  | { readonly kind: 'left-out'; readonly what: string; readonly isInView?: true }
  | { readonly kind: 'unknown'; readonly name: string };

/** The model answered with calls. */
export interface Acted {
  readonly kind: 'acted';
  /** The model's response that this is, or is part of: several events may come from one. */
  readonly response: string | undefined;
  readonly parts: readonly Part[];
  /** Whether `parts` is all that the response said; otherwise the events that follow may add to it. */
  readonly isWhole: boolean;
  /** The call that this event is. */
  readonly call: string;
  readonly model?: string;
  /** In the shape of OpenAI's chat. */
  readonly usage?: Json | undefined;
}

/** What came of a call, or of a command that the user ran. */
export interface Observed {
  readonly kind: 'observed';
  readonly call: string | undefined;
  /** The event that caused it, where the call is not named. */
  readonly cause: string | undefined;
  readonly name?: string;
  readonly content: readonly ContentPart[];
  readonly isError?: true;
  /** What was in it that the model did not see. */
  readonly leftOut?: string;
}

/** Part of the history was forgotten, and maybe summarized. */
export interface Condensed {
  readonly kind: 'condensed';
  readonly forgets: (event: string) => boolean;
  readonly summary: string | undefined;
  /** How many events of the view stand before the summary; `undefined` where it is not shown. */
  readonly offset: number | undefined;
  /** Whether its summary replaces an earlier one or is added to it. */
  readonly replaces: boolean;
  readonly details: Json;
}

/** Where a reader says what it could not bring in. */
export interface ReadContext {
  readonly skips: SkipCounter;
  readonly warnings: WarningList;
}

/** Signals between the parts of the program, in actions and observations alike. */
const classicSignals: ReadonlySet<string> = new Set([
  'null',
  'change_agent_state',
  'agent_state_changed',
  'pause',
  'resume',
  'start',
  'stop',
  'streaming_chunk',
  'loop_detection',
  'loop_recovery',
]);

/** Members of an action that are not arguments of the model's call. */
const sideEvents = [
  ...['id', 'timestamp', 'source', 'message', 'action', 'tool_call_metadata', 'llm_metrics'],
  ...['thought', 'keep_prompt', 'is_confirmed', 'confirmation_state', 'action_risk', 'security_risk'],
  ...['kernel_init_code', 'blocking', 'is_static', 'hidden'],
];

/**
 * Reads events of OpenHands 0.x in order: actions and observations. In the oldest versions the arguments of an action
 * are members of the event itself, without id and source.
 *
 * @example
 * const read = createClassicReader();
 * const happenings = history.map(read);
 */
export function createClassicReader(): (event: JsonObject) => OpenhandsEvent {
  let calls = 0;
  /** What the event before was; the oldest events do not say who speaks, but people and the agent take turns. */
  let before: 'nothing' | 'agent spoke' | 'something' = 'nothing';
  return (event) => {
    const parsed = typeof event.observation === 'string' ? classicObserved(event, event.observation) : acted(event);
    const isAgents = parsed.kind === 'message' && parsed.message.role === 'assistant';
    before = isAgents ? 'agent spoke' : 'something';
    return parsed;
  };

  function acted(event: JsonObject): OpenhandsEvent {
    const name = textOf(event.action);
    const args = isObject(event.args) ? event.args : event;
    if (classicSignals.has(name)) return { kind: 'left-out', what: 'signals between parts of the program' };
    switch (name) {
      case '':
        return { kind: 'unknown', name: 'event' };
      case 'system':
        return {
          kind: 'message',
          message: { role: 'system', parts: contentParts({ content: args.content, origin: 'engine' }) },
        };
      case 'message':
        return said({ event, args });
      case 'recall':
        return { kind: 'left-out', what: 'searches for knowledge', isInView: true };
      case 'condensation':
        return classicCondensed(args);
      case 'condensation_request':
        return { kind: 'noted', name, data: without(args, ['thought']) ?? {} };
      default:
        return event.source === 'user' ? ranByUser({ name, args }) : called({ event, args, name });
    }
  }

  function said({ event, args }: { readonly event: JsonObject; readonly args: JsonObject }): OpenhandsEvent {
    const isUser = event.source === undefined ? before !== 'something' : event.source !== 'agent';
    const origin = !isUser ? 'model' : event.source === 'environment' ? 'engine' : 'human';
    const images = imageParts({ urls: args.image_urls ?? args.images_urls, origin });
    const parts = [...contentParts({ content: args.content, origin }), ...images];
    return { kind: 'message', message: { role: isUser ? 'user' : 'assistant', parts } };
  }

  function called(of: { readonly event: JsonObject; readonly args: JsonObject; readonly name: string }): Acted {
    const { event, args, name } = of;
    const metadata = isObject(event.tool_call_metadata) ? event.tool_call_metadata : {};
    const response = isObject(metadata.model_response) ? metadata.model_response : {};
    const parts = answerParts(response);
    calls += 1;
    const id = idOf(metadata.tool_call_id) ?? `call-${calls}`;
    const model = textOf(response.model);
    const shared = { ...(model !== '' && { model }), usage: response.usage };
    if (parts.some((part) => part.type === 'tool_call')) {
      return { kind: 'acted', response: idOf(response.id), parts, isWhole: true, call: id, ...shared };
    }
    const thought = isObject(args.thought) ? args.thought : { text: args.thought };
    const input = without(args, sideEvents) ?? {};
    const made: Part[] = [
      ...thinkingParts({ blocks: undefined, text: thought.reasoning_content }),
      ...contentParts({ content: thought.text, origin: 'model' }),
      callPart({ id, name: textOf(metadata.function_name) || name, input }),
    ];
    return { kind: 'acted', response: undefined, parts: made, isWhole: true, call: id, ...shared };
  }
}

/** What the model said in a response, with all its calls. */
function answerParts(response: JsonObject): Part[] {
  const [choice] = isArray(response.choices) ? response.choices : [];
  const message = isObject(choice) && isObject(choice.message) ? choice.message : {};
  const { content, tool_calls: calls, thinking_blocks: blocks, reasoning_content: text } = message;
  return [
    ...thinkingParts({ blocks, text }),
    ...contentParts({ content, origin: 'model' }),
    ...(isArray(calls) ? calls : []).flatMap((call) => {
      if (!isObject(call) || !isObject(call.function)) return [];
      const [id, name] = [idOf(call.id), textOf(call.function.name)];
      return id === undefined ? [] : [callPart({ id, name, input: call.function.arguments ?? {} })];
    }),
  ];
}

function ranByUser({ name, args }: { readonly name: string; readonly args: JsonObject }): OpenhandsEvent {
  const command = textOf(args.command);
  if (name !== 'run' || command === '') return { kind: 'left-out', what: 'actions of the user', isInView: true };
  const parts: Part[] = [
    { type: 'text', origin: 'engine', text: 'User executed the command:\n' },
    { type: 'text', origin: 'human', text: command },
  ];
  return { kind: 'message', message: { role: 'user', parts } };
}

function classicObserved(event: JsonObject, name: string): OpenhandsEvent {
  const extras = isObject(event.extras) ? event.extras : event;
  if (classicSignals.has(name)) return { kind: 'left-out', what: 'signals between parts of the program' };
  if (name === 'recall') return recalled({ extras, content: event.content });
  const metadata = isObject(event.tool_call_metadata) ? event.tool_call_metadata : {};
  const outputs = isObject(extras.outputs) ? extras.outputs : {};
  const text = name === 'delegate' ? (outputs.content ?? event.content) : event.content;
  const content = [
    ...contentParts({ content: text, origin: 'tool' }),
    ...imageParts({ urls: extras.image_urls, origin: 'tool' }),
  ];
  const tool = textOf(metadata.function_name);
  return {
    kind: 'observed',
    call: idOf(metadata.tool_call_id),
    cause: idOf(event.cause),
    ...(tool !== '' && { name: tool }),
    content: [...framed({ content, metadata: extras.metadata }), ...remarks(name)],
    ...((name === 'error' || name === 'user_rejected') && { isError: true }),
    ...(textOf(extras.screenshot) !== '' && { leftOut: 'screenshots' }),
  };
}

/** What the program adds to results that are none. */
function remarks(name: string): ContentPart[] {
  const texts: { readonly [name: string]: string } = {
    error: '\n[Error occurred in processing last action]',
    user_rejected: '\n[Last action has been rejected by the user]',
  };
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
  return text === undefined ? [] : [{ type: 'text', origin: 'engine', text }];
}

/** What the program knows about the workspace and the words of the user, shown to the model after them. */
function recalled({
  extras,
  content,
}: {
  readonly extras: JsonObject;
  readonly content: Json | undefined;
}): OpenhandsEvent {
  const shared = ['repo_instructions', 'conversation_instructions', 'additional_agent_instructions'];
  const knowledge = isArray(extras.microagent_knowledge) ? extras.microagent_knowledge : [];
  const known = knowledge.flatMap((item) => (isObject(item) ? [item.content] : []));
  const texts = [...shared.map((key) => extras[key]), ...known];
  const parts = texts.flatMap((text) => contentParts({ content: text, origin: 'engine' }));
  const rest = { content, ...without(extras, [...shared, 'microagent_knowledge']) };
  if (parts.length === 0) return { kind: 'noted', name: 'recall', data: rest, isInView: true };
  const details = { openhands: rest };
  return {
    kind: 'injected',
    draft: { type: 'custom_message', customType: 'openhands:recall', parts, display: false, details },
  };
}

function classicCondensed(args: JsonObject): Condensed {
  const { forgotten_event_ids: ids, forgotten_events_start_id: first, forgotten_events_end_id: last } = args;
  const named = new Set((isArray(ids) ? ids : []).map((id) => idOf(id) ?? ''));
  const isBetween = (id: number) => typeof first === 'number' && typeof last === 'number' && id >= first && id <= last;
  return {
    kind: 'condensed',
    forgets: (event) => named.has(event) || isBetween(Number(event)),
    summary: typeof args.summary === 'string' ? args.summary : undefined,
    offset: typeof args.summary_offset === 'number' ? args.summary_offset : Number.POSITIVE_INFINITY,
    replaces: true,
    details: { openhands: without(args, ['summary', 'thought']) ?? {} } as Json,
  };
}

/** Events between the parts of the program, never sent to a model. */
const sdkSignals: ReadonlySet<string> = new Set([
  'ConversationStateUpdateEvent',
  'HookExecutionEvent',
  'InterruptEvent',
  'LLMCompletionLogEvent',
  'PauseEvent',
  'StreamingDeltaEvent',
  'TokenEvent',
]);

/** Reads an event of the OpenHands software-agent-sdk (1.x), whose class is in `kind`. */
export function readSdkEvent(event: JsonObject): OpenhandsEvent {
  const kind = textOf(event.kind);
  if (sdkSignals.has(kind)) return { kind: 'left-out', what: 'signals between parts of the program' };
  switch (kind) {
    case 'SystemPromptEvent':
      return instructed(event);
    case 'MessageEvent':
      return said(event);
    case 'ActionEvent':
      return acted(event);
    case 'ObservationEvent':
      return sdkObserved(event);
    case 'UserRejectObservation':
      return { ...answered(event), content: rejection(event), isError: true };
    case 'AgentErrorEvent':
      return { ...answered(event), content: contentParts({ content: event.error, origin: 'engine' }), isError: true };
    case 'Condensation':
      return sdkCondensed(event);
    case 'CondensationSummaryEvent':
      return {
        kind: 'message',
        message: { role: 'user', parts: contentParts({ content: event.summary, origin: 'engine' }) },
      };
    case 'CondensationRequest':
    case 'ConversationErrorEvent':
      return {
        kind: 'noted',
        name: kind,
        data: without(event, ['kind', 'id', 'timestamp', 'source', 'parent_id']) ?? {},
      };
    default:
      return { kind: 'unknown', name: kind };
  }
}

function instructed(event: JsonObject): OpenhandsEvent {
  const blocks = [event.system_prompt, event.dynamic_context].filter((block) => isObject(block));
  return { kind: 'message', message: { role: 'system', parts: contentParts({ content: blocks, origin: 'engine' }) } };
}

function said(event: JsonObject): OpenhandsEvent {
  const sent = isObject(event.llm_message) ? event.llm_message : {};
  const isAnswer = sent.role === 'assistant';
  const origin: Origin = isAnswer ? 'model' : event.source === 'user' ? 'human' : 'engine';
  const parts = [
    ...(isAnswer ? reasoning(sent) : []),
    ...contentParts({ content: sent.content, origin }),
    // Skills and the like, which the words of the user called up.
    ...contentParts({ content: event.extended_content, origin: 'engine' }),
  ];
  const message = { role: isAnswer ? 'assistant' : 'user', parts } as const;
  return { kind: 'message', message, response: idOf(event.llm_response_id) };
}

function acted(event: JsonObject): Acted {
  const call = isObject(event.tool_call) ? event.tool_call : {};
  const id = idOf(call.id) ?? idOf(event.tool_call_id) ?? '';
  const name = textOf(call.name) || textOf(event.tool_name);
  const input = call.arguments ?? (isObject(event.action) ? (without(event.action, ['kind']) ?? {}) : {});
  const parts = [
    ...reasoning(event),
    ...contentParts({ content: event.thought, origin: 'model' }),
    callPart({ id, name, input }),
  ];
  return { kind: 'acted', response: idOf(event.llm_response_id), parts, isWhole: false, call: id };
}

/** Reasoning in whatever form the provider gave it. */
function reasoning(said: JsonObject): Part[] {
  const item = said.responses_reasoning_item;
  const parts = thinkingParts({ blocks: said.thinking_blocks, text: said.reasoning_content });
  if (!isObject(item)) return parts;
  const summary = (isArray(item.summary) ? item.summary : []).map((text) => ({ type: 'summary_text', text }));
  const { id, encrypted_content: encrypted } = item;
  const sealed = { type: 'reasoning', id, summary, ...(encrypted !== undefined && { encrypted_content: encrypted }) };
  return [...(codecs['openai-responses'].decode([sealed])[0]?.parts ?? [])];
}

function answered(event: JsonObject): Omit<Observed, 'content'> {
  const name = textOf(event.tool_name);
  const [call, cause] = [idOf(event.tool_call_id), idOf(event.action_id)];
  return { kind: 'observed', call, cause, ...(name !== '' && { name }) };
}

function sdkObserved(event: JsonObject): Observed {
  const { content, output, metadata, is_error: isError } = isObject(event.observation) ? event.observation : {};
  const returned = contentParts({ content: content ?? output, origin: 'tool' });
  const added = contentParts({ content: event.extended_content, origin: 'engine' });
  return {
    ...answered(event),
    content: [...framed({ content: returned, metadata }), ...added],
    ...(isError === true && { isError: true }),
  };
}

/** The reason is human text, unless a hook rejected the call or no reason was given. */
function rejection(event: JsonObject): ContentPart[] {
  const reason = textOf(event.rejection_reason);
  const isTyped = event.rejection_source !== 'hook' && reason !== 'User rejected the action';
  return [
    { type: 'text', origin: 'engine', text: 'Action rejected: ' },
    ...contentParts({ content: reason, origin: isTyped ? 'human' : 'engine' }),
  ];
}

function sdkCondensed(event: JsonObject): Condensed {
  const { forgotten_event_ids: ids, summary, summary_offset: offset } = event;
  const forgotten = new Set((isArray(ids) ? ids : []).map((id) => idOf(id) ?? ''));
  return {
    kind: 'condensed',
    forgets: (id) => forgotten.has(id),
    summary: typeof summary === 'string' ? summary : undefined,
    offset: typeof offset === 'number' ? offset : undefined,
    replaces: false,
    details: { openhands: { forgotten_event_ids: [...forgotten], summary_offset: offset ?? null } },
  };
}
