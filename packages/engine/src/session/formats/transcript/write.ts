import type { JsonObject } from '../../../json.ts';
import { visibleItem } from '../../context/item.ts';
import type { Entry, UsageEntry } from '../../entry/entry.ts';
import type { Source } from '../export/source.ts';
import { type Survey, surveyOf } from '../export/survey.ts';
import { withNext } from '../lines/with-next.ts';
import { createTally, type Tally } from '../tally.ts';
import { isoTime } from '../time.ts';
import { type Compactions, createCompactions } from './compactions.ts';
import { createEnvelopes, type TranscriptEvent } from './events.ts';
import { messageEvents } from './message.ts';
import { eventRest, ownFormat } from './source.ts';
import { createTurns } from './turns.ts';

/**
 * A session as the events of Copilot and VS Code's chat: the path to where it stands, with tool results and compactions,
 * which the chat itself leaves out of its transcripts. A transcript is one chain, so other branches are not in it.
 *
 * @example
 * for await (const event of writeTranscript(source)) stream.write(`${JSON.stringify(event)}\n`);
 */
export async function* writeTranscript(source: Source): AsyncGenerator<JsonObject> {
  const { header, warnings } = source;
  const survey = await surveyOf(source);
  const tally = createTally({ warnings, why: 'a transcript has no word for them' });
  const enclose = createEnvelopes();
  const turns = createTurns();
  const toEvents = createEvents({ survey, tally });

  for (const event of startEvents({ header, survey })) yield enclose({ event, at: header.createdAt });
  for await (const { item: entry, next } of withNext(source.entries())) {
    if (!survey.isOnPath(entry)) {
      tally.leftOut('entries of other branches');
      continue;
    }
    for (const event of toEvents({ entry, next })) {
      for (const told of turns.around(event)) yield enclose({ event: told, at: entry.at });
    }
  }
  for (const event of turns.end()) yield enclose({ event, at: survey.summary.updatedAt });
  tally.report();
}

function startEvents({ header, survey }: { readonly header: Source['header']; readonly survey: Survey }) {
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
  const { name } = survey.summary;
  const title = name === undefined ? [] : [{ type: 'session.title_changed', data: { title: name } }];
  return [{ type: 'session.start', data }, ...title];
}

function createEvents({
  survey,
  tally,
}: {
  readonly survey: Survey;
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
