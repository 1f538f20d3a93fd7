import { isArray, isObject, type Json, type JsonObject } from '../../../json.ts';
import type { Part } from '../../message.ts';

/** Members of a part that the API takes in either spelling; Google's REST examples and its Python users write the second. */
const spellings: readonly (readonly [camel: string, snake: string])[] = [
  ['thoughtSignature', 'thought_signature'],
  ['functionCall', 'function_call'],
  ['functionResponse', 'function_response'],
  ['inlineData', 'inline_data'],
  ['fileData', 'file_data'],
  ['mimeType', 'mime_type'],
  ['fileUri', 'file_uri'],
];
const toCamel = new Map(spellings.map(([camel, snake]) => [snake, camel]));
const toSnake = new Map(spellings.map(([camel, snake]) => [camel, snake]));

/** The part in camel case; `undefined` where it is written so already, or in both ways at once. */
export function camelPart(part: JsonObject): JsonObject | undefined {
  const keys = Object.keys(part);
  if (!keys.some((key) => toCamel.has(key)) || keys.some((key) => toSnake.has(key))) return undefined;
  return respelled(part, toCamel);
}

export function snakePart(part: Json): Json {
  return isObject(part) ? respelled(part, toSnake) : part;
}

/** Marks a part as written in snake case, so that it goes back as it came. */
export function writtenInSnake(part: Part): Part {
  const form = [part.wire?.form, 'snake'].filter(Boolean).join(' ');
  return { ...part, wire: { dialect: 'gemini', ...part.wire, form } };
}

/** Media hold such members one level down; arguments and responses are the tool's own and stay as they are. */
function respelled(part: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const isMedia = /^(inline|file)_?data$/i.test(key) && isObject(value);
      return [names.get(key) ?? key, isMedia ? respelled(value, names) : value];
    }),
  );
}

/** Google's older schemas shout (`OBJECT`, `STRING`); JSON Schema, and everybody else, does not. */
export function quietSchema(schema: Json | undefined): Json | undefined {
  if (isArray(schema)) return schema.map((item) => quietSchema(item) ?? null);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'type' && typeof value === 'string' && value === value.toUpperCase()
        ? value.toLowerCase()
        : quietSchema(value),
    ]),
  );
}
