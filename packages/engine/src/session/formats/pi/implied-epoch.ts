import type { Message, Part } from '../../../message/index.ts';
import type { Draft, Entry, EntryId, EpochEntry } from '../../entry/entry.ts';
import { compactionEpoch, editEpoch, type Weaver } from '../weaver.ts';

/** What a message looks like from outside, which is all that an edit of it needs. */
interface Shape {
  readonly role: Message['role'];
  /** The tool result that it is, without its content. */
  readonly result?: Extract<Part, { type: 'tool_result' }>;
}

/**
 * pi has no epochs: a compaction and a context edit say by themselves what is sent from then on. This says it in our
 * words, for reading (the epoch has to be made) and for writing (it need not be written).
 *
 * @example
 * const impliedEpoch = createImpliedEpochs({ weaver });
 * const draft = impliedEpoch(entry); // after every node that was woven
 */
export function createImpliedEpochs({ weaver }: { readonly weaver: Weaver }) {
  const shapes = new Map<EntryId, Shape>();
  const implied = (entry: Entry): Draft<EpochEntry> | undefined => {
    remember(entry);
    if (entry.type === 'compaction') {
      return compactionEpoch({ summary: entry.summary, kept: weaver.keptFrom(entry.firstKeptId) });
    }
    if (entry.type !== 'context_edit') return undefined;
    const { target, replacement } = entry;
    const made = replacement === null ? null : replaced({ shape: shapes.get(target), parts: replacement });
    weaver.rememberEdit({ edit: entry.id, target, made });
    return editEpoch({ items: weaver.items(), target, made });
  };
  return { implied, roleOf: (id: EntryId) => shapes.get(id)?.role };

  function remember(entry: Entry): void {
    if (entry.type === 'custom_message') shapes.set(entry.id, { role: 'user' });
    if (entry.type !== 'message') return;
    const [part] = entry.message.parts;
    const result = part?.type === 'tool_result' ? { result: { ...part, content: [] } } : {};
    shapes.set(entry.id, { role: entry.message.role, ...result });
  }
}

function replaced({ shape, parts }: { readonly shape: Shape | undefined; readonly parts: readonly Part[] }): Message {
  if (!shape?.result) return { role: shape?.role ?? 'user', parts };
  const content = parts.filter((part) => part.type === 'text' || part.type === 'image');
  return { role: 'tool', parts: [{ ...shape.result, content }] };
}
