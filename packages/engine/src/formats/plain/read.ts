import { LonghaulError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { type Conversation, type Dialect, readConversation } from '../../message/index.ts';
import type { Entry } from '../../session/index.ts';
import { createChain } from '../chain.ts';
import { digestOf } from '../digest.ts';
import { createWeaver } from '../log-builder.ts';
import type { Reading } from '../reading.ts';

/**
 * A list of messages, or a request body, as a session: the system messages first, then the conversation. It has no times
 * of its own, so every entry has the time of the first import.
 *
 * @example
 * const reading = readPlain({ value: JSON.parse(text) });
 */
export function readPlain({ value, dialect }: { readonly value: Json; readonly dialect?: Dialect }): Reading {
  const document = readConversation({ value, ...(dialect && { dialect }) });
  const { conversation } = document;
  if (isForeign(conversation)) throw noMessages(document.dialect);
  const key = digestOf(value);
  const tools = conversation.tools.length > 0 ? { details: { tools: conversation.tools as unknown as Json } } : {};
  return {
    format: document.dialect,
    key,
    header: tools,
    entries: ({ createdAt }) => weave({ conversation, seed: `${document.dialect}\n${key}`, at: createdAt }),
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
    hint: 'Leave the format out, and it is told from the content.',
  });
}

async function* weave({
  conversation,
  seed,
  at,
}: {
  readonly conversation: Conversation;
  readonly seed: string;
  readonly at: number;
}): AsyncGenerator<Entry> {
  const weaver = createWeaver({ idOf: createChain({ seed }) });
  for (const message of [...conversation.head, ...conversation.messages]) {
    yield* weaver.append({ draft: { type: 'message', message }, at });
  }
}
