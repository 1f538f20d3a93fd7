import { plain } from 'longhaul/agent';
import type { ContentPart, JsonObject, Message, Part } from 'longhaul/message';
import type { CompactionEntry, Entry, EntryId, Session } from 'longhaul/session';
import { nodeTypes } from 'longhaul/session';
import { isRecord } from '../../input/is-record.ts';
import { clip } from '../../text/clip.ts';
import type { TextItem, ToolItem, TranscriptItem } from './view.ts';

/** Longer outputs are shown by their end; `readOutput` has all of it. */
export const shownOutput = 64 * 1024;

/** What a change of the transcript did. */
export interface ItemChange {
  readonly item: TranscriptItem;
  readonly change: 'added' | 'updated';
}

/**
 * The items of a conversation, built entry by entry: the same code for the log of an earlier run and for what is appended
 * now. A call and its result are one item.
 *
 * @example
 * const transcript = new Transcript();
 * for (const entry of path) transcript.take(entry);
 * transcript.items;
 */
export class Transcript {
  readonly items: TranscriptItem[] = [];
  readonly #places = new Map<string, number>();
  /** Added to a place when items are put in front or removed there. */
  #shift = 0;

  /** Appends an item, or replaces the one with the same id. */
  put(item: TranscriptItem): ItemChange {
    const at = this.#place(item.id);
    if (at === undefined) {
      this.#places.set(item.id, this.items.push(item) - 1 - this.#shift);
      return { item, change: 'added' };
    }
    this.items[at] = item;
    return { item, change: 'updated' };
  }

  find(id: string): TranscriptItem | undefined {
    const at = this.#place(id);
    return at === undefined ? undefined : this.items[at];
  }

  /** The tool call, if it is among the items. */
  call(callId: string): ToolItem | undefined {
    const item = this.find(callItemId(callId));
    return item?.kind === 'tool' ? item : undefined;
  }

  /** Puts earlier items in front. */
  prepend(items: readonly TranscriptItem[]): void {
    this.items.unshift(...items);
    this.#shift += items.length;
    for (const [index, { id }] of items.entries()) this.#places.set(id, index - this.#shift);
  }

  /** Removes the oldest items, so that a session of days needs no more memory than one of an hour. */
  trim({ keep }: { readonly keep: number }): boolean {
    const surplus = this.items.length - keep;
    if (surplus <= 0) return false;
    for (const { id } of this.items.splice(0, surplus)) this.#places.delete(id);
    this.#shift -= surplus;
    return true;
  }

  clear(): void {
    this.items.length = 0;
    this.#places.clear();
    this.#shift = 0;
  }

  /**
   * Adds what an entry of the log shows.
   *
   * @param live the ids of the streamed texts that this answer completes, in order; its calls are about to run
   */
  take(entry: Entry, live?: readonly string[]): ItemChange[] {
    const { at, handle } = entry;
    switch (entry.type) {
      case 'message':
        return this.#takeMessage({ message: entry.message, entry, live, key: entry.key });
      case 'partial_answer':
        return this.#takeMessage({ message: entry.message, entry, live, key: undefined });
      case 'compaction':
        return [this.put(compactionItem(entry))];
      case 'branch_summary':
        return [
          this.put({
            id: entry.id,
            at,
            handle,
            kind: 'notice',
            level: 'info',
            text: plain(`Branch summary: ${entry.summary}`),
          }),
        ];
      case 'custom_message':
        return entry.display
          ? [this.put({ id: entry.id, at, handle, kind: 'notice', level: 'info', text: plain(textIn(entry.parts)) })]
          : [];
      case 'model_change': {
        const text = `Model: ${entry.model.provider}/${entry.model.name}`;
        // The first model of a session is in the status line.
        return this.items.every(({ kind }) => kind === 'user')
          ? []
          : [this.put({ id: entry.id, at, handle, kind: 'notice', level: 'info', text })];
      }
      case 'epoch': {
        const text = epochTexts[entry.reason];
        return text === undefined ? [] : [this.put({ id: entry.id, at, handle, kind: 'notice', level: 'info', text })];
      }
      default:
        return [];
    }
  }

