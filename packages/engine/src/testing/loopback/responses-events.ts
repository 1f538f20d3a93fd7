import { isArray, isObject, type Json } from '../judge/json.ts';
import { pieces } from './reply.ts';

/** One output item as events, from `output_item.added` to `output_item.done`; the server numbers them. */
export function itemEvents({ item, output_index }: { item: Json; output_index: number }): Json[] {
  const added = { type: 'response.output_item.added', output_index, item: openOf(item) };
  const done = { type: 'response.output_item.done', output_index, item };
  return [added, ...insideOf({ item, output_index }), done];
}

function openOf(item: Json): Json {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'reasoning':
      return { ...item, summary: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return item;
  }
}

function insideOf({ item, output_index }: { item: Json; output_index: number }): Json[] {
  const at = { item_id: item.id, output_index };
  switch (item.type) {
    case 'message':
      return partsOf(item.content).flatMap((part, content_index) => partEvents({ part, at: { ...at, content_index } }));
    case 'reasoning':
      return partsOf(item.summary).flatMap((part, summary_index) =>
        summaryEvents({ part, at: { ...at, summary_index } }),
      );
    case 'function_call':
      return growing({
        ...{ text: String(item.arguments), size: 7, at, field: 'arguments', final: { name: item.name } },
        type: 'response.function_call_arguments',
      });
    case 'custom_tool_call':
      return growing({
        ...{ text: String(item.input), size: 7, at, field: 'input' },
        type: 'response.custom_tool_call_input',
      });
    default:
      return [];
  }
}

function partEvents({ part, at }: { part: Json; at: Json }): Json[] {
  const refusal = part.type === 'refusal';
  const field = refusal ? 'refusal' : 'text';
  const type = refusal ? 'response.refusal' : 'response.output_text';
  const logs = refusal ? {} : { logprobs: [] };
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, [field]: '' } },
    ...growing({ text: String(part[field]), size: 16, at: { ...at, ...logs }, field, type }),
    { type: 'response.content_part.done', ...at, part },
  ];
}

function summaryEvents({ part, at }: { part: Json; at: Json }): Json[] {
  const type = 'response.reasoning_summary_text';
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    ...growing({ text: String(part.text), size: 16, at, field: 'text', type }),
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ];
}

/** A text that arrives piece by piece (`.delta`) and then once more as a whole (`.done`). */
function growing({
  text,
  size,
  at,
  field,
  type,
  final = {},
}: {
  text: string;
  size: number;
  at: Json;
  field: string;
  type: string;
  final?: Json;
}): Json[] {
  return [
    ...pieces({ text, size }).map((delta) => ({ type: `${type}.delta`, ...at, delta })),
    { type: `${type}.done`, ...at, ...final, [field]: text },
  ];
}

function partsOf(value: unknown): Json[] {
  return isArray(value) ? value.filter(isObject) : [];
}
