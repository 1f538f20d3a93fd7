import type { Message, Part } from '../../message/index.ts';
import type { Context } from '../context/context.ts';
import type { ContextItem } from '../context/item.ts';
import type { Draft, EpochEntry, EpochItem, PruneEntry } from '../entry/entry.ts';
import { notInContext } from '../errors.ts';
import { codecVersion } from './codec.ts';
import { toEpochItem } from './items.ts';

/**
 * The batch that elides tool outputs from what is sent: the prune, then the epoch that puts it in force. Calls keep
 * their results; only what the results say is replaced by the notice. Without `part` every result of the message is.
 *
 * @example
 * const targets = [{ entry: result.id, notice: '[Output elided; recall @12 for all of it]' }];
 * await session.appendBatch(pruneDrafts({ context: session.context, targets }));
 */
export function pruneDrafts({
  context,
  targets,
}: {
  readonly context: Context;
  readonly targets: PruneEntry['targets'];
}): [Draft<PruneEntry>, Draft<EpochEntry>] {
  const sent = new Set(context.items.map(({ entry }) => entry));
  for (const { entry } of targets) if (!sent.has(entry)) throw notInContext({ what: entry });
  const list = context.items.map((item) =>
    pruned({ item, targets: targets.filter(({ entry }) => entry === item.entry) }),
  );
  return [
    { type: 'prune', targets },
    { type: 'epoch', reason: 'prune', items: { list }, codec: codecVersion },
  ];
}

function pruned({ item, targets }: { readonly item: ContextItem; readonly targets: PruneEntry['targets'] }): EpochItem {
  if (targets.length === 0 || item.entry === null) return toEpochItem(item);
  const parts = item.message.parts.map((part, index): Part => {
    const target = targets.find((candidate) => candidate.part === undefined || candidate.part === index + 1);
    if (!target || part.type !== 'tool_result') return part;
    const { wire: _, ...rest } = part;
    return { ...rest, content: [{ type: 'text', origin: 'engine', text: target.notice }] };
  });
  const made: Message = { role: item.message.role, parts };
  return { made, for: item.entry };
}
