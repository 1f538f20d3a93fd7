import type { Json, JsonObject } from 'longhaul/message';
import { isRecord, listOf, parseJson } from '../json.ts';
import { type RoundFilter, recallName, type StreamEvent, sumCounts } from './filter.ts';

/** The filter for Gemini. */
export function createGeminiFilter(): RoundFilter {
  let id: Json | undefined;
  let held: { readonly event: StreamEvent; readonly value: JsonObject } | undefined;
  let usage: JsonObject = {};
  const earlier: JsonObject[] = [];

  /** A chunk with what the client may see. */
  function shown({
    event,
    value,
    isEnd,
  }: {
    readonly event: StreamEvent;
    readonly value: JsonObject;
    readonly isEnd: boolean;
  }): StreamEvent[] {
    const [candidate] = listOf(value.candidates);
    if (!isRecord(candidate)) return [event];
    const visible = withoutRecall(candidate);
    const isChanged = visible !== candidate;
    if (!isEnd && isChanged && partsOf(visible).length === 0) return [];
    const { finishReason, ...unfinished } = visible;
    const isCut = !isEnd && finishReason !== undefined;
    const isLater = earlier.length > 0;
    if (!isChanged && !isCut && !isLater) return [event];
    const changes = {
      candidates: [isCut ? unfinished : visible],
      ...(isLater && id !== undefined && { responseId: id }),
      ...(isLater && isEnd && { usageMetadata: sumCounts([...earlier, usage]) }),
    };
    return [{ ...event, data: JSON.stringify({ ...value, ...changes }) }];
  }

  return {
    event(event) {
      const value = parseJson(event.data);
      if (!isRecord(value)) return [event];
      id ??= value.responseId;
      if (isRecord(value.usageMetadata)) usage = value.usageMetadata;
      const [candidate] = listOf(value.candidates);
      if (!isRecord(candidate) || candidate.finishReason === undefined) return shown({ event, value, isEnd: false });
      held = { event, value };
      return [];
    },
    nextRound() {
      const rest = held ? shown({ ...held, isEnd: false }) : [];
      earlier.push(usage);
      held = undefined;
      usage = {};
      return rest;
    },
    end: () => (held ? shown({ ...held, isEnd: true }) : []),
  };
}

/** The same for answers that are not streamed. */
export function mergeGeminiBodies(bodies: readonly JsonObject[]): JsonObject {
  const [first = {}] = bodies;
  const last = bodies.at(-1) ?? {};
  const candidates = bodies.map((body) => {
    const [candidate] = listOf(body.candidates);
    return isRecord(candidate) ? withoutRecall(candidate) : {};
  });
  const end = candidates.at(-1) ?? {};
  const content = isRecord(end.content) ? end.content : { role: 'model' };
  return {
    ...last,
    ...(first.responseId !== undefined && { responseId: first.responseId }),
    candidates: [{ ...end, content: { ...content, parts: candidates.flatMap(partsOf) } }],
    usageMetadata: sumCounts(bodies.map(({ usageMetadata }) => (isRecord(usageMetadata) ? usageMetadata : {}))),
  };
}

function partsOf({ content }: JsonObject): readonly Json[] {
  return isRecord(content) ? listOf(content.parts) : [];
}

/** The candidate itself where it has no such call. */
function withoutRecall(candidate: JsonObject): JsonObject {
  const parts = partsOf(candidate);
  const kept = parts.filter(
    (part) => !isRecord(part) || !isRecord(part.functionCall) || part.functionCall.name !== recallName,
  );
  if (kept.length === parts.length || !isRecord(candidate.content)) return candidate;
  return { ...candidate, content: { ...candidate.content, parts: kept } };
}
