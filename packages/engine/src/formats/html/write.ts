import { isObject, type Json, parseJson } from '../../json.ts';
import type { ContentPart, MediaSource, Part } from '../../message/index.ts';
import { closeDocument, dataBlock, openDocument } from '../../page/document.ts';
import { type Entry, gistOf, nodeTypes, type SessionHeader } from '../../session/index.ts';
import type { ExportSource } from '../export/source.ts';
import { factsOf, type Survey, surveyOf } from '../export/survey.ts';
import { type TraceStep, traced } from '../export/trace.ts';
import { page as code } from './page.generated.ts';
import type { PageEntry, PagePart, PageSession, Who } from './shape.ts';

const noscript =
  'This page shows a session with the script that is in it. It needs no network, but it needs the script.';

/** So many entries, or so many characters, stand in one block of data: a page of any size is written in pieces. */
const block = { entries: 200, chars: 1_000_000 };

/**
 * A session as one self-contained HTML file: the timeline of every branch, what was compacted and what replaced it, and
 * how much was sent when. It loads nothing from the network.
 *
 * @example
 * for await (const piece of writeHtml(source)) stream.write(piece);
 */
export async function* writeHtml(source: ExportSource): AsyncGenerator<string> {
  const survey = await surveyOf(source);
  const session = sessionOf({ header: source.header, survey, leaf: source.head.leaf });
  const toPage = createPageEntries({ survey });

  yield openDocument({ title: session.title, code, noscript });
  yield dataBlock({ name: 'session', value: session as unknown as Json });
  let entries: PageEntry[] = [];
  let chars = 0;
  for await (const step of traced(source.entries())) {
    const entry = toPage(step);
    entries.push(entry);
    chars += entry.parts.reduce((sum, part) => sum + (part.type === 'image' ? part.source : part.text).length, 0);
    if (entries.length < block.entries && chars < block.chars) continue;
    yield dataBlock({ name: 'entries', value: entries as unknown as Json });
    entries = [];
    chars = 0;
  }
  if (entries.length > 0) yield dataBlock({ name: 'entries', value: entries as unknown as Json });
  yield closeDocument({ code });
}

function sessionOf({
  header,
  survey,
  leaf,
}: {
  readonly header: SessionHeader;
  readonly survey: Survey;
  readonly leaf: string | null;
}): PageSession {
  const { name, title } = survey.summary;
  return {
    title: name ?? title ?? 'A session',
    facts: factsOf(header),
    leaf: leaf === null ? null : (survey.handleOf(leaf) ?? null),
  };
}

/**
 * Says each entry of a log in the words of the page.
 *
 * @example
 * const toPage = createPageEntries({ survey });
 * const entries = log.map((entry) => toPage({ entry, step: trace(entry) }));
 */
function createPageEntries({
  survey,
}: {
  readonly survey: Survey;
}): (of: { readonly entry: Entry; readonly step: TraceStep }) => PageEntry {
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

/** Which call a result belongs to. */
interface Calls {
  readonly get: (id: string) => { readonly name: string; readonly handle: number } | undefined;
}

/**
 * The parts of a message for the page. One part can become several: a result with an image in it.
 *
 * @example
 * const parts = pageParts({ parts: entry.message.parts, calls });
 */
function pageParts({ parts, calls }: { readonly parts: readonly Part[]; readonly calls: Calls }): PagePart[] {
  return parts.flatMap((part): PagePart[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', who: part.origin, text: part.text }];
      case 'thinking':
        return [{ type: 'thinking', text: part.text === '' ? '(only its provider can read it)' : part.text }];
      case 'tool_call':
        return [{ type: 'call', name: part.name, text: indented(part.arguments) }];
      case 'tool_result': {
        const call = calls.get(part.callId);
        const texts = part.content.flatMap((inner) => textOf(inner) ?? []);
        return [
          {
            type: 'result',
            name: part.name ?? call?.name ?? 'tool',
            text: texts.join('\n'),
            isError: part.isError === true,
            ...(call && { call: call.handle }),
          },
          ...part.content.flatMap(imageOf),
        ];
      }
      default: {
        const text = textOf(part);
        return text === undefined ? imageOf(part) : [{ type: 'text', who: part.origin, text }];
      }
    }
  });
}

function textOf(part: ContentPart): string | undefined {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
      return isShown(part.source) ? undefined : `[image ${mediaName(part.source)}]`;
    case 'document':
      return part.source.kind === 'text' ? part.source.text : `[document ${part.name ?? mediaName(part.source)}]`;
    case 'opaque':
      return `[${part.kind}]`;
  }
}

function imageOf(part: ContentPart): PagePart[] {
  if (part.type !== 'image' || !isShown(part.source)) return [];
  const { mediaType, data } = part.source;
  return [{ type: 'image', source: `data:${mediaType};base64,${data}` }];
}

/** The page loads nothing, so it shows the images that it has. */
function isShown(source: MediaSource): source is MediaSource & { kind: 'base64' } {
  return source.kind === 'base64' && /^image\/[\w.+-]+$/.test(source.mediaType);
}

function mediaName(source: MediaSource): string {
  if (source.kind === 'url') return source.url;
  return source.kind === 'file' ? source.id : source.kind === 'base64' ? source.mediaType : '';
}

/** Arguments for eyes; what is no object stays as it was written. */
function indented(text: string): string {
  const value = parseJson(text);
  return isObject(value) ? JSON.stringify(value, undefined, 2) : text;
}
