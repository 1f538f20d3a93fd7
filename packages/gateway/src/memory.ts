import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Dialect, Json, JsonObject, Message } from 'longhaul/message';
import type { SessionId } from 'longhaul/session';
import { readSpans, type Span } from './body-spans.ts';
import type { ClientRequest } from './client-request.ts';
import { isRecord, listOf } from './json.ts';

/** A conversation that ended, and the folder that its client works in. */
export interface EndedConversation {
  readonly session: SessionId;
  readonly folder: string;
}

/** What a gateway does with the memory of repositories; see docs/memory.md. */
export interface GatewayMemory {
  /** The folder that clients work in. Default: the one that they name in their prompts. */
  readonly folder?: string;
  /** The branch that a folder is on; absent on the default branch. */
  readonly branch?: (folder: string) => string | undefined;
  /** The notes for a new conversation, which become part of its head. */
  readonly notes?: (of: {
    readonly folder: string;
    /** The first request of the user. */
    readonly request: string;
    /** The system prompt and everything else that the client sends with the request. */
    readonly instructions: string;
  }) => Promise<ConversationNotes | undefined>;
  /** Called with conversations that had no request for half an hour, and with all others when the gateway closes. */
  readonly ended?: (conversations: readonly EndedConversation[]) => void;
}

/** Notes for a conversation. */
export interface ConversationNotes {
  readonly text: string;
  /** Called once the conversation exists. */
  readonly delivered: (session: SessionId) => void;
}

/** What a new conversation is created with. */
export interface ConversationStart {
  readonly folder?: string;
  readonly branch?: string;
  readonly notes?: ConversationNotes;
}

/**
 * The folder of a new conversation, and its notes. Only a conversation with tools that has no answer yet gets notes:
 * others are titles, side calls, or older than the gateway.
 */
export async function startOf({
  memory,
  request,
}: {
  readonly memory: GatewayMemory | undefined;
  readonly request: ClientRequest;
}): Promise<ConversationStart> {
  if (!memory || request.tools.length === 0) return {};
  const messages = request.messagesFrom(0);
  const head = request.head.map(textIn).join('\n');
  const folder = memory.folder ?? workingFolder([head, ...messages.slice(0, 2).map(textIn)].join('\n'));
  if (folder === undefined) return {};
  const branch = memory.branch?.(folder);
  const where = { folder, ...(branch !== undefined && { branch }) };
  if (!memory.notes || request.forbidsTools || messages.some(({ role }) => role === 'assistant')) return where;
  const said = messages.findLast(({ role }) => role === 'user');
  const wanted = {
    folder,
    request: (said ? textIn(said) : '').replace(reminders, ' ').trim(),
    instructions: [head, ...messages.map(textIn)].join('\n'),
  };
  // Memory is an aid: the conversation goes on without it.
  const notes = await memory.notes(wanted).catch(() => undefined);
  return { ...where, ...(notes && { notes }) };
}

/** Blocks that clients put next to what a person typed. */
const reminders = /<(system-reminder|environment_context|user_instructions|env)>[\s\S]*?<\/\1>/g;

