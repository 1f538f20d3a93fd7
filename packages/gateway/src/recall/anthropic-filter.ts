import type { JsonObject } from 'longhaul/message';
import { isRecord, parseJson } from '../json.ts';
import { type RoundFilter, recallName, type StreamEvent, sumCounts } from './filter.ts';

/** The filter for Anthropic's Messages. */
export function createAnthropicFilter(): RoundFilter {
  let [isStarted, next, hasCalls] = [false, 0, false];
  /** The client's index of each block of this round; blocks without one are hidden. */
  let indexes = new Map<number, number>();
  let held: StreamEvent[] = [];
  /** Usage of this round, and of those before it. */
  let usage: JsonObject = {};
  const earlier: JsonObject[] = [];

  function block({ event, value }: { readonly event: StreamEvent; readonly value: JsonObject }): StreamEvent[] {
    const { type, index, content_block: started } = value;
    if (typeof index !== 'number') return [event];
    if (type === 'content_block_start' && isRecord(started)) {
      if (started.type === 'tool_use' && started.name === recallName) return [];
      hasCalls ||= started.type === 'tool_use';
      indexes.set(index, next);
      next += 1;
    }
    const own = indexes.get(index);
    if (own === undefined) return [];
    return own === index ? [event] : [{ ...event, data: JSON.stringify({ ...value, index: own }) }];
  }

  return {
    event(event) {
      const value = parseJson(event.data);
      if (!isRecord(value)) return [event];
      switch (value.type) {
        case 'message_start': {
          const { message } = value;
          usage = isRecord(message) && isRecord(message.usage) ? message.usage : {};
          if (isStarted) return [];
          isStarted = true;
          return [event];
        }
        case 'message_delta':
          if (isRecord(value.usage)) usage = { ...usage, ...value.usage };
          held.push(event);
          return [];
        case 'message_stop':
          held.push(event);
          return [];
        default:
          return block({ event, value });
      }
    },
    nextRound() {
      earlier.push(usage);
      held = [];
      indexes = new Map();
      usage = {};
      // The next round takes a while to begin.
      return [{ event: 'ping', data: '{"type":"ping"}' }];
    },
    end() {
      return held.map((event) => {
        const value = parseJson(event.data);
        if (!isRecord(value) || value.type !== 'message_delta') return event;
        const { delta } = value;
        const isStray = isRecord(delta) && delta.stop_reason === 'tool_use' && !hasCalls;
        if (earlier.length === 0 && !isStray) return event;
        return {
          ...event,
          data: JSON.stringify({
            ...value,
            ...(isStray && { delta: { ...delta, stop_reason: 'end_turn' } }),
            ...(earlier.length > 0 && { usage: sumCounts([...earlier, usage]) }),
          }),
        };
      });
    },
  };
}

/** The same for answers that are not streamed: one body made of those of all rounds. */
export function mergeAnthropicBodies(bodies: readonly JsonObject[]): JsonObject {
  const [first = {}] = bodies;
  const last = bodies.at(-1) ?? {};
  const content = bodies
    .flatMap((body) => (Array.isArray(body.content) ? (body.content as readonly JsonObject[]) : []))
    .filter((part) => part.type !== 'tool_use' || part.name !== recallName);
  const isStray = last.stop_reason === 'tool_use' && !content.some(({ type }) => type === 'tool_use');
  return {
    ...last,
    ...(first.id !== undefined && { id: first.id }),
    content,
    ...(isStray && { stop_reason: 'end_turn' }),
    usage: sumCounts(bodies.map(({ usage }) => (isRecord(usage) ? usage : {}))),
  };
}
