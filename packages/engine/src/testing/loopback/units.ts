import { hash } from 'node:crypto';
import type { JudgeDialect } from '../judge/index.ts';
import { canonical, isArray, isObject, type JsonRecord } from '../judge/json.ts';

/** The smallest cacheable unit of a prompt: a tool, a block, a message, an item. */
export interface CacheUnit {
  /** Equal for equal units, regardless of markers and text wrapping. */
  key: string;
  value: unknown;
  /** A cache breakpoint after this unit, with its lifetime. */
  mark?: '5m' | '1h';
  /** Part of the conversation, not of tools or head. */
  isSaid?: true;
  /** Position in the message list. */
  at?: { message: number; block: number };
}

/** The units of a prompt in cache order: tools, system, conversation. */
export function unitsOf({ dialect, body }: { dialect: JudgeDialect; body: JsonRecord }): CacheUnit[] {
  switch (dialect) {
    case 'anthropic':
      return anthropicUnits(body);
    case 'openai-chat':
      return [...list(body.tools), ...list(body.messages)].map((value) => unit({ value: withParts(value) }));
    case 'openai-responses':
      return [
        ...[...list(body.tools), ...list(body.instructions)].map((value) => unit({ value: withParts(value) })),
        ...list(body.input).map((value): CacheUnit => ({ ...unit({ value: withParts(value) }), isSaid: true })),
      ];
    case 'gemini':
      return [...list(body.tools), ...list(body.systemInstruction), ...list(body.contents)].map((value) =>
        unit({ value }),
      );
  }
}

/** One hash per prefix: the n-th covers the first n units. */
export function chainOf({ units, seed }: { units: readonly CacheUnit[]; seed: string }): string[] {
  let last = hash('sha256', seed, 'base64');
  return units.map(({ key }) => {
    last = hash('sha256', `${last}${key}`, 'base64');
    return last;
  });
}

function anthropicUnits(body: JsonRecord): CacheUnit[] {
  const units = [...list(body.tools), ...blocks(body.system)].map((value) => unit({ value }));
  for (const [message, entry] of list(body.messages).entries()) {
    if (!isObject(entry)) continue;
    for (const [block, value] of blocks(entry.content).entries())
      units.push({
        ...unit({ value: { role: entry.role, block: value }, marked: value }),
        isSaid: true,
        at: { message, block },
      });
  }
  const last = units.at(-1);
  // The top-level marker applies to the last block.
  if (last && isObject(body.cache_control)) last.mark ??= body.cache_control.ttl === '1h' ? '1h' : '5m';
  return units;
}

function unit({ value, marked = value }: { value: unknown; marked?: unknown }): CacheUnit {
  const mark = markOf(marked);
  return { key: canonical(value, isMarker), value, ...(mark === undefined ? {} : { mark }) };
}

/** The block's own breakpoint, or one inside its content (tool results). */
function markOf(value: unknown): CacheUnit['mark'] {
  if (!isObject(value)) return undefined;
  if (isObject(value.cache_control)) return value.cache_control.ttl === '1h' ? '1h' : '5m';
  return list(value.content).map(markOf).find(Boolean);
}

const isMarker = (key: string) => key === 'cache_control';

/** String content is one text block. */
function blocks(content: unknown): unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return list(content);
}

function withParts(value: unknown): unknown {
  if (!isObject(value) || typeof value.content !== 'string') return value;
  return { ...value, content: [{ type: 'text', text: value.content }] };
}

function list(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return isArray(value) ? value : [value];
}