  #takeMessage(of: {
    readonly message: Message;
    readonly entry: Pick<Entry, 'id' | 'at' | 'handle'>;
    readonly live: readonly string[] | undefined;
    readonly key: string | undefined;
  }): ItemChange[] {
    const { message, entry } = of;
    const { at, handle } = entry;
    if (message.role === 'user') {
      const item = userItem({
        message,
        id: of.key === undefined ? entry.id : promptItemId(of.key.replace(/:\d+$/, '')),
        at,
        handle,
      });
      return item ? [this.put(item)] : [];
    }
    if (message.role === 'tool') {
      return message.parts.flatMap((part) => (part.type === 'tool_result' ? this.#takeResult({ part, entry }) : []));
    }
    if (message.role !== 'assistant') return [];
    const liveIds = [...(of.live ?? [])];
    return message.parts.flatMap((part, index) => {
      if (part.type === 'tool_call') {
        const known = this.call(part.id);
        return [this.put(known ? { ...known, handle } : callItem({ part, at, handle, isLive: of.live !== undefined }))];
      }
      if (part.type !== 'text' && part.type !== 'thinking') return [];
      if (part.text === '') return [];
      const kind: TextItem['kind'] = part.type === 'text' ? 'assistant' : 'thinking';
      const id = liveIds.shift() ?? `${entry.id}.${index}`;
      return [this.put({ id, at, handle, kind, text: plain(part.text), isStreaming: false })];
    });
  }

  #takeResult({
    part,
    entry: { handle },
  }: {
    readonly part: Extract<Part, { type: 'tool_result' }>;
    readonly entry: Pick<Entry, 'handle'>;
  }): ItemChange[] {
    const call = this.call(part.callId);
    if (!call) return [];
    // A call that did not run has words of the engine, which say why.
    const text = plain(part.origin === 'engine' ? textIn(part.content) : textOfContent(part.content));
    const state = part.isError ? 'failed' : 'done';
    const settled = call.state === 'done' || call.state === 'failed';
    return [
      this.put({
        ...call,
        state: settled ? call.state : state,
        ...outputOf(text),
        handle,
        ...(part.exit !== undefined && { exit: part.exit }),
      }),
    ];
  }

  #place(id: string): number | undefined {
    const at = this.#places.get(id);
    return at === undefined ? undefined : at + this.#shift;
  }
}

/** The id of the item for a prompt, from its key in the log. */
export function promptItemId(key: string): string {
  return `prompt:${key}`;
}

export function callItemId(callId: string): string {
  return `call:${callId}`;
}

/** The end of a text that is too long, beginning with a whole line. */
export function outputOf(text: string): Pick<ToolItem, 'output' | 'isCut'> {
  if (text.length <= shownOutput) return { output: text, isCut: false };
  const end = text.slice(-shownOutput);
  return { output: end.slice(end.indexOf('\n') + 1).toWellFormed(), isCut: true };
}

/** Epochs that a person should see; a compaction has an entry of its own. */
const epochTexts: Readonly<Partial<Record<string, string>>> = {
  undo: 'Undone. /redo brings it back.',
  redo: 'Redone. /undo takes it back.',
  edit: 'A message was edited in what is sent.',
  prune: 'Old tool outputs were replaced by notices in what is sent; /undo brings them back.',
  guard: 'The conversation was cut to fit the window. Everything is still in the log.',
};

/**
 * What a message of the user shows; `undefined` for one that has only words of the engine.
 *
 * @example
 * userItem({ message, id: entry.id, at: entry.at, handle: entry.handle });
 */
