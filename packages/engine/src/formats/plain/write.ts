import { type Dialect, type Message, type Repair, writeRequest } from '../../message/index.ts';
import { isSent, repairSoFar } from '../../message/internal.ts';
import { conversationOf } from '../../session/index.ts';
import { jsonPieces } from '../export/json.ts';
import type { Source } from '../export/source.ts';
import type { WarningList } from '../report.ts';

/**
 * What the model is sent where the session stands, as the body of a request: in a form that its provider takes, so that
 * the next message can be added and the whole be sent. Other branches, and what was compacted away, are not part of it.
 *
 * @example
 * for await (const piece of writePlain({ source, dialect: 'anthropic' })) stream.write(piece);
 */
export async function* writePlain({
  source,
  dialect,
}: {
  readonly source: Source;
  readonly dialect: Dialect;
}): AsyncGenerator<string> {
  const { header, warnings } = source;
  const { head, messages, tools } = conversationOf({ context: await source.context(), header });
  const { messages: legal, repairs } = repairSoFar(messages, dialect);
  tellRepairs({ repairs, warnings });
  tellLeftOut({ messages: legal, dialect, warnings });
  yield* jsonPieces(writeRequest({ dialect, conversation: { head, messages: legal, tools } }));
}

function tellRepairs({ repairs, warnings }: { readonly repairs: readonly Repair[]; readonly warnings: WarningList }) {
  const times = new Map<string, number>();
  for (const { message } of repairs) times.set(message, (times.get(message) ?? 0) + 1);
  for (const [message, count] of times) {
    warnings.add({ code: 'repaired', message: count === 1 ? message : `${message} (${count} times)` });
  }
}

/** Reasoning and files belong to the provider that made them; no other is sent them. */
function tellLeftOut(of: {
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
