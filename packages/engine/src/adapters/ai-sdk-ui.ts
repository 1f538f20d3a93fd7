/**
 * AI SDK UI: the server of `useChat`. Conversations are kept in sessions, and a page that is reloaded continues where it
 * was, also in the middle of an answer.
 *
 * @module
 */
import {
  createUIMessageStream,
  createUIMessageStreamResponse,
  type ModelMessage,
  safeValidateUIMessages,
  type TextStreamPart,
  type ToolSet,
  toUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  type UIMessageStreamWriter,
} from 'ai';
import { LonghaulError } from '../errors.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { MissingSessionError } from '../session/index.ts';
import { modelMessages, saveMessages, toUIMessages } from './ai-sdk-ui-messages.ts';
import type { HostSession } from './host-history.ts';

export { toUIMessages };

/** What the page sent, and what an answer to it needs. */
export interface ChatCall<S> {
  readonly session: S;
  /** The whole conversation, for `streamText`. */
  readonly messages: ModelMessage[];
  readonly uiMessages: readonly UIMessage[];
  /** Aborts when the answer is stopped; not when the page is closed. */
  readonly signal: AbortSignal;
  /** Writes data parts and other chunks before or between those of the answer. */
  readonly writer: UIMessageStreamWriter;
  readonly request: Request;
  /** What the page sent, with the members of its own (`sendMessage(message, { body })`). */
  readonly body: JsonObject;
}

/** How a chat is answered. */
export interface ChatOptions<S extends HostSession, T extends ToolSet> {
  /** Sessions by the id of the chat: what `createLonghaul` returns. */
  readonly sessions: { open(id: string, options: { readonly create: boolean }): Promise<S> };
  /** Answers with the result of `streamText` or of an agent, or with a stream of the SDK's UI chunks. */
  readonly respond: (call: ChatCall<S>) => Answer<T> | Promise<Answer<T>>;
  /** Whether this request may read and continue this chat. By default every request may. */
  readonly authorize?: (call: { readonly id: string; readonly request: Request }) => boolean | Promise<boolean>;
  /** The tools of the conversation, where they have `toModelOutput`. */
  readonly tools?: T;
  /** What the page is shown of an error. By default only that there was one. */
  readonly onError?: (error: unknown) => string;
  /** The most bytes of a request, 32 MiB by default. */
  readonly bodyBytes?: number;
}

type Answer<T extends ToolSet> =
  | { readonly stream: ReadableStream<TextStreamPart<T>> }
  | ReadableStream<UIMessageChunk>;

/**
 * A handler for requests of `useChat`, in the form of `fetch`. With the SDK's default transport and `api: '/api/chat'`:
 *
 * - `POST /api/chat` sends the page's messages, or its last one alone, and streams the answer.
 * - `GET /api/chat/ID` has the conversation, for `messages` of `useChat`.
 * - `GET /api/chat/ID/stream` replays a running answer and continues it, for `resume`; 204 where none is running.
 * - `POST /api/chat/ID/stop` stops the answer. Closing the page does not.
 *
 * @example
 * import { anthropic } from '@ai-sdk/anthropic';
 * import { streamText, wrapLanguageModel } from 'ai';
 * const sessions = await createLonghaul({ dir: '.longhaul' });
 * const handler = createChatHandler({
 *   sessions,
 *   respond: ({ session, messages, signal }) =>
 *     streamText({
 *       model: wrapLanguageModel({ model: anthropic('claude-opus-5'), middleware: longhaul(session) }),
 *       messages,
 *       abortSignal: signal,
 *     }),
 * });
 */
