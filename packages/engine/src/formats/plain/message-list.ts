import { LonghaulError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import {
  type Conversation,
  type Dialect,
  type Message,
  type Repair,
  readConversation,
  writeRequest,
} from '../../message/index.ts';
import { isSent, repairSoFar } from '../../message/internal.ts';
import { conversationOf, type Entry } from '../../session/index.ts';
import { jsonPieces } from '../export/json.ts';
import type { ExportSource } from '../export/source.ts';
import { createChain, digestOf } from '../ids.ts';
import { createLogBuilder } from '../log-builder.ts';
import type { ParsedSession } from '../parsed-session.ts';
import type { WarningList } from '../warnings.ts';

/**
 * A list of messages, or a request body, as a session: the system messages first, then the conversation. It has no times
 * of its own, so every entry has the time of the first import.
 *
 * @example
 * const reading = readPlain({ value: JSON.parse(text) });
 */
export function readPlain({ value, dialect }: { readonly value: Json; readonly dialect?: Dialect }): ParsedSession {
  const document = readConversation({ value, ...(dialect && { dialect }) });
  const { conversation } = document;
  if (isForeign(conversation)) throw noMessages(document.dialect);
  const key = digestOf(value);
  const tools = conversation.tools.length > 0 ? { details: { tools: conversation.tools as unknown as Json } } : {};
  return {
    format: document.dialect,
    key,
    header: tools,
    entries: ({ createdAt }) => buildEntries({ conversation, seed: `${document.dialect}\n${key}`, at: createdAt }),
  };
}

/** Codecs keep what they do not know; of nothing else a conversation is not made. */
function isForeign({ head, messages }: Conversation): boolean {
  return head.length === 0 && messages.length > 0 && messages.every(({ wire }) => wire?.form === 'item');
}

function noMessages(dialect: Dialect): LonghaulError {
  return new LonghaulError({
    code: 'not-a-conversation',
    message: `This is no conversation: no entry of the list is a message of the dialect ${dialect}.`,
    hint: 'Omit the format to detect it from the content.',
  });
}

async function* buildEntries({
  conversation,
  seed,
  at,
}: {
  readonly conversation: Conversation;
  readonly seed: string;
  readonly at: number;
}): AsyncGenerator<Entry> {
  const builder = createLogBuilder({ idOf: createChain({ seed }) });
  for (const message of [...conversation.head, ...conversation.messages]) {
    yield* builder.append({ draft: { type: 'message', message }, at });
  }
}

/**
 * What the model is sent at the leaf of the session, as a request body that its provider accepts, so that the next
 * message can be added and the body be sent. Other branches and compacted messages are not part of it.
 *
 * @example
 * for await (const piece of writePlain({ source, dialect: 'anthropic' })) stream.write(piece);
 */
export async function* writePlain({
  source,
  dialect,
}: {
  readonly source: ExportSource;
  readonly dialect: Dialect;
}): AsyncGenerator<string> {
  const { header, warnings } = source;
  const { head, messages, tools: imported } = conversationOf({ context: await source.context(), header });
  const tools = (await source.tools()) ?? imported;
  const { messages: legal, repairs } = repairSoFar(messages, dialect);
  reportRepairs({ repairs, warnings });
  reportSkipped({ messages: legal, dialect, warnings });
  yield* jsonPieces(writeRequest({ dialect, conversation: { head, messages: legal, tools } }));
}

function reportRepairs({ repairs, warnings }: { readonly repairs: readonly Repair[]; readonly warnings: WarningList }) {
  const times = new Map<string, number>();
  for (const { message } of repairs) times.set(message, (times.get(message) ?? 0) + 1);
  for (const [message, count] of times) {
    warnings.add({ code: 'repaired', message: count === 1 ? message : `${message} (${count} times)` });
  }
}

/** Reasoning and files belong to the provider that made them; no other is sent them. */
function reportSkipped(of: {
  readonly messages: readonly Message[];
  readonly dialect: Dialect;
  readonly warnings: WarningList;
}) {
  const parts = of.messages.flatMap((message) => message.parts);
  const count = parts.filter((part) => !isSent(part, of.dialect)).length;
  if (count === 0) return;
  const what = count === 1 ? 'One part was' : `${count} parts were`;
  const message = `${what} left out: reasoning or files of another provider, which ${of.dialect} cannot be sent.`;
  of.warnings.add({ code: 'left-out', message });
}