/** How Claude Code, Codex, opencode, Gemini CLI, Qwen Code, pi and Copilot CLI name the folder. */
const folders = [
  /<cwd>([^<\n]{1,1000})<\/cwd>/,
  /\b(?:working|workspace) (?:directory|folder)(?: is)?:[ *`"]{0,4}([^\n`"<]{1,1000})/i,
  /\bworking in the directory:[ *`"]{0,4}([^\n`"<]{1,1000})/i,
];

/** The folder that a prompt names, if there is such a folder on this machine. */
function workingFolder(prompt: string): string | undefined {
  const start = prompt.slice(0, 200_000);
  for (const pattern of folders) {
    const named = pattern
      .exec(start)?.[1]
      ?.trim()
      .replace(/[.,;]$/, '');
    if (named !== undefined && isAbsolute(named) && statSync(named, { throwIfNoEntry: false })?.isDirectory())
      return named;
  }
  return undefined;
}

function textIn({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/**
 * A body with notes at the end of its system text. The same notes give the same bytes with every request, so that
 * provider caches hit. `undefined` where they cannot be added.
 */
export function addNotes({
  body,
  dialect,
  text,
}: {
  readonly body: Buffer;
  readonly dialect: Dialect;
  readonly text: string;
}): Buffer | undefined {
  const itemsKey = dialect === 'openai-chat' ? 'messages' : '';
  const spans = readSpans({ bytes: body, itemsKey });
  if (!spans) return undefined;
  if (dialect === 'openai-chat') {
    const items = spans.items ?? [];
    const said = items.findIndex((span) => !isSystemItem(valueAt(body, span)));
    const last = (said < 0 ? items.length : said) - 1;
    const span = items[last];
    const item = span && valueAt(body, span);
    if (span && isRecord(item))
      return replaced({ body, span, value: { ...item, content: withText({ value: item.content, text }) } });
    const [first] = items;
    return first && inserted({ body, at: first.start, text: `${JSON.stringify({ role: 'system', content: text })},` });
  }
  const names = {
    anthropic: ['system'],
    'openai-responses': ['instructions'],
    gemini: ['systemInstruction', 'system_instruction'],
  };
  const name = names[dialect].find((one) => spans.members.has(one)) ?? names[dialect][0] ?? '';
  const span = spans.members.get(name);
  const value = span && valueAt(body, span);
  const now = headWith({ dialect, value: value ?? null, text });
  if (span) return replaced({ body, span, value: now });
  return inserted({ body, at: body.indexOf('{') + 1, text: `${JSON.stringify(name)}:${JSON.stringify(now)},` });
}

function isSystemItem(item: Json): boolean {
  return isRecord(item) && (item.role === 'system' || item.role === 'developer');
}

function headWith({ dialect, value, text }: { dialect: Dialect; value: Json; text: string }): Json {
  if (dialect === 'openai-responses') return typeof value === 'string' && value !== '' ? `${value}\n\n${text}` : text;
  if (dialect === 'gemini') {
    const content = isRecord(value) ? value : {};
    return { ...content, parts: [...listOf(content.parts), { text }] as Json[] } as JsonObject;
  }
  return typeof value === 'string' || Array.isArray(value)
    ? (withText({
        value: typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : value,
        text,
      }) as Json)
    : [{ type: 'text', text }];
}

function withText({ value, text }: { readonly value: unknown; readonly text: string }): unknown {
  if (Array.isArray(value)) return [...value, { type: 'text', text }];
  return typeof value === 'string' && value !== '' ? `${value}\n\n${text}` : text;
}

function valueAt(body: Buffer, { start, end }: Span): Json {
  return JSON.parse(body.toString('utf8', start, end)) as Json;
}

function replaced({ body, span, value }: { body: Buffer; span: Span; value: unknown }): Buffer {
  return Buffer.concat([body.subarray(0, span.start), Buffer.from(JSON.stringify(value)), body.subarray(span.end)]);
}

function inserted({ body, at, text }: { body: Buffer; at: number; text: string }): Buffer {
  return Buffer.concat([body.subarray(0, at), Buffer.from(text), body.subarray(at)]);
}

const [idleTime, checkTime] = [30 * 60_000, 60_000];

/** Finds conversations that have ended: a client does not say so. */
export class ConversationEnds {
  readonly #ended: NonNullable<GatewayMemory['ended']>;
  readonly #used = new Map<SessionId, { readonly folder: string; readonly at: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(ended: NonNullable<GatewayMemory['ended']>) {
    this.#ended = ended;
    this.#timer = setInterval(() => this.#report(Date.now() - idleTime), checkTime);
    this.#timer.unref();
  }

  /** A conversation had a request. */
  use({ session, folder }: EndedConversation): void {
    this.#used.set(session, { folder, at: Date.now() });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#report(Number.POSITIVE_INFINITY);
  }

  #report(before: number): void {
    const over = [...this.#used].filter(([, { at }]) => at <= before);
    for (const [session] of over) this.#used.delete(session);
    if (over.length > 0) this.#ended(over.map(([session, { folder }]) => ({ session, folder })));
  }
}
