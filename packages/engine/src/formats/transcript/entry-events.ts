import type { JsonObject } from '../../json.ts';
import { type Entry, type SessionHeader, type UsageEntry, visibleItem } from '../../session/index.ts';
import type { Survey } from '../export/survey.ts';
import type { Tally } from '../tally.ts';
import { isoTime } from '../time.ts';
import { type Compactions, createCompactions } from './compactions.ts';
import type { TranscriptEvent } from './events.ts';
import { messageEvents } from './message.ts';
import { eventRest, ownFormat } from './source.ts';

/** What a transcript begins with. */
export function startEvents({
  header,
  name,
}: {
  readonly header: SessionHeader;
  readonly name: string | undefined;
}): TranscriptEvent[] {
  const { id, createdAt, cwd, source, details } = header;
  const data = {
    sessionId: source?.format === ownFormat ? source.key : id,
    version: 1,
    producer: 'longhaul',
    copilotVersion: '',
    vscodeVersion: '',
    startTime: isoTime(createdAt),
    ...(cwd !== undefined && { context: { cwd } }),
    ...eventRest(details),
  };
  const title = name === undefined ? [] : [{ type: 'session.title_changed', data: { title: name } }];
  return [{ type: 'session.start', data }, ...title];
}

/** What each entry of a path becomes. */
export function createEvents({
  survey,
  tally,
}: {
  readonly survey: Pick<Survey, 'compactions'>;
  readonly tally: Tally;
}): (of: { readonly entry: Entry; readonly next: Entry | undefined }) => TranscriptEvent[] {
  const compactions: Compactions = createCompactions({ survey });
  let model: string | undefined;
  return ({ entry, next }) => [...compactions.before(entry), ...eventsOf(entry, next)];

  function eventsOf(entry: Entry, next: Entry | undefined): TranscriptEvent[] {
    switch (entry.type) {
      case 'message': {
        const usage = next?.type === 'usage' && next.target === entry.id ? next.usage : undefined;
        const outputTokens = usage && usage.output > 0 ? usage.output : undefined;
        const { message, by } = entry;
        return messageEvents({ message, by, outputTokens, rest: eventRest(entry.details), tally });
      }
      case 'custom_message':
      case 'branch_summary': {
        const item = visibleItem(entry);
        return item ? messageEvents({ message: item.message, tally }) : [];
      }
      case 'compaction':
        // Without its epoch it changed nothing.
        return next?.type === 'epoch' && next.parentId === entry.id ? compactions.of(entry) : [];
      case 'epoch':
        if (entry.reason !== 'compaction') tally.leftOut(`changes of what is sent (${entry.reason})`);
        return [];
      case 'model_change':
        model = entry.model.name;
        return [{ type: 'session.model_change', data: { newModel: model } }];
      case 'thinking_change':
        return [{ type: 'session.model_change', data: { newModel: model, reasoningEffort: entry.level } }];
      case 'usage':
        return usageEvents(entry);
      case 'custom':
        if (!entry.customType.startsWith(`${ownFormat}:`)) break;
        return [{ type: entry.customType.slice(ownFormat.length + 1), data: (entry.data ?? {}) as JsonObject }];
      case 'unknown':
        if (!entry.kind.startsWith(`${ownFormat}:`)) break;
        return [{ type: entry.kind.slice(ownFormat.length + 1), data: entry.value }];
      case 'session_info':
      case 'leaf':
        return [];
    }
    tally.leftOut(`entries of the kind ${entry.type}`);
    return [];
  }
}

/** What a call read, beside what the answer says that it wrote. */
function usageEvents({ usage, model, purpose, target }: UsageEntry): TranscriptEvent[] {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  if (purpose !== undefined || target === undefined || input + cacheRead + cacheWrite === 0) return [];
  const data = {
    ...(model && { model: model.name }),
    inputTokens: input + cacheRead + cacheWrite,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
  return [{ type: 'assistant.usage', data }];
}
