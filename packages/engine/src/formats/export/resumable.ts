import type { Dialect, Message } from '../../message/index.ts';
import { isSent, repairSoFar } from '../../message/internal.ts';
import { type Entry, type EntryId, type ModelName, visibleItem } from '../../session/index.ts';
import { hashedId } from '../ids.ts';
import { createSkipCounter } from '../skip-counter.ts';
import type { ExportSource } from './source.ts';
import { type Survey, surveyOf } from './survey.ts';

/** A message that another agent will find in its session file. */
export interface ResumableMessage {
  /** A UUID, unique in the file and the same in every export of the same log. */
  readonly id: string;
  readonly message: Message;
  readonly at: number;
  /** The model that wrote it. */
  readonly by?: ModelName | undefined;
}

/**
 * A session in the form in which agents resume one: the messages that are no longer sent, the newest summary, and the
 * messages that are sent. The agent then sends what we would send, and its file contains everything that was said.
 */
export interface Resumable {
  /** A UUID, which most agents require. */
  readonly id: string;
  readonly name: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly model: ModelName | undefined;
  /** The system prompt in force. Most agents have their own. */
  readonly system: string;
  /** Messages of the current path that are no longer sent. To be read once, and to its end. */
  readonly earlier: AsyncIterable<ResumableMessage>;
  /** The summary in force, if anything was removed from the context. */
  readonly compaction: Compacted | undefined;
  /** What is sent after the summary: valid for the agent's provider, without system messages. */
  readonly current: readonly ResumableMessage[];
}

interface Compacted {
  readonly id: string;
  readonly summaryId: string;
  readonly summary: string;
  readonly at: number;
  readonly tokensBefore: number;
}

/**
 * Reads what another agent needs to resume a session. What its file cannot contain is counted in a warning.
 *
 * @example
 * const { earlier, compaction, current } = await resumableOf({ source, agent: 'codex', dialect: 'openai-responses' });
 */
export async function resumableOf({
  source,
  agent,
  dialect,
  keepsSystem = false,
}: {
  readonly source: ExportSource;
  /** The name of the agent's own format. */
  readonly agent: string;
  readonly dialect: Dialect;
  /** Whether the agent's file contains the system prompt. */
  readonly keepsSystem?: boolean;
}): Promise<Resumable> {
  const { header, warnings } = source;
  const survey = await surveyOf(source);
  const { items } = await source.context();
  const skips = createSkipCounter({ warnings, why: `a session of ${agent} has no place for them` });
  const isImported = header.source?.format === agent;
  // Ids depend on the id in the file and on positions only, so that exporting an imported export gives the same file.
  const id = isImported && /^[\w-]+$/.test(header.source?.key ?? '') ? `${header.source?.key}` : hashedId(header.id);
  const idOf = (what: string) => hashedId(`${id}\n${what}`);

  const newest = survey.compactions.at(-1);
  const sent = new Set(items.flatMap(({ entry }) => entry ?? []));
  const { facts, removed, summary } = await readFacts({ source, survey, sent });
  const isMade = items.map((item) => item.isMade && item.entry === null);
  const named = items.findIndex(({ message }, index) => isMade[index] && textIn(message).includes(summary));
  const summaryAt = named < 0 ? isMade.indexOf(true) : named;
  const listed = items.filter(({ message }, index) => message.role !== 'system' && index !== summaryAt);
  const entryOf = new Map<Message, EntryId | null>();
  const messages = listed.map(({ message, entry }) => {
    const kept = portable(message);
    entryOf.set(kept, entry);
    return kept;
  });
  let fact: Fact = { at: header.createdAt };
  const current = repairSoFar(messages, dialect).messages.map((message, index): ResumableMessage => {
    // A message that the repair made has the time of the one before it.
    fact = facts.get(entryOf.get(message) ?? '') ?? { at: fact.at };
    return { id: idOf(`current ${index}`), message, ...fact };
  });

  return {
    id,
    name: survey.summary.name ?? survey.summary.title ?? '',
    cwd: header.cwd ?? '',
    createdAt: header.createdAt,
    updatedAt: survey.summary.updatedAt,
    model: [...facts.values()].findLast(({ by }) => by)?.by,
    system: items.flatMap(({ message }) => (message.role === 'system' ? [textIn(message)] : [])).join('\n\n'),
    earlier: earlier(),
    compaction:
      summaryAt < 0 && removed === 0
        ? undefined
        : {
            id: idOf('compaction'),
            summaryId: idOf('summary'),
            summary: textIn(items[summaryAt]?.message),
            at: newest?.at ?? survey.summary.updatedAt,
            tokensBefore: newest?.tokensBefore ?? 0,
          },
    current,
  };

  async function* earlier(): AsyncGenerator<ResumableMessage> {
    let count = 0;
    for await (const entry of source.entries()) {
      if (!survey.isOnPath(entry)) skips.skip('entries of other branches');
      const item = survey.isOnPath(entry) && !sent.has(entry.id) ? visibleItem(entry) : undefined;
      if (!item || item.message.role === 'system') continue;
      const { at } = entry;
      const by = entry.type === 'message' ? entry.by : undefined;
      count += 1;
      yield { id: idOf(`earlier ${count}`), message: portable(item.message), at, by };
    }
    for (const { message } of items) if (message.role === 'system' && !keepsSystem) skips.skip('system prompts');
    for (const _ of survey.compactions.slice(1)) skips.skip('older summaries');
    skips.report();
  }

  /** Reasoning is bound to the system prompt of the agent that received it, so another agent must not send it. */
  function portable(message: Message): Message {
    const parts = message.parts.filter((part) => {
      const isReasoning = part.type === 'thinking' || part.type === 'opaque';
      return isSent(part, dialect) && (isImported || !isReasoning);
    });
    for (const _ of message.parts.slice(parts.length)) skips.skip('reasoning and files of a provider');
    return parts.length === message.parts.length ? message : { ...message, parts };
  }
}

type Fact = Pick<ResumableMessage, 'at' | 'by'>;

interface Facts {
  /** When the messages of the context were written, and by which models. */
  readonly facts: ReadonlyMap<EntryId, Fact>;
  /** How many other messages are on the path. */
  readonly removed: number;
  /** The summary of the newest compaction. */
  readonly summary: string;
}

async function readFacts({
  source,
  survey,
  sent,
}: {
  readonly source: ExportSource;
  readonly survey: Survey;
  readonly sent: ReadonlySet<EntryId>;
}): Promise<Facts> {
  const facts = new Map<EntryId, Fact>();
  const newest = survey.compactions.at(-1)?.id;
  let removed = 0;
  let summary = '';
  for await (const entry of source.entries()) {
    if (entry.type === 'compaction' && entry.id === newest) summary = entry.summary;
    if (sent.has(entry.id)) facts.set(entry.id, { at: entry.at, by: entry.type === 'message' ? entry.by : undefined });
    else if (survey.isOnPath(entry) && isConversation(entry)) removed += 1;
  }
  return { facts, removed, summary };
}

/** Whether an entry is part of what is said; system prompts are the agent's own. */
function isConversation(entry: Entry): boolean {
  const item = visibleItem(entry);
  return item !== undefined && item.message.role !== 'system';
}

function textIn(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
