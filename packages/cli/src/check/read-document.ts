import { posix, win32 } from 'node:path';
import { Readable } from 'node:stream';
import { LonghaulError } from 'longhaul';
import { peekSession } from 'longhaul/formats';
import {
  type Conversation,
  type ConversationDocument,
  type Dialect,
  dialects,
  readConversation,
} from 'longhaul/message';
import { refuseDeep } from '../input/depth.ts';
import { isRecord } from '../input/is-record.ts';
import { parseJsonText } from '../input/parse-json.ts';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';

/** A conversation and the absolute path it was read from; `undefined` for standard input. */
export interface ReadDocument {
  readonly document: ConversationDocument;
  readonly path: string | undefined;
}

/**
 * Reads a conversation from a file or, for `-`, from standard input.
 *
 * @example
 * const { document } = await readDocument({ io, name: 'chat.json', limit: 1024 * 1024 });
 */
export async function readDocument({
  io,
  name: written,
  limit,
  wanted,
}: {
  readonly io: Io;
  /** As given on the command line. */
  readonly name: string;
  /** The maximum size in bytes. */
  readonly limit: number;
  /** The dialect to assume if the content is ambiguous. */
  readonly wanted?: Dialect | undefined;
}): Promise<ReadDocument> {
  const path = written === '-' ? undefined : (io.platform === 'win32' ? win32 : posix).resolve(io.cwd, written);
  const name = path === undefined ? 'standard input' : written;
  const text = await readText({
    name,
    from: path === undefined ? { stream: io.stdin() } : { files: io.files, path },
    limit: { bytes: limit, hint: 'Raise the limit with --limits-file-bytes.' },
  });
  const value = await parsed({ text, name });
  refuseDeep({ value, name });
  return { document: recognize({ value, name, wanted }), path };
}

/** Parses the file. A session file of another agent is reported as such instead of as invalid JSON. */
async function parsed({ text, name }: { readonly text: string; readonly name: string }): Promise<unknown> {
  try {
    return parseDocument({ text, name });
  } catch (error) {
    const bytes = Readable.from([Buffer.from(text.slice(0, enoughToRecognize))]);
    const session = await peekSession({ bytes }).catch(() => undefined);
    // For a list of messages the JSON error is the useful one.
    const isForeign = session !== undefined && !dialects.some((dialect) => dialect === session.format);
    throw isForeign ? notARequest({ name, format: session.format }) : error;
  }
}

const enoughToRecognize = 65_536;

function notARequest({ name, format }: { readonly name: string; readonly format: string }): LonghaulError {
  return new LonghaulError({
    code: 'session-file',
    message: `${name} is a session file of ${format}, not a list of messages or a request.`,
    hint: `Run \`longhaul import ${name}\`, then \`longhaul context last\` to see what would be sent.`,
  });
}

function recognize({
  value,
  name,
  wanted,
}: {
  value: unknown;
  name: string;
  wanted: Dialect | undefined;
}): ConversationDocument {
  try {
    const document = readConversation({ value });
    const open = wanted === 'anthropic' && document.dialect === 'openai-chat' && isPlain(document.conversation);
    return open ? readConversation({ value, dialect: wanted }) : document;
  } catch (error) {
    throw LonghaulError.is(error) ? inFile({ error, name }) : error;
  }
}

/** Plain texts between user and assistant look the same for Anthropic and OpenAI chat, so both readings are valid. */
function isPlain({ head, messages }: Conversation): boolean {
  return head.length === 0 && messages.every(({ parts }) => parts.every(({ type }) => type === 'text'));
}

/** Adds the file name, which the engine does not know. */
function inFile({ error, name }: { error: LonghaulError; name: string }): LonghaulError {
  const { code, message, hint } = error.toJSON();
  return new LonghaulError({ code, message: `${name}: ${message}`, hint, cause: error });
}

/**
 * Parses JSON, or JSONL with one message per line, which becomes a list. The text decides which it is; the file name
 * only if the text is ambiguous.
 *
 * @example
 * parseDocument({ text: '{"role":"user","content":"hi"}\n', name: 'chat.jsonl' }); // [{ role: 'user', content: 'hi' }]
 */
export function parseDocument({ text, name }: { readonly text: string; readonly name: string }): unknown {
  const named = /\.(jsonl|ndjson)$/i.test(name);
  const whole = tryParse(text);
  if (whole !== undefined) return isOneMessage({ value: whole, named }) ? [whole] : whole;
  const lines = text.split('\n');
  const first = lines.find((line) => line.trim() !== '') ?? '';
  // The first line of JSONL is a complete object; that of multi-line JSON is not.
  if (!named && !isRecord(tryParse(first))) return parseJsonText({ text, name });
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseJsonText({ text: line, name, firstLine: index + 1 })],
  );
}

/** A single line of JSONL is valid JSON too: one message. */
function isOneMessage({ value, named }: { readonly value: unknown; readonly named: boolean }): boolean {
  if (!isRecord(value)) return false;
  const isRequest = ['messages', 'input', 'contents'].some((member) => member in value);
  return !isRequest && (named || typeof value.role === 'string');
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
