import { isArray, isObject, type Json, type JsonObject, sameJson } from '../../json.ts';
import type { Message, Part, ToolResultPart } from '../../message/index.ts';
import { readBlocks, writeBlocks } from './content.ts';

/** What a message looks like from outside, which is all that an edit of it needs. */
export interface EditTarget {
  readonly role: Message['role'];
  /** The tool result that it is, without its content. */
  readonly result?: ToolResultPart;
}

/** The replacement message of a context edit of pi; `null` if the message is removed. */
export function readReplacement({
  raw,
  shape,
}: {
  readonly raw: JsonObject;
  readonly shape: EditTarget | undefined;
}): readonly Part[] | null {
  if (raw.replacement === null) return null;
  const own = isObject(raw.longhaul) ? raw.longhaul.replacement : undefined;
  if (isArray(own)) return own as unknown as readonly Part[];
  const content = isObject(raw.replacement) ? raw.replacement.content : undefined;
  const origin = shape?.role === 'tool' ? 'tool' : shape?.role === 'user' ? 'human' : 'engine';
  const { parts } = readBlocks({ content, origin });
  return shape?.result ? [{ ...shape.result, content: parts }] : parts;
}

/** The same in pi's format, plus our parts where pi's format cannot represent them. */
export function writeReplacement({
  parts,
  shape,
}: {
  readonly parts: readonly Part[] | null;
  readonly shape: EditTarget | undefined;
}): { readonly replacement: Json; readonly longhaul?: JsonObject } {
  if (parts === null) return { replacement: null };
  const said = parts.flatMap((part): readonly Part[] => (part.type === 'tool_result' ? part.content : [part]));
  const replacement = { content: writeBlocks({ parts: said }) };
  const again = readReplacement({ raw: { replacement }, shape });
  const json = parts as unknown as Json;
  if (sameJson(again as unknown as Json, json)) return { replacement };
  return { replacement, longhaul: { replacement: json } };
}
