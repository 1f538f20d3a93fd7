import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { DocumentFormat, LinesFormat } from '../format.ts';
import { isGeminiHeader, readGemini } from './header.ts';

const kinds: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'error', 'warning']);

/** A session of Gemini CLI with a record a line: messages, and changes of what came before. */
export const geminiLines: LinesFormat = {
  kind: 'lines',
  name: 'gemini-cli',
  isRecord: (value) => isHeader(value) || isChange(value) || isMessage(value),
  read: ({ first, records, warnings }) => readGemini({ header: first.value, records, warnings }),
};

/** A session of Gemini CLI as older versions wrote it: one object, written anew with every message. */
export const geminiDocument: DocumentFormat = {
  kind: 'document',
  name: 'gemini-cli',
  isDocument: (value) => isObject(value) && isGeminiHeader(value) && isArray(value.messages),
  read: ({ value, warnings }) => {
    const header = isObject(value) ? value : {};
    return readGemini({ header, records: recordsOf(value), warnings });
  },
};

/** The header of a file of lines; a document of one line looks like it, but has its messages inside. */
function isHeader(value: JsonObject): boolean {
  return isGeminiHeader(value) && value.messages === undefined;
}

function isChange(value: JsonObject): boolean {
  return isObject(value.$set) || isObject(value.$patch) || typeof value.$rewindTo === 'string';
}

function isMessage(value: JsonObject): boolean {
  const isStamped = typeof value.id === 'string' && typeof value.timestamp === 'string';
  return isStamped && kinds.has(value.type) && value.content !== undefined && value.parentId === undefined;
}

async function* recordsOf(value: Json): AsyncGenerator<{ readonly value: JsonObject; readonly line: number }> {
  if (isObject(value)) yield { value, line: 1 };
}
