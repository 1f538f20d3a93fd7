import { createHash } from 'node:crypto';
import { createRecallTool, type EngineSession, type Prepared, type RecallTool } from '../engine/index.ts';
import { LonghaulError } from '../errors.ts';
import { canonical, type Json } from '../json.ts';
import { createSemanticReader, type Dialect, type Message, type ToolDefinition } from '../message/index.ts';
import { classifyFailure, modelInfo, type TargetModel, type Usage } from '../models/index.ts';
import type { EntryId } from '../session/index.ts';
import { estimateTokens } from '../tokens/index.ts';

/** A session as adapters accept it: of `createLonghaul`, or of an engine. */
export type HostSession = EngineSession | { readonly engine: EngineSession };

/** The engine's session. */
export function engineOf(session: HostSession): EngineSession {
  return 'engine' in session ? session.engine : session;
}

/** Options of all adapters. */
export interface HostOptions {
  /** Tokens to stay within, where that is less than the model's window. */
  readonly window?: number;
  /** The model to count for; by default the one that the framework calls. */
  readonly model?: TargetModel;
}

/** How a framework writes messages. */
export interface HostFormat<M> {
  /** The adapter's name, part of the keys under which messages are in the log. */
  readonly name: string;
  /** A message in neutral form; `undefined` for what is not part of the conversation (system messages). */
  read(input: { readonly message: M; readonly model: TargetModel }): Message | undefined;
  /** A neutral message in the framework's form, for what the engine made or shortened. */
  write(input: { readonly item: Message; readonly model: TargetModel }): readonly M[];
}

/** The next request for a history that a framework keeps. */
export interface HostRequest<M> {
  /** The whole history of the framework, as it would send it. */
  readonly history: readonly M[];
  readonly model: TargetModel;
  readonly head?: readonly Message[];
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What to send for a history. */
export interface HostView<M> {
  /** One group per item of `prepared.items`: the framework's own message where it is sent unchanged. */
  readonly groups: readonly (readonly M[])[];
  readonly prepared: Prepared;
}

/**
 * Follows a history that a framework keeps: appends to a session what is new in it, and returns what to send in its place.
 * Messages are identified by their content and everything before them, so repeated calls, retries and restarts append
 * nothing twice; what came into the log another way is recognized too. A history that departs from the log (an edited
 * prompt) moves the session to the last common message; one that begins with the newest messages of the log, or shares
 * nothing with it, continues it.
 */
export class HostHistory<M> {
  readonly session: EngineSession;
  readonly #format: HostFormat<M>;
  readonly #known = new Map<string, EntryId>();
  /** The message that the path ended with after the last request. */
  #last: EntryId | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ session, format }: { readonly session: HostSession; readonly format: HostFormat<M> }) {
    this.session = engineOf(session);
    this.#format = format;
  }

