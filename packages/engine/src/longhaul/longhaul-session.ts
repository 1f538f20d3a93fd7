import { createPrepareStep } from '../adapters/internal.ts';
import { type Agent, type AgentEvent, createAgent } from '../agent/index.ts';
import type { CompactInput, CompactionResult, EngineSession, Prepared, PrepareInput } from '../engine/index.ts';
import { LonghaulError } from '../errors.ts';
import { type Message, system as systemMessage, type ToolDefinition, user } from '../message/index.ts';
import type { CollectedAnswer, Model, ModelFailure, ModelOptions, TargetModel, Usage } from '../models/index.ts';
import type { EntryId, Recalled, Reversal, SessionId } from '../session/index.ts';
import type { LonghaulOptions } from './options.ts';

/** The next request of your own loop. */
export interface RequestInput {
  /** System prompt; the one of before is kept where it is left out. */
  readonly system?: string | PrepareInput['head'];
  /** What is new since the last `commit`: a prompt, or messages (the results of tool calls too). */
  readonly messages?: string | Message | readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  /** Sent with the request; returned in `request.options`. */
  readonly options?: ModelOptions;
  /** The model to fit the request for; the one given to `createLonghaul` by default. Only what is known of it is used. */
  readonly model?: TargetModel;
  /** Makes a repeated call idempotent: messages with a key that is in the log are not appended again. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** A request that fits the window and is legal for its provider. `model.stream(request)` accepts it as it is. */
export interface PreparedRequest extends Prepared {
  readonly options: ModelOptions;
  readonly signal?: AbortSignal;
}

/** What a model answered: the result of `collect`, a message with its usage, or a failure. */
export type CommitInput =
  | CollectedAnswer
  | Message
  | { readonly message: Message; readonly usage?: Usage; readonly requestId?: string }
  | { readonly failure: ModelFailure };

/** What became of an answer. */
export interface Committed {
  /** The log entry of the answer; absent where nothing was appended: failures, empty answers. */
  readonly entry?: EntryId;
  readonly failure?: ModelFailure;
  /**
   * The request was too large for the provider, or it rejected earlier reasoning. Call `prepare` without messages, and send
   * what it returns: it is smaller, or has no reasoning.
   */
  readonly retry: boolean;
}

/**
 * One conversation. `send` runs the built-in agent; `prepareStep` plugs into the AI SDK; `prepare` and `commit` serve any
 * other loop. All three write the same log, so they can be mixed.
 */
export class LonghaulSession {
  /** The engine's session: pins, prunes, branches, checkpoints, events. */
  readonly engine: EngineSession;
  /** `prepareStep` for `generateText`, `streamText` and agents of the AI SDK. */
  readonly prepareStep: ReturnType<typeof createPrepareStep>;
  readonly #model: Model | undefined;
  readonly #options: LonghaulOptions;
  #agent: Promise<Agent> | undefined;

  constructor({
    engine,
    model,
    options,
  }: {
    readonly engine: EngineSession;
    readonly model: Model | undefined;
    readonly options: LonghaulOptions;
  }) {
    this.engine = engine;
    this.prepareStep = createPrepareStep({ session: engine });
    this.#model = model;
    this.#options = options;
  }

  get id(): SessionId {
    return this.engine.id;
  }

