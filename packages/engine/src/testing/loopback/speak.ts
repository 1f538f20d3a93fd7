import type { Dialect } from '../judge/index.ts';
import { isArray, isObject, type Json } from '../judge/json.ts';
import type { Speech } from './reply.ts';
import { anthropicEvents, anthropicMessage, anthropicOpening } from './speak-anthropic.ts';
import { chatCompletion, chatEvents, chatOpening } from './speak-chat.ts';
import { geminiEvents, geminiResponse } from './speak-gemini.ts';
import {
  compacted,
  type Responded,
  respond,
  respondCompacted,
  responsesEvents,
  responsesFailing,
} from './speak-responses.ts';
import { event } from './sse.ts';
import type { Action } from './types.ts';
import type { WireError } from './wire-error.ts';

/** A reply as the dialect's JSON, and what Responses has to remember of it. */
export interface SpokenBody {
  body: Json;
  responded?: Responded;
}

export function speak({ dialect, action, speech }: { dialect: Dialect; action: Action; speech: Speech }): SpokenBody {
  switch (dialect) {
    case 'anthropic':
      return { body: anthropicMessage(speech) };
    case 'openai-chat':
      return { body: chatCompletion(speech) };
    case 'gemini':
      return { body: geminiResponse(speech) };
    case 'openai-responses': {
      if (action === 'compact') return { body: compacted(speech) };
      const responded = endsInTrigger(speech.body) ? respondCompacted(speech) : respond(speech);
      return { body: responded.response, responded };
    }
  }
}

/** The same reply as server-sent events. */
export function speakFrames({
  dialect,
  speech,
  spoken,
}: {
  dialect: Dialect;
  speech: Speech;
  spoken: SpokenBody;
}): string[] {
  switch (dialect) {
    case 'anthropic':
      return anthropicEvents(speech);
    case 'openai-chat':
      return chatEvents(speech);
    case 'gemini':
      return geminiEvents(speech);
    case 'openai-responses':
      return spoken.responded ? responsesEvents(spoken.responded) : [JSON.stringify(spoken.body)];
  }
}

/** A stream that begins well and then reports an error, as a stream can: its status was already sent. */
export function speakFailing({
  dialect,
  speech,
  error,
  body,
}: {
  dialect: Dialect;
  speech: Speech;
  error: WireError;
  /** The error as JSON text. */
  body: string;
}): string[] {
  switch (dialect) {
    case 'anthropic':
      return [...anthropicOpening(speech), event({ name: 'error', data: body })];
    case 'openai-chat':
      return [...chatOpening(speech), event({ data: body })];
    case 'gemini':
      return [...geminiEvents(speech).slice(0, 1), event({ data: body })];
    case 'openai-responses':
      return responsesFailing({ response: respond(speech).response, error: { ...error } });
  }
}

function endsInTrigger({ input }: Json): boolean {
  const last = isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === 'compaction_trigger';
}