export function userItem({
  message,
  id,
  at,
  handle,
}: {
  readonly message: Message;
  readonly id: string;
  readonly at: number;
  readonly handle?: number;
}): TranscriptItem | undefined {
  const text = plain(humanText(message));
  const base = { id, at, ...(handle !== undefined && { handle }) };
  const data = message.parts.flatMap((part) => (part.type === 'text' && part.origin === 'data' ? [part.text] : []));
  const ran = data.map((each) => shellOutput.exec(each)).find((match) => match !== null);
  if (ran && text.startsWith('! ')) {
    const [, , exit = '0', output = ''] = ran;
    return {
      ...base,
      kind: 'shell',
      command: text.slice(2),
      output: outputOf(plain(output)).output,
      exit: Number(exit),
    };
  }
  const attachments = message.parts.flatMap((part) => attachmentName(part));
  if (text === '' && attachments.length === 0) return undefined;
  const images = message.parts.flatMap((part) =>
    part.type === 'image' && part.source.kind === 'base64' ? [part.source] : [],
  );
  return { ...base, kind: 'user', text, attachments, images };
}

/** The output of a command of the user, as `shellMessage` writes it. */
const shellOutput = /^<(command-output(?:-\d{9})?) exit="(-?\d+)"[^\n]*>\n([\s\S]*)\n<\/\1>$/;

/** What a message part is attached as; nothing for what the user or the engine wrote. */
function attachmentName(part: Part): string[] {
  if (part.type === 'image') return ['image'];
  if (part.type === 'document') return [part.name ?? 'document'];
  if (part.type !== 'text' || part.origin !== 'data') return [];
  return [/^<[\w-]+ path="([^"\n]*)"/.exec(part.text)?.[1] ?? 'input'];
}