  /**
   * Sends a prompt and runs the agent until it has finished, with retries, tools and compaction. Nothing throws on the
   * way: the last event is `run_end`, which names the reason. Without a prompt, interrupted work is resumed.
   *
   * @example
   * for await (const event of session.send('Fix the failing test')) {
   *   if (event.type === 'text') process.stdout.write(event.delta);
   * }
   */
  async *send(
    prompt?: string | Message,
    { key, signal }: { readonly key?: string; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<AgentEvent, void, undefined> {
    const agent = await this.#agentOf();
    const abort = () => agent.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (signal?.aborted) return;
      yield* agent.run({ ...(prompt !== undefined && { prompt }), ...(key !== undefined && { key }) });
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * Appends the new messages and returns the next request: within the model's window, legal for its provider, and a
   * continuation of the bytes sent before unless the log opened a new epoch.
   *
   * @example
   * const request = await session.prepare({ system: 'Be brief.', messages: 'Fix the failing test', tools });
   * const { retry } = await session.commit(await collect(model.stream(request)));
   */
  async prepare({
    system,
    messages = [],
    tools,
    options = {},
    model,
    key,
    signal,
  }: RequestInput = {}): Promise<PreparedRequest> {
    const said = typeof messages === 'string' ? [user(messages)] : 'role' in messages ? [messages] : messages;
    const head = typeof system === 'string' ? [systemMessage(system)] : system;
    const prepared = await this.engine.prepare({
      model: model ?? this.#requireModel('prepare'),
      options,
      turn: { messages: said, ...(key !== undefined && { key }) },
      ...(head !== undefined && { head }),
      ...(tools && { tools }),
      ...(signal && { signal }),
    });
    const { rebindsThinking } = prepared.report;
    return {
      ...prepared,
      options: { ...options, ...(rebindsThinking && { rebindsThinking }) },
      ...(signal && { signal }),
    };
  }

  /**
   * Records what came back for the last request: the answer, its usage, or its failure. A failed or empty answer is never
   * appended; of an aborted one, its complete text is.
   */
  async commit(answer: CommitInput): Promise<Committed> {
    if ('failure' in answer) return await this.#failed(answer.failure);
    if ('role' in answer) return await this.#answered(answer);
    const { message, usage } = answer;
    const end = 'end' in answer ? answer.end : undefined;
    const requestId = end ? end.requestId : (answer as { readonly requestId?: string }).requestId;
    if (usage) await this.engine.report({ usage, ...(requestId !== undefined && { requestId }) });
    if (end?.reason === 'failed') return await this.#failed(end.failure);
    const kept = end?.reason === 'aborted' ? textOnly(message) : message;
    const committed = await this.#answered(kept);
    return end?.failure ? { ...committed, failure: end.failure } : committed;
  }

  /** The exact text of a handle (`@12`, `@12.2`, `@12:40-80`), however long ago it left the window. */
  recall(input: Parameters<EngineSession['recall']>[0]): Promise<Recalled> {
    return this.engine.recall(input);
  }

  /** Compacts now; `preview` on the engine's session shows the loss first. */
  compact({
    model,
    ...input
  }: Omit<CompactInput, 'model'> & { readonly model?: Model } = {}): Promise<CompactionResult> {
    return this.engine.compact({ ...input, model: model ?? this.#requireModel('compact') });
  }

  /** Reverses the newest compaction, prune, edit or move. */
  undo(): Promise<Reversal> {
    return this.engine.undo();
  }

  /** Ends the agent and background work of this session. The log stays in the store. */
  async close(): Promise<void> {
    await (await this.#agent)?.close();
    await this.engine.close();
  }

  #agentOf(): Promise<Agent> {
    const { tools, permissions, system, options, hooks, subagents, cwd } = this.#options;
    this.#agent ??= createAgent({
      session: this.engine,
      model: this.#requireModel('send'),
      ...(tools && { tools }),
      ...(permissions && { permissions }),
      ...(system !== undefined && { head: [systemMessage(system)] }),
      ...(options && { options }),
      ...(hooks && { hooks }),
      ...(subagents && { subagents }),
      ...(cwd !== undefined && { cwd }),
    });
    return this.#agent;
  }

  #requireModel(method: string): Model {
    if (this.#model) return this.#model;
    throw new LonghaulError({
      code: 'no-model',
      message: `session.${method} needs a model, and none was given.`,
      hint: "Pass `model` to createLonghaul, for example 'anthropic/claude-sonnet-4-5'.",
    });
  }

  async #failed(failure: ModelFailure): Promise<Committed> {
    await this.engine.report({ failure });
    // Without the reasoning that the provider rejected, the same request may be accepted.
    if (failure.kind === 'invalid' && failure.rejectsThinking)
      return { failure, retry: await this.engine.dropThinking() };
    return { failure, retry: failure.kind === 'overflow' };
  }

  async #answered(message: Message): Promise<Committed> {
    const isEmpty = message.parts.every((part) => part.type === 'text' && part.text.trim() === '');
    if (isEmpty) return { retry: false };
    const { id } = await this.engine.append({ type: 'message', message });
    return { entry: id, retry: false };
  }
}

/** An aborted answer may end in half a tool call; its text is complete enough to keep. */
function textOnly(message: Message): Message {
  return { ...message, parts: message.parts.filter(({ type }) => type === 'text') };
}
