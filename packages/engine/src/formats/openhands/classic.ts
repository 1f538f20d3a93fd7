import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { ContentPart, Part } from '../../message/index.ts';
import { thinkingParts } from '../thinking-parts.ts';
import { callPart, contentParts, idOf, imageParts, textOf } from './content.ts';
import type { Acted, Condensed, Happening } from './event.ts';
import { framed } from './frame.ts';

/** Signals between the parts of the program, in actions and observations alike. */
const signals: ReadonlySet<string> = new Set([
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
const aside = [
  ...['id', 'timestamp', 'source', 'message', 'action', 'tool_call_metadata', 'llm_metrics'],
  ...['thought', 'keep_prompt', 'is_confirmed', 'confirmation_state', 'action_risk', 'security_risk'],
  ...['kernel_init_code', 'blocking', 'is_static', 'hidden'],
];

/**
 * Reads events of OpenHands up to version 0.x one after the other: actions and observations. In the oldest ones what an
 * action says stands in the event itself, without id and source.
 *
 * @example
 * const read = createClassicReader();
 * const happenings = history.map(read);
 */
export function createClassicReader(): (event: JsonObject) => Happening {
  let calls = 0;
  /** What the event before was; the oldest events do not say who speaks, but people and the agent take turns. */
  let before: 'nothing' | 'agent spoke' | 'something' = 'nothing';
  return (event) => {
    const happening = typeof event.observation === 'string' ? observed(event, event.observation) : acted(event);
    const isAgents = happening.kind === 'said' && happening.message.role === 'assistant';
    before = isAgents ? 'agent spoke' : 'something';
    return happening;
  };

  function acted(event: JsonObject): Happening {
    const name = textOf(event.action);
    const args = isObject(event.args) ? event.args : event;
    if (signals.has(name)) return { kind: 'left-out', what: 'signals between parts of the program' };
    switch (name) {
      case '':
        return { kind: 'unknown', name: 'event' };
      case 'system':
        return {
          kind: 'said',
          message: { role: 'system', parts: contentParts({ content: args.content, origin: 'engine' }) },
        };
      case 'message':
        return said({ event, args });
      case 'recall':
        return { kind: 'left-out', what: 'searches for knowledge', isInView: true };
      case 'condensation':
        return condensed(args);
      case 'condensation_request':
        return { kind: 'noted', name, data: without(args, ['thought']) ?? {} };
      default:
        return event.source === 'user' ? ranByUser({ name, args }) : called({ event, args, name });
    }
  }

  function said({ event, args }: { readonly event: JsonObject; readonly args: JsonObject }): Happening {
    const isUser = event.source === undefined ? before !== 'something' : event.source !== 'agent';
    const origin = !isUser ? 'model' : event.source === 'environment' ? 'engine' : 'human';
    const images = imageParts({ urls: args.image_urls ?? args.images_urls, origin });
    const parts = [...contentParts({ content: args.content, origin }), ...images];
    return { kind: 'said', message: { role: isUser ? 'user' : 'assistant', parts } };
  }

  function called(of: { readonly event: JsonObject; readonly args: JsonObject; readonly name: string }): Acted {
    const { event, args, name } = of;
    const metadata = isObject(event.tool_call_metadata) ? event.tool_call_metadata : {};
    const response = isObject(metadata.model_response) ? metadata.model_response : {};
    const parts = answerParts(response);
    calls += 1;
    const id = idOf(metadata.tool_call_id) ?? `call-${calls}`;
    const model = textOf(response.model);
    const told = { ...(model !== '' && { model }), usage: response.usage };
    if (parts.some((part) => part.type === 'tool_call')) {
      return { kind: 'acted', response: idOf(response.id), parts, isWhole: true, call: id, ...told };
    }
    const thought = isObject(args.thought) ? args.thought : { text: args.thought };
    const input = without(args, aside) ?? {};
    const made: Part[] = [
      ...thinkingParts({ blocks: undefined, text: thought.reasoning_content }),
      ...contentParts({ content: thought.text, origin: 'model' }),
      callPart({ id, name: textOf(metadata.function_name) || name, input }),
    ];
    return { kind: 'acted', response: undefined, parts: made, isWhole: true, call: id, ...told };
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

function ranByUser({ name, args }: { readonly name: string; readonly args: JsonObject }): Happening {
  const command = textOf(args.command);
  if (name !== 'run' || command === '') return { kind: 'left-out', what: 'actions of the user', isInView: true };
  const parts: Part[] = [
    { type: 'text', origin: 'engine', text: 'User executed the command:\n' },
    { type: 'text', origin: 'human', text: command },
  ];
  return { kind: 'said', message: { role: 'user', parts } };
}

function observed(event: JsonObject, name: string): Happening {
  const extras = isObject(event.extras) ? event.extras : event;
  if (signals.has(name)) return { kind: 'left-out', what: 'signals between parts of the program' };
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
function recalled({ extras, content }: { readonly extras: JsonObject; readonly content: Json | undefined }): Happening {
  const told = ['repo_instructions', 'conversation_instructions', 'additional_agent_instructions'];
  const knowledge = isArray(extras.microagent_knowledge) ? extras.microagent_knowledge : [];
  const known = knowledge.flatMap((item) => (isObject(item) ? [item.content] : []));
  const texts = [...told.map((key) => extras[key]), ...known];
  const parts = texts.flatMap((text) => contentParts({ content: text, origin: 'engine' }));
  const rest = { content, ...without(extras, [...told, 'microagent_knowledge']) };
  if (parts.length === 0) return { kind: 'noted', name: 'recall', data: rest, isInView: true };
  const details = { openhands: rest };
  return {
    kind: 'told',
    draft: { type: 'custom_message', customType: 'openhands:recall', parts, display: false, details },
  };
}

function condensed(args: JsonObject): Condensed {
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
