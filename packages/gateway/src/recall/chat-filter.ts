import type { JsonObject } from 'longhaul/message';
import { isRecord, listOf, parseJson } from '../json.ts';
import { type RoundFilter, recallName, type StreamEvent, sumCounts } from './filter.ts';

/** The filter for OpenAI's Chat Completions. */
export function createChatFilter(): RoundFilter {
  let id: JsonObject[string] | undefined;
  let next = 0;
  let indexes = new Map<number, number>();
  let held: StreamEvent[] = [];
  let usage: JsonObject | undefined;
  const earlier: JsonObject[] = [];

  /** The delta with the calls that the client may see, under its own indexes. */
  function visible(delta: JsonObject): JsonObject {
    if (delta.tool_calls === undefined || delta.tool_calls === null) return delta;
    const calls = listOf(delta.tool_calls)
      .filter(isRecord)
      .flatMap((call): JsonObject[] => {
        const { index, function: made } = call;
        if (typeof index !== 'number') return [call];
        if (isRecord(made) && typeof made.name === 'string' && made.name !== '' && made.name !== recallName) {
          if (!indexes.has(index)) {
            indexes.set(index, next);
            next += 1;
          }
        }
        const own = indexes.get(index);
        return own === undefined ? [] : [{ ...call, index: own }];
      });
    const { tool_calls: _, ...rest } = delta;
    return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
  }

  return {
    event(event) {
      const value = parseJson(event.data);
      if (!isRecord(value)) {
        held.push(event);
        return [];
      }
      id ??= value.id;
      const [choice] = listOf(value.choices);
      if (isRecord(value.usage)) usage = value.usage;
      if (!isRecord(choice)) {
        // The counts come in a chunk of their own, after the end.
        if (value.usage === undefined || value.usage === null) return [event];
        held.push(event);
        return [];
      }
      const given = isRecord(choice.delta) ? choice.delta : {};
      const delta = visible(given);
      const isChanged = delta !== given || (earlier.length > 0 && id !== undefined);
      const data = isChanged
        ? JSON.stringify({ ...value, ...(id !== undefined && { id }), choices: [{ ...choice, delta }] })
        : event.data;
      if (typeof choice.finish_reason === 'string') {
        held.push({ ...event, data });
        return [];
      }
      const isEmpty = delta !== given && !Object.keys(delta).some((name) => name !== 'role' && delta[name] !== null);
      return isEmpty ? [] : [{ ...event, data }];
    },
    nextRound() {
      if (usage) earlier.push(usage);
      held = [];
      indexes = new Map();
      usage = undefined;
      return [];
    },
    end() {
      return held.map((event) => {
        const value = parseJson(event.data);
        if (!isRecord(value)) return event;
        const [choice] = listOf(value.choices);
        const isStray = isRecord(choice) && choice.finish_reason === 'tool_calls' && next === 0;
        const hasCounts = earlier.length > 0 && isRecord(value.usage);
        if (!isStray && !hasCounts) return event;
        return {
          ...event,
          data: JSON.stringify({
            ...value,
            ...(isStray && { choices: [{ ...choice, finish_reason: 'stop' }] }),
            ...(hasCounts && { id: id ?? null, usage: sumCounts([...earlier, usage ?? {}]) }),
          }),
        };
      });
    },
  };
}

/** The same for answers that are not streamed. */
export function mergeChatBodies(bodies: readonly JsonObject[]): JsonObject {
  const [first = {}] = bodies;
  const last = bodies.at(-1) ?? {};
  const messages = bodies.map((body) => {
    const [choice] = listOf(body.choices);
    return isRecord(choice) && isRecord(choice.message) ? choice.message : {};
  });
  const text = (name: string) => messages.map((message) => message[name]).filter((each) => typeof each === 'string');
  const calls = messages
    .flatMap((message) => listOf(message.tool_calls).filter(isRecord))
    .filter((call) => !isRecord(call.function) || call.function.name !== recallName);
  const { tool_calls: _, ...message } = messages.at(-1) ?? {};
  const [choice] = listOf(last.choices);
  const reasoning = text('reasoning_content').join('');
  const finish = isRecord(choice) ? choice.finish_reason : null;
  return {
    ...last,
    ...(first.id !== undefined && { id: first.id }),
    choices: [
      {
        ...(isRecord(choice) && choice),
        message: {
          ...message,
          content: text('content').length > 0 ? text('content').join('') : null,
          ...(reasoning !== '' && { reasoning_content: reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finish === 'tool_calls' && calls.length === 0 ? 'stop' : (finish ?? null),
      },
    ],
    usage: sumCounts(bodies.map(({ usage }) => (isRecord(usage) ? usage : {}))),
  };
}