export function createChatHandler<S extends HostSession, T extends ToolSet = ToolSet>(
  options: ChatOptions<S, T>,
): (request: Request) => Promise<Response> {
  const { sessions, authorize = () => true, bodyBytes = 32 * 2 ** 20 } = options;
  const runs = new Map<string, ChatRun>();

  /** `undefined` for a chat that does not exist. */
  async function opened({ id, request, create }: { id: string; request: Request; create: boolean }) {
    if (!(await authorize({ id, request }))) throw new Refusal({ status: 403, message: 'This chat is not yours.' });
    try {
      return await sessions.open(id, { create });
    } catch (error) {
      if (error instanceof MissingSessionError) return undefined;
      throw error instanceof LonghaulError ? new Refusal({ status: 400, message: error.message }) : error;
    }
  }

  async function send(request: Request): Promise<Response> {
    const body = await bodyOf({ request, bodyBytes });
    const { id } = body;
    if (typeof id !== 'string' || id === '')
      throw new Refusal({ status: 400, message: 'The request names no chat: `id` is missing.' });
    const session = await opened({ id, request, create: true });
    if (!session) throw new Refusal({ status: 404, message: 'There is no such chat.' });
    // Two answers at once would interleave in the log.
    await runs.get(id)?.stop();
    const uiMessages = await messagesOf({ body, session });
    const run = answered({ session, uiMessages, request, body, options });
    forgetOldest(runs);
    runs.delete(id);
    runs.set(id, run);
    return streamed(run.follow());
  }

  async function load({ id, request }: { id: string; request: Request }): Promise<Response> {
    const session = await opened({ id, request, create: false });
    if (!session) return Response.json([]);
    const run = runs.get(id);
    return Response.json(run?.load() ?? (await toUIMessages(session)));
  }

  async function resume({ id, request }: { id: string; request: Request }): Promise<Response> {
    await opened({ id, request, create: false });
    const stream = runs.get(id)?.resume();
    return stream ? streamed(stream) : new Response(null, { status: 204 });
  }

  async function stop({ id, request }: { id: string; request: Request }): Promise<Response> {
    await opened({ id, request, create: false });
    await runs.get(id)?.stop();
    return new Response(null, { status: 204 });
  }

  return async (request) => {
    try {
      const [last = '', before = ''] = new URL(request.url).pathname.split('/').filter(Boolean).toReversed();
      const isPost = request.method === 'POST';
      if (!isPost && request.method !== 'GET')
        throw new Refusal({ status: 405, message: `A chat has no method ${request.method}.` });
      if (isPost) return await (last === 'stop' ? stop({ id: decoded(before), request }) : send(request));
      return await (last === 'stream'
        ? resume({ id: decoded(before), request })
        : load({ id: decoded(last), request }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return new Response(error.message, { status: error.status });
    }
  };
}

/** A request that is refused, with the sentence that the page is shown. */
class Refusal extends Error {
  readonly status: number;

  constructor({ status, message }: { readonly status: number; readonly message: string }) {
    super(message);
    this.status = status;
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal({ status: 400, message: 'The id in the address is not valid.' });
  }
}

/** Often enough that proxies do not close a connection while a tool runs. */
const keepAliveMs = 15_000;

function streamed(stream: ReadableStream<UIMessageChunk>): Response {
  return createUIMessageStreamResponse({ stream, keepAliveMs });
}

/** Answers that ended while a page had not read them to the end; more are not kept. */
const mostRuns = 100;

function forgetOldest(runs: Map<string, ChatRun>): void {
  for (const [id, run] of runs) if (run.isForgettable || (runs.size >= mostRuns && run.hasEnded)) runs.delete(id);
}

/** One answer: its chunks so far, for all pages that show it. It does not depend on a page being open. */
class ChatRun {
  /** The conversation before the answer. */
  readonly #messages: readonly UIMessage[];
  readonly #abort: AbortController;
  readonly #chunks: UIMessageChunk[] = [];
  readonly #ended: Promise<void>;
  #changed = Promise.withResolvers<void>();
  #hasEnded = false;
  /** Pages that have the conversation without the end of this answer. */
  #behind = 0;

  constructor({
    messages,
    stream,
    abort,
  }: {
    readonly messages: readonly UIMessage[];
    readonly stream: ReadableStream<UIMessageChunk>;
    readonly abort: AbortController;
  }) {
    this.#messages = messages;
    this.#abort = abort;
    this.#ended = this.#read(stream);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isForgettable(): boolean {
    return this.#hasEnded && this.#behind === 0;
  }

  /** The chunks from the first on, then those that follow. */
  follow(): ReadableStream<UIMessageChunk> {
    let at = 0;
    return new ReadableStream<UIMessageChunk>({
      pull: async (controller) => {
        while (at === this.#chunks.length && !this.#hasEnded) await this.#changed.promise;
        const chunk = this.#chunks[at];
        at += 1;
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel: () => {
        this.#behind += 1;
      },
    });
  }

  /** What a page that is loaded now begins with; `undefined` once the answer is in the log. */
  load(): readonly UIMessage[] | undefined {
    this.#behind = this.#hasEnded ? 0 : this.#behind + 1;
    return this.#hasEnded ? undefined : this.#messages;
  }

  /** The whole answer for a page that does not have its end; `undefined` where every page has it. */
  resume(): ReadableStream<UIMessageChunk> | undefined {
    if (this.isForgettable) return undefined;
    this.#behind = Math.max(0, this.#behind - 1);
    return this.follow();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#ended;
  }

  async #read(stream: ReadableStream<UIMessageChunk>): Promise<void> {
    try {
      for await (const chunk of stream) {
        this.#chunks.push(chunk);
        this.#change();
      }
    } catch {
      this.#chunks.push({ type: 'error', errorText: 'The answer was interrupted.' });
    } finally {
      this.#hasEnded = true;
      this.#change();
    }
  }

  #change(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}

/** Starts the answer to a conversation; the log has it when the run has ended. */
function answered<S extends HostSession, T extends ToolSet>({
  session,
  uiMessages,
  request,
  body,
  options: { respond, tools, onError },
}: {
  readonly session: S;
  readonly uiMessages: UIMessage[];
  readonly request: Request;
  readonly body: JsonObject;
  readonly options: ChatOptions<S, T>;
}): ChatRun {
  const abort = new AbortController();
  const { signal } = abort;
  const shown = onError && { onError };
  const stream = createUIMessageStream({
    originalMessages: uiMessages,
    ...shown,
    onEnd: ({ messages }) => saveMessages({ session, messages, tools }),
    async execute({ writer }) {
      const messages = await modelMessages({ messages: uiMessages, tools });
      const answer = await respond({ session, messages, uiMessages, signal, writer, request, body });
      const isChunks = answer instanceof ReadableStream;
      const more = { originalMessages: uiMessages, sendSources: true, ...(tools && { tools }), ...shown };
      writer.merge(isChunks ? answer : toUIMessageStream<T>({ stream: answer.stream, ...more }));
    },
  });
  return new ChatRun({ messages: uiMessages, stream, abort });
}

/** Reads the body of a request up to a limit. JSON only: a form of a foreign page cannot send it. */
async function bodyOf({ request, bodyBytes }: { request: Request; bodyBytes: number }): Promise<JsonObject> {
  if (!request.headers.get('content-type')?.startsWith('application/json'))
    throw new Refusal({ status: 415, message: 'The request must have the content type application/json.' });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.body ?? []) {
    bytes += piece.length;
    if (bytes > bodyBytes)
      throw new Refusal({ status: 413, message: `The conversation is larger than ${bodyBytes} bytes.` });
    pieces.push(piece);
  }
  const body = parseJson(Buffer.concat(pieces).toString('utf8'));
  if (!isObject(body)) throw new Refusal({ status: 400, message: 'The request is no JSON object.' });
  return body;
}

/** The conversation that a request asks to continue: all of it (`messages`), or its newest message (`message`). */
async function messagesOf({ body, session }: { body: JsonObject; session: HostSession }): Promise<UIMessage[]> {
  const { messages: given, message, messageId, trigger } = body;
  let messages: unknown = given;
  if (given === undefined) {
    const known = await toUIMessages(session);
    const isAgain = trigger === 'regenerate-message';
    // An edited message, or an answer with the results of tools that ran in the page, takes the place of its old form.
    const from = isObject(message) ? message.id : isAgain ? messageId : undefined;
    const at = known.findIndex(({ id }) => id === from);
    const kept = at < 0 ? known : known.slice(0, at);
    if (isAgain && at < 0 && kept.at(-1)?.role === 'assistant') kept.pop();
    messages = message === undefined ? kept : [...kept, message];
  }
  const checked = await safeValidateUIMessages({ messages });
  if (checked.success && checked.data.length > 0) return checked.data;
  const why = checked.success ? 'there are none' : checked.error.message;
  throw new Refusal({ status: 400, message: `The messages of the chat are not valid: ${why}` });
}
