import type { JudgeFinding } from './findings.ts';
import { invalidArgument } from './gemini-error.ts';
import { isObject, type JsonRecord } from './json.ts';

/** The oneof `data` of a part: exactly one of them is set. */
const dataFields = [
  ...['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode'],
  ...['codeExecutionResult', 'toolCall', 'toolResponse'],
];
const metadataFields = [
  ...['thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution', 'partMetadata', 'mediaProcessing'],
  ...['speechMetadata', 'audioTranscription'],
];
const callFields = ['id', 'name', 'args'];
const responseFields = ['id', 'name', 'response', 'parts', 'scheduling', 'willContinue'];
export const functionName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

/** A field in camelCase or, as protobuf JSON also reads it, in snake_case. */
export function field({ value, name }: { value: JsonRecord; name: string }): unknown {
  return value[name] ?? value[snake(name)];
}

const snakes = new Map<string, string>();
function snake(name: string): string {
  let known = snakes.get(name);
  if (known === undefined) {
    known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakes.set(name, known);
  }
  return known;
}

/** Protobuf JSON rejects unknown fields: fields of other dialects must not be sent. */
export function unknownField({
  value,
  known,
  path,
}: {
  value: JsonRecord;
  known: readonly string[];
  path: string;
}): JudgeFinding {
  const extra = Object.keys(value).find((key) => !known.includes(key) && !known.some((name) => snake(name) === key));
  if (extra === undefined) return undefined;
  return invalidArgument({
    path,
    message: `Invalid JSON payload received. Unknown name "${extra}" at '${path}': Cannot find field.`,
  });
}

const partFields = [...dataFields, ...metadataFields];

/** One part: known fields, one kind of data, of the right shape. */
export function judgePart({ part, path, name }: { part: unknown; path: string; name: string }): JudgeFinding {
  if (!isObject(part)) return invalidArgument({ path, message: `Invalid value at '${path}'` });
  const finding = unknownField({ value: part, known: partFields, path });
  if (finding) return finding;
  const set = dataFields.filter((key) => field({ value: part, name: key }) !== undefined);
  if (set.length > 1)
    return invalidArgument({
      path,
      message: `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${set[1]}'`,
    });
  const signed = field({ value: part, name: 'thoughtSignature' });
  // An empty text is an unset oneof, except that the last part of a stream may be only a signature.
  if (set.length === 0 || (part.text === '' && typeof signed !== 'string'))
    return invalidArgument({
      path,
      message: `* ${name}.data: required oneof field 'data' must have one initialized field\n`,
    });
  if (part.text !== undefined && typeof part.text !== 'string')
    return invalidArgument({ path, message: `Invalid value at '${path}.text' (TYPE_STRING)` });
  return judgeFunction({ part, path, name });
}

function judgeFunction({ part, path, name }: { part: JsonRecord; path: string; name: string }): JudgeFinding {
  const call = field({ value: part, name: 'functionCall' });
  if (call !== undefined)
    return judgeCallShape({ value: call, known: callFields, object: 'args', kind: 'function_call', path, name });
  const response = field({ value: part, name: 'functionResponse' });
  if (response === undefined) return undefined;
  const kind = 'function_response';
  return judgeCallShape({ value: response, known: responseFields, object: 'response', kind, path, name });
}

function judgeCallShape({
  value,
  known,
  object,
  kind,
  path,
  name,
}: {
  value: unknown;
  known: readonly string[];
  object: 'args' | 'response';
  kind: string;
  path: string;
  name: string;
}): JudgeFinding {
  if (!isObject(value)) return invalidArgument({ path, message: `Invalid value at '${path}.${kind}'` });
  const finding = unknownField({ value, known, path: `${path}.${kind}` });
  if (finding) return finding;
  if (typeof value.name !== 'string' || value.name === '')
    return invalidArgument({ path, message: `* ${name}.${kind}.name: Name cannot be empty.\n` });
  if (!functionName.test(value.name)) return badName({ path, name: `${name}.${kind}.name` });
  const payload = value[object];
  // Only a response is required: a call without arguments has none.
  if (payload === undefined && object === 'args') return undefined;
  if (isObject(payload)) return undefined;
  return invalidArgument({
    path,
    message: `Invalid value at '${path}.${kind}.${object}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(payload)}`,
  });
}

export function badName({ path, name }: { path: string; name: string }): JudgeFinding {
  return invalidArgument({
    path,
    message: `* ${name}: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
  });
}
