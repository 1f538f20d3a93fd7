import type { IncomingHttpHeaders } from 'node:http';
import { LonghaulError } from 'longhaul';
import type { TargetModel } from 'longhaul/engine';
import { type Part, system } from 'longhaul/message';
import { type ModelFailure, type ModelInfo, modelInfo } from 'longhaul/models';
import { ConflictError, type EntryId } from 'longhaul/session';
import { LRUCache } from 'lru-cache';
import type { Answer } from './answer-reader.ts';
import { type ClientRequest, readClientRequest } from './client-request.ts';
import type { AnswerMessage, ClientConversation } from './conversation/conversation.ts';
import type { Conversations } from './conversation/conversations.ts';
import { type ClientHints, readHints } from './conversation/hints.ts';
import { requestHeaders } from './http/headers.ts';
import { isRecord, listOf } from './json.ts';
import type { KnownRequests } from './known-requests.ts';
import { addNotes, type ConversationEnds, type GatewayMemory, startOf } from './memory.ts';
import { recallName } from './recall/filter.ts';
import { isRecallable, withRecall } from './recall/offer.ts';
import { renderBody } from './render.ts';
import type { KnownRoute, Route } from './route.ts';
import type { Caller } from './summarize/caller-model.ts';
import type { CallerSummarizer } from './summarize/caller-summarizer.ts';

/** A request whose conversation is known, and what is sent for it. */
export interface Followed {
  readonly request: ClientRequest;
  readonly conversation: ClientConversation;
  readonly model: TargetModel;
  readonly hints: ClientHints;
  /** The body to send; `undefined` for the body as it came. */
  readonly body: Buffer | undefined;
  /** The entry of each item of the request. */
  readonly entries: readonly (EntryId | null)[];
  /** The compaction that this request caused, if any. */
  readonly compacted: boolean;
}

/** What following conversations needs. */
export interface FollowParts {
  readonly conversations: Conversations;
  readonly known: KnownRequests;
  /** The largest window to use, in tokens. */
  readonly window: number | undefined;
  /** Whether models may read what was compacted away. */
  readonly recall: boolean;
  /** Makes summaries with the models of the clients, where that is asked for. */
  readonly summarizer: CallerSummarizer | undefined;
  /** Whether requests for which nothing can be due are sent before the log is written. */
  readonly isQuick: boolean;
  readonly memory: GatewayMemory | undefined;
  /** Called for every request of a conversation that may be consolidated. */
  readonly ends: ConversationEnds | undefined;
}

/**
 * Reads the body of a request as far as the gateway follows it. `undefined` for what is passed through: bodies that are
 * no conversation, and clients that let their provider compact.
 */
export function readFollowed({
  parts,
  route,
  bytes,
}: {
  readonly parts: FollowParts;
  readonly route: Route & { readonly known: KnownRoute };
  readonly bytes: Buffer;
}): ClientRequest | undefined {
  const isStream = route.path.includes(':streamGenerateContent');
  const { known, conversations } = parts;
  const itemById = (id: string) => conversations.item(id);
  const request = readClientRequest({ bytes, route: route.known, known, itemById, isStream });
  if (!request || asksProviderToCompact(request)) return undefined;
  // A conversation that the server keeps under an id cannot be sent in another form.
  if ((request.member('conversation') ?? null) !== null) return undefined;
  return parts.recall ? withRecall(request) : request;
}

/** Below this share of what would cause a compaction nothing is due; a token is rarely shorter than two bytes. */
const safeShare = 0.65;
const leastTokenBytes = 2;

/**
 * What to send for a request for which nothing can be due, without waiting for the log: its conversation is at hand and
 * far from its limit, or it is new and small. `undefined` where that is not certain.
 */