  /** Appends what is new and makes the request. A failure leaves the framework's history as it was. */
  view(request: HostRequest<M>): Promise<HostView<M>> {
    return this.#exclusive(async () => {
      const { history, model, head, tools, signal } = request;
      signal?.throwIfAborted();
      const originals = new Map<string, M[]>();
      const chained = await this.#chain({ history, model, originals });
      const turn = await this.#sync({ chained, hasTurn: true });
      if (turn) recallFor(this.session).beginTurn();
      const prepared = await this.session.prepare({
        model,
        ...(turn && { turn: { messages: [turn.message], key: turn.key } }),
        ...(head && { head }),
        ...(tools && { tools }),
        ...(signal && { signal }),
      });
      if (turn) {
        await this.#find([turn]);
        this.#last = this.#known.get(turn.key);
      }
      const groups = prepared.items.map((item) => {
        const original = originals.get(contentKey(item));
        return original ?? this.#format.write({ item, model });
      });
      return { groups, prepared };
    });
  }

  /** Sends what a history becomes; once more, smaller, if the provider says that it is too long. */
  async fit<T>(request: HostRequest<M> & { readonly send: (view: HostView<M>) => PromiseLike<T> | T }): Promise<T> {
    for (let isRetry = false; ; isRetry = true) {
      const view = await this.view(request);
      try {
        return await request.send(view);
      } catch (error) {
        const { model, signal } = request;
        if (!(await this.reportFailure({ error, model, signal })) || isRetry) throw error;
      }
    }
  }

  /**
   * Appends what is new in a history without making a request: the answer that ends a run. The next history contains it,
   * and then it is not appended again.
   */
  record({ history, model }: Pick<HostRequest<M>, 'history' | 'model'>): Promise<void> {
    return this.#exclusive(async () => {
      const chained = await this.#chain({ history, model, originals: new Map() });
      await this.#sync({ chained, hasTurn: false });
    });
  }

  /** Records the usage of the last request. */
  async report(usage: Usage | undefined): Promise<void> {
    if (usage && usage.input + usage.cacheRead + usage.cacheWrite > 0) await this.session.report({ usage });
  }

  /** Records that the last request failed. Returns whether it was too large: then the next view is smaller. */
  async reportFailure({ error, model, signal }: HostFailure): Promise<boolean> {
    if (signal?.aborted) return false;
    const failure = classifyFailure({ error, dialect: model.dialect, provider: model.id.provider });
    if (failure.kind === 'overflow') await this.session.report({ failure });
    return failure.kind === 'overflow';
  }

  /** Appends what the log does not hold; a newest user message is returned instead as the turn of the next request. */
  async #sync({
    chained,
    hasTurn,
  }: {
    readonly chained: readonly ChainedMessage[];
    readonly hasTurn: boolean;
  }): Promise<ChainedMessage | undefined> {
    await this.#find(chained.filter(({ key }) => !this.#known.has(key)));
    if (this.#last === undefined) await this.#recognize(chained);
    const firstNew = chained.findIndex(({ key }) => !this.#known.has(key));
    const shared = chained[firstNew < 0 ? chained.length - 1 : firstNew - 1];
    const last = shared && this.#known.get(shared.key);
    if (last !== undefined && last !== this.#last) await this.#moveAfter(last);
    const fresh = firstNew < 0 ? [] : chained.slice(firstNew);
    const turn = hasTurn && fresh.at(-1)?.message.role === 'user' ? fresh.pop() : undefined;
    for (const { key, message } of fresh) {
      const { id } = await this.session.append({ type: 'message', message, key: `${key}:0` });
      this.#known.set(key, id);
      this.#last = id;
    }
    return turn;
  }

  /** Finds messages in the log by their keys. */
  async #find(chained: readonly ChainedMessage[]): Promise<void> {
    if (chained.length === 0) return;
    const entries = await this.session.session.read({ keys: chained.map(({ key }) => `${key}:0`) });
    for (const entry of entries)
      if (entry.type === 'message' && entry.key !== undefined) this.#known.set(entry.key.slice(0, -2), entry.id);
  }

  /**
   * Finds messages that came into the log another way (the command line, another adapter, an import) by what they say:
   * those that continue the messages found by key.
   */
  async #recognize(chained: readonly ChainedMessage[]): Promise<void> {
    const first = chained.findIndex(({ key }) => !this.#known.has(key));
    if (first < 0) return;
    const path = (await this.session.session.path()).filter((entry) => entry.type === 'message');
    const before = chained[first - 1];
    const start = before ? path.findIndex(({ id }) => id === this.#known.get(before.key)) + 1 : 0;
    if (before && start === 0) return;
    const read = createSemanticReader();
    // The log may have the results of one step as several messages.
    const logged = path.slice(start).flatMap(({ id, key, message }) => {
      const events = key?.startsWith(`${this.#format.name}:`) ? [undefined] : read(message);
      return events.map((event, at) => ({ event, id: at === events.length - 1 ? id : undefined }));
    });
    let at = 0;
    for (const { key, events } of chained.slice(first)) {
      const said = logged.slice(at, at + events.length);
      const last = said.at(-1)?.id;
      if (last === undefined || events.some((event, index) => event !== said[index]?.event)) return;
      this.#known.set(key, last);
      at += events.length;
    }
  }

  /** Leaves behind the messages after the last one that the history shares with the log. */
  async #moveAfter(last: EntryId): Promise<void> {
    const path = await this.session.session.path();
    const index = path.findIndex(({ id }) => id === last);
    const after = path.slice(index + 1);
    const next = after.findIndex(({ type }) => type === 'message');
    if (index < 0 || next >= 0) {
      this.session.cancelJob();
      // What was compacted right after the message was sent in place of what is before it.
      await this.session.session.move({ to: (index < 0 ? undefined : after[next - 1]?.id) ?? last });
    }
    this.#last = last;
  }

  async #chain({
    history,
    model,
    originals,
  }: {
    readonly history: readonly M[];
    readonly model: TargetModel;
    readonly originals: Map<string, M[]>;
  }): Promise<ChainedMessage[]> {
    const events = createSemanticReader();
    const links = history.flatMap((original) => {
      const message = this.#format.read({ message: original, model });
      if (!message) return [];
      originals.set(contentKey(message), [original]);
      return [{ message, events: events(message) }];
    });
    let digest = await this.#digestBefore(links.map(linkOf));
    return links.map((link) => {
      digest = createHash('sha256').update(digest).update(linkOf(link)).digest('hex');
      return { key: `${this.#format.name}:${digest}`, ...link };
    });
  }

  /**
   * The digest of what comes before a history. Nothing, unless the framework left out its beginning (a limit of messages):
   * then the history begins with the newest messages of the log.
   */
  async #digestBefore(contents: readonly string[]): Promise<string> {
    const [first] = contents;
    if (first === undefined) return '';
    const key = `${this.#format.name}:${createHash('sha256').update('').update(first).digest('hex')}`;
    if (this.#known.has(key)) return '';
    const path = (await this.session.session.path()).filter((entry) => entry.type === 'message');
    if (path.some((entry) => entry.key === `${key}:0`)) return '';
    const logged = path.map(({ message }) => linkOf({ message, events: createSemanticReader()(message) }));
    const start = logged.findIndex(
      (content, at) =>
        at > 0 && content === first && logged.slice(at).every((each, offset) => each === contents[offset]),
    );
    const before = path[start - 1]?.key;
    return before?.startsWith(`${this.#format.name}:`) ? before.slice(this.#format.name.length + 1, -2) : '';
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

/** A message with a key that names it and everything before it. */
interface ChainedMessage {
  readonly key: string;
  readonly message: Message;
  /** What it says, as far as it survives a rebuilt history. */
  readonly events: readonly string[];
}

/** A request that failed. */
interface HostFailure {
  readonly error: unknown;
  readonly model: TargetModel;
  readonly signal?: AbortSignal | undefined;
}

/** What a message adds to the digest of a history. */
function linkOf({ message, events }: Pick<ChainedMessage, 'message' | 'events'>): string {
  return `${message.role}${events.join('\n')}`;
}

function contentKey(message: Message): string {
  return JSON.stringify(canonical(message as unknown as Json));
}

/** Sessions by thread, for frameworks with several conversations: what `createLonghaul` returns, or one session for all. */
export type HostSessions = HostSession | { open(id: string): Promise<HostSession> };

/**
 * The histories of a framework's threads.
 *
 * @throws LonghaulError `no-thread` for a call without a thread where sessions are opened by thread.
 */
export function createThreads<M>({
  sessions,
  format,
  hint,
}: {
  readonly sessions: HostSessions;
  readonly format: HostFormat<M>;
  /** How a thread is named in the framework. */
  readonly hint: string;
}): (thread: string | undefined) => Promise<HostHistory<M>> {
  const opened = new Map<string, Promise<HostHistory<M>>>();
  const only = 'open' in sessions ? undefined : new HostHistory({ session: sessions, format });
  return async (thread) => {
    if (only || !('open' in sessions)) return only as HostHistory<M>;
    if (thread === undefined)
      throw new LonghaulError({
        code: 'no-thread',
        message: 'The call names no thread, so its session is not known.',
        hint,
      });
    const known = opened.get(thread) ?? sessions.open(thread).then((session) => new HostHistory({ session, format }));
    opened.set(thread, known);
    known.catch(() => opened.delete(thread));
    return await known;
  };
}

const recalls = new WeakMap<EngineSession, RecallTool>();

/** The recall tool of a session; each new prompt gives it a new budget. */
export function recallFor(session: HostSession): RecallTool {
  const engine = engineOf(session);
  const known = recalls.get(engine) ?? createRecallTool({ session: engine.session, count: estimateTokens });
  recalls.set(engine, known);
  return known;
}

/** The model that a framework is about to call, within `window` tokens where that is less than its own window. */
export function hostModel({
  provider = 'unknown',
  name,
  dialect,
  window,
}: {
  readonly provider?: string | undefined;
  readonly name: string;
  readonly dialect?: Dialect | undefined;
  readonly window?: number | undefined;
}): TargetModel {
  const info = modelInfo({ provider, name });
  const target = { id: { provider, name }, dialect: dialect ?? info.dialects[0] ?? 'openai-chat', info };
  if (window === undefined || (info.known && info.window <= window)) return target;
  const inputLimit = info.inputLimit === undefined ? {} : { inputLimit: Math.min(info.inputLimit, window) };
  return { ...target, info: { ...info, ...inputLimit, window, maxOutput: Math.min(info.maxOutput, window) } };
}
