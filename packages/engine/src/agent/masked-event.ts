import { type Mask, maskJsonText } from '../engine/index.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../json.ts';
import type { Part } from '../message/index.ts';
import type { AgentEvent } from './event.ts';

/**
 * An event without secrets. Events are derived from the log and go to logs, pipes and other programs. What the model
 * says (`text`, `thinking`, the text of `answer` and `run_end`) is what was asked for and stays as it is. A secret that is torn apart by two
 * `tool_output` events is masked in `tool_end` only.
 *
 * @example
 * maskedEvent({ event: { type: 'notice', text: 'DB_PASSWORD=hunter22' }, mask: createMask() });
 */
export function maskedEvent({ event, mask }: { readonly event: AgentEvent; readonly mask: Mask }): AgentEvent {
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
