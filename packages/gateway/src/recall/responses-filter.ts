import type { Json, JsonObject } from 'longhaul/message';
import { isRecord, listOf, parseJson } from '../json.ts';
import { type RoundFilter, recallName, type StreamEvent, sumCounts } from './filter.ts';

const openings: ReadonlySet<unknown> = new Set(['response.created', 'response.in_progress', 'response.queued']);
const endings: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);

/** The filter for OpenAI's Responses. */
export function createResponsesFilter(): RoundFilter {
  let id: Json | undefined;
  let [isFirst, next, sequence] = [true, 0, 0];
  let indexes = new Map<number, number>();
  let held: { readonly event: StreamEvent; readonly value: JsonObject } | undefined;
  const output: Json[] = [];
  const usages: JsonObject[] = [];

  /** An event with the next sequence number; as received where nothing is changed. */
  function numbered({
    event,
    value,
    changes = {},
  }: {
    readonly event: StreamEvent;
    readonly value: JsonObject;
    readonly changes?: JsonObject;
  }): StreamEvent {
    const { sequence_number: given } = value;
    const own = sequence;
    if (typeof given === 'number') sequence += 1;
    if ((typeof given !== 'number' || given === own) && Object.keys(changes).length === 0) return event;
    const number = typeof given === 'number' ? { sequence_number: own } : {};
    return { ...event, data: JSON.stringify({ ...value, ...changes, ...number }) };
  }

  return {
    event(event) {
      const value = parseJson(event.data);
      if (!isRecord(value)) return [event];
      const { type, output_index: index, item, response } = value;
      if (openings.has(type)) {
        if (isRecord(response)) id ??= response.id;
        return isFirst ? [numbered({ event, value })] : [];
      }
      if (endings.has(type)) {
        held = { event, value };
        return [];
      }
      if (typeof index !== 'number') return [numbered({ event, value })];
      if (type === 'response.output_item.added') {
        if (isRecall(item)) return [];
        indexes.set(index, next);
        next += 1;
      }
      const own = indexes.get(index);
      if (own === undefined) return [];
      if (type === 'response.output_item.done' && item !== undefined) output.push(item);
      return [numbered({ event, value, changes: own === index ? {} : { output_index: own } })];
    },
    nextRound() {
      if (held) usages.push(usageOf(held.value));
      held = undefined;
      indexes = new Map();
      isFirst = false;
      return [];
    },
    end() {
      if (!held) return [];
      const { event, value } = held;
      const { response } = value;
      if (!isRecord(response)) return [event];
      const isSame = isFirst && listOf(response.output).length === output.length;
      const merged = { ...response, output, ...(id !== undefined && { id }) };
      const usage = usages.length === 0 ? {} : { usage: sumCounts([...usages, usageOf(value)]) };
      return [numbered({ event, value, changes: isSame ? {} : { response: { ...merged, ...usage } } })];
    },
  };
}

/** The same for answers that are not streamed. The id is that of the last one, which a server can continue. */
export function mergeResponsesBodies(bodies: readonly JsonObject[]): JsonObject {
  return {
    ...bodies.at(-1),
    output: bodies.flatMap((body) => listOf(body.output)).filter((item) => !isRecall(item)),
    usage: sumCounts(bodies.map(({ usage }) => (isRecord(usage) ? usage : {}))),
  };
}

function isRecall(item: Json | undefined): boolean {
  return isRecord(item) && item.type === 'function_call' && item.name === recallName;
}

function usageOf({ response }: JsonObject): JsonObject {
  return isRecord(response) && isRecord(response.usage) ? response.usage : {};
}