function callItem({
  part,
  at,
  handle,
  isLive,
}: {
  readonly part: Extract<Part, { type: 'tool_call' }>;
  readonly at: number;
  readonly handle: number;
  readonly isLive: boolean;
}): ToolItem {
  const input = argumentsOf(part.arguments);
  const diff = diffOfInput({ tool: part.name, input });
  return {
    id: callItemId(part.id),
    at,
    handle,
    kind: 'tool',
    callId: part.id,
    tool: part.name,
    summary: plain(callSummary({ tool: part.name, input })),
    input,
    state: isLive ? 'pending' : 'interrupted',
    output: '',
    isCut: false,
    ...(diff !== undefined && { diff: plain(diff) }),
  };
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

/** The argument that says most about a call of a known tool. */
const tellingArguments = [
  'command',
  'file_path',
  'path',
  'pattern',
  'query',
  'handle',
  'description',
  'prompt',
  'name',
];

function callSummary({ tool, input }: { readonly tool: string; readonly input: JsonObject }): string {
  const name = tellingArguments.find((each) => typeof input[each] === 'string');
  const value = name === undefined ? undefined : input[name];
  if (typeof value !== 'string') return tool;
  return `${tool}${name === 'command' ? ':' : ''} ${clip({ text: value, length: 200 })}`;
}

/** What a call writes, as far as its arguments say; the log does not keep what was there before. */
function diffOfInput({ tool, input }: { readonly tool: string; readonly input: JsonObject }): string | undefined {
  const { file_path: path, content, edits } = input;
  if (typeof path !== 'string') return undefined;
  const header = `--- a/${path}\n+++ b/${path}\n`;
  if (tool === 'write' && typeof content === 'string') return `${header}@@ @@\n${signed({ sign: '+', text: content })}`;
  const hunks = (Array.isArray(edits) ? edits : [input]).flatMap((edit: unknown) =>
    isRecord(edit) && typeof edit.old_string === 'string' && typeof edit.new_string === 'string'
      ? [`@@ @@\n${signed({ sign: '-', text: edit.old_string })}${signed({ sign: '+', text: edit.new_string })}`]
      : [],
  );
  return hunks.length === 0 ? undefined : `${header}${hunks.join('')}`;
}

function signed({ sign, text }: { readonly sign: string; readonly text: string }): string {
  if (text === '') return '';
  return `${text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign}${line}`)
    .join('\n')}\n`;
}

function compactionItem(entry: CompactionEntry): TranscriptItem {
  const { id, at, handle, summary, shortSummary, tokensBefore, trigger, details } = entry;
  const after = isRecord(details) ? details.tokensAfter : undefined;
  return {
    id,
    at,
    handle,
    kind: 'compaction',
    tokensBefore,
    tokensAfter: typeof after === 'number' ? after : undefined,
    trigger,
    left: leftText(isRecord(details) ? details.loss : undefined),
    summary: plain(shortSummary ?? clip({ text: summary, length: 200 })),
  };
}

/** Which parts are no longer sent, by the loss report of a compaction. */
function leftText(loss: unknown): string {
  const lost = isRecord(loss) ? loss.lost : undefined;
  if (!isRecord(lost)) return '';
  const named = Object.entries(lossNames).flatMap(([kind, name]) => {
    const amount = lost[kind];
    const parts = isRecord(amount) && typeof amount.parts === 'number' ? amount.parts : 0;
    return parts === 0 ? [] : [`${parts} ${name}`];
  });
  return named.join(', ');
}

const lossNames: Readonly<Record<string, string>> = {
  human: 'of your messages',
  model: 'answers',
  calls: 'tool calls',
  results: 'tool results',
  media: 'images and files',
};

function textIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function textOfContent(content: readonly ContentPart[]): string {
  return content
    .flatMap((part) => (part.type === 'text' ? (part.origin === 'engine' ? [] : [part.text]) : [`[${part.type}]`]))
    .join('\n');
}

/** One page of the conversation, and where the page before it ends. */
export interface TranscriptPage {
  readonly items: readonly TranscriptItem[];
  /** The entry before the first of this page; `null` at the beginning of the conversation. */
  readonly before: EntryId | null;
}

/** Entries read at once. */
const batch = 256;

/**
 * Reads the newest part of the path that ends at an entry. Only as much of the log is read as the page needs, so that a
 * session opens equally fast however long it is.
 *
 * @example
 * const { items, before } = await readTranscriptPage({ session, leaf: session.head.leaf, size: 200 });
 */
export async function readTranscriptPage({
  session,
  leaf,
  size,
}: {
  readonly session: Pick<Session, 'read' | 'head'>;
  readonly leaf: EntryId | null;
  /** At least so many entries, unless there are fewer. */
  readonly size: number;
}): Promise<TranscriptPage> {
  const path: Entry[] = [];
  const notes: Entry[] = [];
  let next = leaf;
  while (next !== null && (path.length < size || !isBoundary(path.at(-1)))) {
    const [entry] = await session.read({ ids: [next] });
    if (!entry) break;
    // Neighbors in the log are most likely neighbors on the path.
    const around = await session.read({ after: Math.max(0, entry.handle - batch), limit: batch });
    const known = around.filter(({ handle }) => handle <= entry.handle).toReversed();
    for (const each of known) {
      if (each.id === next) {
        path.push(each);
        next = each.parentId;
        if (path.length >= size && isBoundary(each)) break;
      } else if (!nodeTypes.has(each.type) && each.type === 'partial_answer') notes.push(each);
    }
  }
  const onPath = new Set(path.map(({ id }) => id));
  const shown = [...path, ...notes.filter(({ parentId }) => parentId !== null && onPath.has(parentId))];
  const transcript = new Transcript();
  for (const entry of shown.toSorted((a, b) => a.handle - b.handle)) transcript.take(entry);
  return { items: transcript.items, before: next };
}

/** A page begins with a prompt or an answer: a result without its call could not be shown. */
function isBoundary(entry: Entry | undefined): boolean {
  return entry?.type === 'message' && (entry.message.role === 'user' || entry.message.role === 'assistant');
}

/** What a person wrote in a message. */
export function humanText({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [part.text] : [])).join('\n');
}

/** The whole result of a call, free of control sequences. */
export function resultText({ message, callId }: { readonly message: Message; readonly callId: string }): string {
  const found = message.parts.find((part) => part.type === 'tool_result' && part.callId === callId);
  return found?.type === 'tool_result' ? plain(textOfContent(found.content)) : '';
}
