import type { Part } from '../../message/index.ts';
import type { Context } from '../context/context.ts';
import type { ContextEditEntry, Draft, EntryId, EpochEntry, EpochItem } from '../entry/entry.ts';
import { notInContext } from '../errors.ts';
import { codecVersion } from './codec.ts';
import { toEpochItem } from './items.ts';

/**
 * The batch that replaces a message in what is sent, or (`null`) leaves it out: the edit, then the epoch that puts it in
 * force. The entry itself stays as it was said.
 *
 * @example
 * await session.appendBatch(editDrafts({ context: session.context, target, replacement: null }));
 */
export function editDrafts({
  context,
  target,
  replacement,
}: {
  readonly context: Context;
  readonly target: EntryId;
  readonly replacement: readonly Part[] | null;
}): [Draft<ContextEditEntry>, Draft<EpochEntry>] {
  if (!context.items.some(({ entry }) => entry === target)) throw notInContext({ what: target });
  const list = context.items.flatMap((item): readonly EpochItem[] => {
    if (item.entry !== target) return [toEpochItem(item)];
    // The message is another now, so what its dialect said beyond the neutral model does not go with it.
    return replacement === null ? [] : [{ made: { role: item.message.role, parts: replacement }, for: target }];
  });
  return [
    { type: 'context_edit', target, replacement },
    { type: 'epoch', reason: 'edit', items: { list }, codec: codecVersion },
  ];
}
