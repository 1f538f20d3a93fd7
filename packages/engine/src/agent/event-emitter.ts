import type { Mask } from '../engine/index.ts';
import { maskJsonText } from '../engine/internal.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../json.ts';
import type { Part } from '../message/index.ts';
import type { AgentEvent, EventSource } from './event.ts';
import type { AsyncQueue } from './loop/async-queue.ts';

export type AgentListener = (event: AgentEvent, from: EventSource) => void;

/** Delivers events to the reader of the current run and to all listeners. */
export class AgentEventEmitter {
  readonly #listeners = new Set<AgentListener>();
  readonly #session: string;
  /** Queue of the current run. */
  runQueue: AsyncQueue<AgentEvent> | undefined;

  readonly #mask: Mask;

  constructor({ session, mask }: { readonly session: string; readonly mask: Mask }) {
    this.#session = session;
    this.#mask = mask;
  }

  emit(written: AgentEvent): void {
    const event = maskedEvent({ event: written, mask: this.#mask });
    this.runQueue?.push(event);
    // `run_end` is the last event of a run.
    if (event.type === 'run_end') this.runQueue = undefined;
    this.forward({ event, from: { session: this.#session } });
  }

  /** Forwards an event of a sub-agent. */
  forward({ event, from }: { readonly event: AgentEvent; readonly from: EventSource }): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, from);
      } catch {
        // Listener errors must not affect the run.
      }
    }
  }

  on(listener: AgentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/**
 * An event without secrets. Events are derived from the log and go to logs, pipes and other programs. Output of the
 * model (`text`, `thinking`, the text of `answer` and `run_end`) stays unchanged. A secret that is split across two
 * `tool_output` events is masked in `tool_end` only.
 *
 * @example
 * maskedEvent({ event: { type: 'notice', text: 'DB_PASSWORD=hunter22' }, mask: createMask() });
 */
function maskedEvent({ event, mask }: { readonly event: AgentEvent; readonly mask: Mask }): AgentEvent {
  switch (event.type) {
    case 'tool_start':
      return { ...event, input: maskedObject({ value: event.input, mask }), summary: mask(event.summary) };
    case 'tool_output':
    case 'said':
    case 'notice':
      return { ...event, text: mask(event.text) };
    case 'tool_end': {
      const { details } = event;
      const masked = { ...event, text: mask(event.text) };
      return details === undefined ? masked : { ...masked, details: maskedJson({ value: details, mask }) };
    }
    case 'subagent_start':
    case 'subagent_end':
      return { ...event, task: mask(event.task) };
    case 'permission': {
      const { request } = event;
      const { access } = request;
      const input = maskedObject({ value: request.input, mask });
      const seen = access.kind === 'execute' ? { ...access, command: mask(access.command) } : access;
      return { ...event, request: { ...request, access: seen, input, summary: mask(request.summary) } };
    }
    case 'answer':
      return { ...event, message: { ...event.message, parts: event.message.parts.map(withMaskedArguments) } };
    default:
      return event;
  }

  function withMaskedArguments(part: Part): Part {
    return part.type === 'tool_call' ? { ...part, arguments: maskJsonText({ written: part.arguments, mask }) } : part;
  }
}

function maskedJson({ value, mask }: { readonly value: Json; readonly mask: Mask }): Json {
  const written = JSON.stringify(value);
  const masked = maskJsonText({ written, mask });
  return masked === written ? value : (parseJson(masked) ?? value);
}

function maskedObject({ value, mask }: { readonly value: JsonObject; readonly mask: Mask }): JsonObject {
  const masked = maskedJson({ value, mask });
  return isObject(masked) ? masked : value;
}