export function quickBody({
  parts,
  route,
  request,
  headers,
}: {
  readonly parts: FollowParts;
  readonly route: Route;
  readonly request: ClientRequest;
  readonly headers: IncomingHttpHeaders;
}): { readonly body: Buffer | undefined } | undefined {
  const { conversations, window, isQuick, recall, memory } = parts;
  if (!isQuick || request.previous !== undefined) return undefined;
  const hints = readHints({ headers, member: request.member });
  const found = conversations.atHand({ request, hints });
  if (!found) return undefined;
  const model = targetModel({ route, request, window });
  const { length } = request.bytes;
  if (found === 'new') {
    // Notes are chosen, and a replaced history is found, before the first request is sent.
    if (memory?.notes || recall) return undefined;
    const isSmall = length / leastTokenBytes < (model.info.window / 2) * safeShare;
    return isSmall ? { body: undefined } : undefined;
  }
  const { conversation, entries } = found;
  const size = conversation.sizeFor(model);
  // What offers recall needs the conversation before it is sent.
  if (!size || (recall && !conversation.isComplete)) return undefined;
  const bound = size.bound + Math.max(0, length - size.bytes) / leastTokenBytes;
  if (bound > size.limit * safeShare) return undefined;
  return { body: bodyFor({ parts, request, conversation, entries, model }) };
}

/** What is sent for a request whose conversation is known, with its notes; `undefined` for the body as it came. */
function bodyFor({
  parts,
  request,
  conversation,
  entries,
  model,
}: Pick<Followed, 'request' | 'conversation' | 'entries' | 'model'> & {
  readonly parts: Pick<FollowParts, 'recall'>;
}): Buffer | undefined {
  const body = renderBody({
    request,
    conversation,
    entries,
    dropsThinking: dropsThinking(model),
    // Also where a single request forbids it: the texts stay the same.
    namesRecall: parts.recall && request.tools.length > 0,
  });
  const { notes: text } = conversation;
  return text === undefined || isContinuedThread(request)
    ? body
    : (addNotes({ body: body ?? request.bytes, dialect: request.dialect, text }) ?? body);
}

/** The server has system text and tools of a thread, and accepts none in the requests that continue it. */
function isContinuedThread({ isThread, previous }: ClientRequest): boolean {
  return isThread && previous !== undefined;
}

/** The request with all that the model gets: the notes of its conversation in its head, and what the server has of a thread. */
async function wholeRequest({
  parts,
  request,
  conversation,
}: Pick<Followed, 'request' | 'conversation'> & {
  readonly parts: Pick<FollowParts, 'recall'>;
}): Promise<ClientRequest> {
  const { notes, head, engine } = conversation;
  if (isContinuedThread(request)) {
    const tools = (await engine.tools()).filter(({ name }) => name !== recallName);
    return parts.recall ? withRecall({ ...request, head, tools }) : { ...request, head, tools };
  }
  return notes === undefined ? request : { ...request, head: [...request.head, system(notes)] };
}

