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
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import { parseDocument } from './parse-document.ts';

/** A conversation, and the absolute path it was read from; standard input has none. */
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
  /** As the person wrote it. */
  readonly name: string;
  /** The largest size, in bytes. */
  readonly limit: number;
  /** The dialect to read it as where its content leaves that open. */
  readonly wanted?: Dialect | undefined;
}): Promise<ReadDocument> {
  const path = written === '-' ? undefined : (io.platform === 'win32' ? win32 : posix).resolve(io.cwd, written);
  const name = path === undefined ? 'standard input' : written;
  const text = await readText({
    name,
    from: path === undefined ? { stream: io.stdin() } : { files: io.files, path },
    limit: { bytes: limit, hint: 'If it is meant to be so large, raise the limit with --limits-file-bytes.' },
  });
  const value = await parsed({ text, name });
  refuseDeep({ value, name });
  return { document: recognize({ value, name, wanted }), path };
}

/** The value in the file. A history that is no JSON at all is named as what it is. */
async function parsed({ text, name }: { readonly text: string; readonly name: string }): Promise<unknown> {
  try {
    return parseDocument({ text, name });
  } catch (error) {
    const bytes = Readable.from([Buffer.from(text.slice(0, enoughToRecognize))]);
    const session = await peekSession({ bytes }).catch(() => undefined);
    // Lines of messages are what `check` is for: then the fault in them is what matters.
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

/** Texts between user and assistant are written the same way by Anthropic and OpenAI's chat: either reading is right. */
function isPlain({ head, messages }: Conversation): boolean {
  return head.length === 0 && messages.every(({ parts }) => parts.every(({ type }) => type === 'text'));
}

/** The engine does not know where its values come from; people want to. */
function inFile({ error, name }: { error: LonghaulError; name: string }): LonghaulError {
  const { code, message, hint } = error.toJSON();
  return new LonghaulError({ code, message: `${name}: ${message}`, hint, cause: error });
}
