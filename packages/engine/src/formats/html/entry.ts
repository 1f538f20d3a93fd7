import { type Entry, gistOf, nodeTypes } from '../../session/index.ts';
import type { Survey } from '../export/survey.ts';
import type { Step } from '../export/trace.ts';
import { type Calls, pageParts } from './parts.ts';
import type { PageEntry, PagePart, Who } from './shape.ts';

/**
 * Says each entry of a log in the words of the page.
 *
 * @example
 * const toPage = createPageEntries({ survey });
 * const entries = log.map((entry) => toPage({ entry, step: trace(entry) }));
 */
export function createPageEntries({
  survey,
}: {
  readonly survey: Survey;
}): (of: { readonly entry: Entry; readonly step: Step }) => PageEntry {
  const calls = new Map<string, NonNullable<ReturnType<Calls['get']>>>();

  return ({ entry, step }) => {
    if (entry.type === 'message') {
      for (const part of entry.message.parts) {
        if (part.type === 'tool_call') calls.set(part.id, { name: part.name, handle: entry.handle });
      }
    }
    const { handle, at, type } = entry;
    const label = survey.labels.get(entry.id);
    const { replaced, restored } = step;
    const kept = entry.type === 'compaction' ? handleOf(entry.firstKeptId) : undefined;
    const target = targetOf(entry);
    return {
      handle,
      parent: handleOf(entry.parentId) ?? null,
      at,
      type,
      isNode: nodeTypes.has(type),
      who: whoOf(entry),
      name: nameOf(entry),
      parts: partsOf(entry),
      ...(label !== undefined && { label }),
      tokens: step.tokens,
      context: step.context,
      ...(replaced.count > 0 && { replaced }),
      ...(restored.count > 0 && { restored }),
      ...(kept !== undefined && { kept }),
      ...(target !== undefined && { target }),
    };
  };

  function handleOf(id: string | null | undefined): number | undefined {
    return typeof id === 'string' ? survey.handleOf(id) : undefined;
  }

  function partsOf(entry: Entry): PagePart[] {
    if (entry.type === 'message') return pageParts({ parts: entry.message.parts, calls });
    if (entry.type === 'custom_message') return pageParts({ parts: entry.parts, calls });
    if (entry.type === 'context_edit' && entry.replacement) return pageParts({ parts: entry.replacement, calls });
    if (entry.type === 'compaction')
      return [{ type: 'text', who: 'engine', text: entry.summary, title: 'the summary in their place' }];
    if (entry.type === 'branch_summary')
      return [{ type: 'text', who: 'engine', text: entry.summary, title: 'what happened on the branch that was left' }];
    const { text } = gistOf(entry);
    return text === '' ? [] : [{ type: 'text', who: 'note', text }];
  }

  function targetOf(entry: Entry): number | undefined {
    if (entry.type === 'label' || entry.type === 'leaf' || entry.type === 'usage' || entry.type === 'context_edit')
      return handleOf(entry.target);
    return entry.type === 'branch_summary' ? handleOf(entry.fromId) : undefined;
  }
}

function whoOf(entry: Entry): Who {
  if (entry.type !== 'message') {
    return entry.type === 'custom_message' || entry.type === 'branch_summary' ? 'engine' : 'note';
  }
  const { role, parts } = entry.message;
  if (role === 'assistant') return 'model';
  if (role === 'tool') return 'tool';
  return parts.some(({ origin }) => origin === 'human') ? 'human' : 'engine';
}

function nameOf(entry: Entry): string {
  const { kind } = gistOf(entry);
  if (entry.type !== 'message') return kind;
  if (entry.message.role === 'assistant') return entry.by?.name ?? 'model';
  return whoOf(entry) === 'human' ? 'human' : kind;
}