/** Finds or begins the conversation of a request, appends what is new, and renders what is sent for it. */
export async function followRequest({
  parts,
  route,
  request,
  headers,
  rawHeaders,
}: {
  readonly parts: FollowParts;
  readonly route: Route;
  readonly request: ClientRequest;
  readonly headers: IncomingHttpHeaders;
  /** Name and value in turn. */
  readonly rawHeaders: readonly string[];
}): Promise<Followed | undefined> {
  const { conversations } = parts;
  requireCountable(request);
  const model = targetModel({ route, request, window: parts.window });
  const hints = readHints({ headers, member: request.member });
  const follow = () => conversations.exclusive({ request, work: place });
  try {
    return await follow();
  } catch (error) {
    // Another process appended to the session: `longhaul compact`, `undo`, or a second gateway.
    if (!(error instanceof ConflictError)) throw error;
    await conversations.forget(error.session);
    return await follow();
  }

  async function place(): Promise<Followed | undefined> {
    const start = () => startOf({ memory: parts.memory, request });
    const placement = await conversations.place({ request, hints, start });
    if (!placement) return undefined;
    const { conversation, entries: known, kept } = placement;
    const { cwd: folder } = conversation.engine.session.header;
    if (folder !== undefined && request.tools.length > 0) parts.ends?.use({ session: conversation.id, folder });
    parts.summarizer?.use({ session: conversation.id, caller: callerOf({ route, model, rawHeaders }) });
    const whole = await wholeRequest({ parts, request, conversation });
    const isRepeated = known.length === request.items.length && conversation.isPrepared({ request, model });
    const { entries, compacted } = isRepeated
      ? { entries: known, compacted: false }
      : await extended({ conversation, known, whole });
    const { lastShrink } = conversation;
    // What the server keeps under the previous response is what was sent, unless something was compacted since. It is not
    // what is sent where the gateway answered calls: the id that the client has is then that of the first of several responses.
    const isOnServer =
      kept !== undefined && (lastShrink === null || lastShrink < kept) && !conversation.hasHiddenRounds(kept);
    // A thread is continued once from each answer, so that a hidden round could not be added to one that goes on.
    const mayRecall = request.isThread && isRecallable(whole) && !conversation.isComplete;
    const { notes: text } = conversation;
    const { bytes, dialect } = request;
    const body =
      !isOnServer || mayRecall
        ? bodyFor({ parts, request: whole, conversation, entries, model })
        : text === undefined || isContinuedThread(request)
          ? undefined
          : addNotes({ body: bytes, dialect, text });
    return { request: whole, conversation, model, hints, body, entries, compacted };
  }

  async function extended({
    conversation,
    known,
    whole,
  }: {
    readonly conversation: ClientConversation;
    readonly known: readonly (EntryId | null)[];
    readonly whole: ClientRequest;
  }) {
    const { prepared, entries } = await conversation.extend({ request: whole, from: known.length, model });
    return { entries: [...known, ...entries], compacted: prepared.report.compaction?.installed === true };
  }
}

/** Characters of one text, and of all texts of a request: to count the tokens of more would hold up all other clients. */
const longest = { text: 4_000_000, request: 16_000_000 };

function requireCountable(request: ClientRequest): void {
  if (request.bytes.length <= longest.text) return;
  const lengths = request.messagesFrom(0).flatMap(({ parts }) => parts.flatMap(textLengths));
  const all = lengths.reduce((sum, length) => sum + length, 0);
  if (all <= longest.request && lengths.every((length) => length <= longest.text)) return;
  throw new LonghaulError({
    code: 'request-too-long',
    message: 'A text of the request is too long to be counted.',
    hint: `Conversations are followed up to ${longest.text} characters in one text and ${longest.request} in all.`,
  });
}

function textLengths(part: Part): number[] {
  if (part.type === 'tool_result') return part.content.flatMap(textLengths);
  return part.type === 'text' || part.type === 'thinking' ? [part.text.length] : [];
}

/**
 * What to send for a request that asks about a conversation without continuing it: to count it, or to have it compacted
 * by the provider. `undefined` for the body as it came.
 */
export async function peekRequest({
  parts,
  route,
  request,
  headers,
}: {
  readonly parts: FollowParts;
  readonly route: Route;
  readonly request: ClientRequest;
  readonly headers: IncomingHttpHeaders;
}): Promise<Buffer | undefined> {
  const { conversations, window } = parts;
  const model = targetModel({ route, request, window });
  const hints = readHints({ headers, member: request.member });
  return await conversations.exclusive({
    request,
    work: async () => {
      const found = await conversations.peek({ request, hints });
      if (!found?.isAtEnd) return undefined;
      const { conversation, entries } = found;
      const whole = await wholeRequest({ parts, request, conversation });
      return bodyFor({ parts, request: whole, conversation, entries, model });
    },
  });
}

/** Whether a request asks the provider for a compaction: by a member (Messages API), or by a last item (Codex). */
export function isCompactionRequest(request: ClientRequest): boolean {
  if (request.dialect === 'anthropic') return (request.member('compaction') ?? null) !== null;
  const last = request.items.at(-1);
  if (request.dialect !== 'openai-responses' || !last) return false;
  const item = request.item(last);
  return isRecord(item) && item.type === 'compaction_trigger';
}

