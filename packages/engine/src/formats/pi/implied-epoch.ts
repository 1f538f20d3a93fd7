import type { Message } from '../../message/index.ts';
import type { Draft, Entry, EntryId, EpochEntry } from '../../session/index.ts';
import { compactionEpoch, editEpoch, type LogBuilder } from '../log-builder.ts';
import type { EditTarget } from './edit.ts';

/**
 * pi has no epochs: a compaction and a context edit say by themselves what is sent from then on. This says it in our
 * words, for reading (the epoch has to be made) and for writing (it need not be written).
 *
 * @example
 * const { implied } = createImpliedEpochs({ weaver });
 * const draft = implied(entry); // after every node that was woven
 */
export function createImpliedEpochs({ builder }: { readonly builder: LogBuilder }): {
  readonly implied: (entry: Entry) => Draft<EpochEntry> | undefined;
  readonly shapeOf: (id: EntryId) => EditTarget | undefined;
} {
  const shapes = new Map<EntryId, EditTarget>();
  return { implied, shapeOf: (id) => shapes.get(id) };

  function implied(entry: Entry): Draft<EpochEntry> | undefined {
    remember(entry);
    if (entry.type === 'compaction') {
      return compactionEpoch({ summary: entry.summary, kept: builder.keptFrom(entry.firstKeptId) });
    }
    if (entry.type !== 'context_edit') return undefined;
    const { target, replacement } = entry;
    const role = shapes.get(target)?.role ?? 'user';
    const made: Message | null = replacement === null ? null : { role, parts: replacement };
    builder.rememberEdit({ edit: entry.id, target, made });
    return editEpoch({ items: builder.items(), target, made });
  }

  function remember(entry: Entry): void {
    if (entry.type === 'custom_message' || entry.type === 'branch_summary') shapes.set(entry.id, { role: 'user' });
    if (entry.type !== 'message') return;
    const { role, parts } = entry.message;
    const [part] = parts;
    const isResult = role === 'tool' && parts.length === 1 && part?.type === 'tool_result';
    shapes.set(entry.id, { role, ...(isResult && { result: { ...part, content: [] } }) });
  }
}