/** What to send after the provider refused a request as too long; `undefined` where it cannot be made smaller. */
export async function shrinkRequest({
  parts,
  followed,
  failure,
}: {
  readonly parts: FollowParts;
  readonly followed: Followed;
  readonly failure: ModelFailure;
}): Promise<Buffer | undefined> {
  const { conversation, request, model, entries } = followed;
  return await parts.conversations.exclusive({
    request,
    work: async () => {
      await conversation.engine.report({ failure });
      await conversation.retry({ request, model });
      return bodyFor({ parts, request, conversation, entries, model });
    },
  });
}

/** Records the answer of a request. */
export async function commitAnswer({
  parts,
  followed: { conversation, request, model, entries },
  answer,
  requestId,
  messages,
}: {
  readonly parts: FollowParts;
  readonly followed: Followed;
  /** As the client sees it. */
  readonly answer: Answer;
  readonly requestId: string | undefined;
  /** As it is in the log, if that is not what the client sees. */
  readonly messages?: readonly AnswerMessage[];
}): Promise<void> {
  const last = entries.findLast((entry) => entry !== null);
  const chain = request.chain.at(-1);
  if (last === undefined || last === null || chain === undefined) return;
  const { items, usage } = answer;
  const { dialect } = request;
  const responseId = dialect === 'anthropic' && !request.isThread ? undefined : answer.responseId;
  await parts.conversations.exclusive({
    request,
    work: () =>
      conversation.commit({
        items,
        usage,
        requestId,
        model,
        last,
        chain,
        dialect,
        responseId,
        ...(messages && { messages }),
      }),
  });
}

/** How the model of a client is asked for a summary: on the same upstream, with the same key, tagged as such. */
function callerOf({
  route: { origin, path },
  model,
  rawHeaders,
}: {
  readonly route: Route;
  readonly model: TargetModel;
  readonly rawHeaders: readonly string[];
}): Caller {
  const [pathname = '', query = ''] = path.split('?');
  const isGemini = model.dialect === 'gemini';
  const parameters = new URLSearchParams(query);
  if (isGemini) parameters.set('alt', 'sse');
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return {
    model,
    origin,
    path: `${isGemini ? pathname.replace(':generateContent', ':streamGenerateContent') : pathname}${search}`,
    headers: requestHeaders({
      raw: rawHeaders,
      without: ['content-encoding', 'accept'],
      set: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        'x-interaction-type': 'conversation-compaction',
      },
    }),
  };
}

const providers: Readonly<Record<string, string>> = { gemini: 'google' };

/** What is known of the models in use: searching the catalog takes longer than reading a request. */
const infos = new LRUCache<string, ModelInfo>({
  max: 500,
  memoMethod: (key) => {
    const [provider, name] = JSON.parse(key) as [string, string];
    return modelInfo({ provider, name });
  },
});

/** The model of a request, with the window that it is kept in. */
function targetModel({
  route,
  request,
  window,
}: {
  readonly route: Route;
  readonly request: ClientRequest;
  readonly window: number | undefined;
}): TargetModel {
  const provider = providers[route.upstream] ?? route.upstream;
  const { model: name, dialect } = request;
  const id = { provider, name };
  const info = infos.memo(JSON.stringify([provider, name]));
  if (window === undefined || (info.known && info.window <= window)) return { id, dialect, info };
  const smaller: ModelInfo = {
    ...info,
    window,
    ...(info.inputLimit !== undefined && { inputLimit: Math.min(info.inputLimit, window) }),
    maxOutput: Math.min(info.maxOutput, window),
  };
  return { id, dialect, info: smaller };
}

/** Models that bind thinking to what precedes it refuse it after a compaction; what is not known may be one. */
function dropsThinking({ dialect, info }: TargetModel): boolean {
  return dialect === 'anthropic' && (!info.known || info.quirks.includes('bindsThinking'));
}

/** Clients that use their provider's own compaction get it undisturbed. */
function asksProviderToCompact(request: ClientRequest): boolean {
  const management = request.member('context_management');
  const edits = isRecord(management) ? listOf(management.edits) : listOf(management);
  return edits.some(
    (edit) => isRecord(edit) && (String(edit.type).startsWith('compact') || edit.compact_threshold !== undefined),
  );
}
