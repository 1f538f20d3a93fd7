import type { EngineSession } from '../engine/index.ts';
import type { Model, ModelOptions } from '../models/index.ts';
import type { AgentEvent } from './event.ts';
import { sentDefinitions } from './loop/plan-calls.ts';
import type { Tool } from './tool.ts';

/** The current model of an agent, and the one to switch to. */
export class ModelSwitch {
  #model: Model;
  #next: { readonly model: Model; readonly done: PromiseWithResolvers<void> } | undefined;
  #doing: Promise<void> = Promise.resolve();
  readonly #session: EngineSession;
  readonly #tools: () => readonly Tool[];
  readonly #options: ModelOptions | undefined;
  readonly #emit: (event: AgentEvent) => void;

  constructor(of: {
    readonly model: Model;
    /** The model of the session so far, if it is another one: the switch from it is requested. */
    readonly previous: Model | undefined;
    readonly session: EngineSession;
    readonly tools: () => readonly Tool[];
    readonly options: ModelOptions | undefined;
    readonly emit: (event: AgentEvent) => void;
  }) {
    this.#model = of.previous ?? of.model;
    if (of.previous) void this.request(of.model);
    this.#session = of.session;
    this.#tools = of.tools;
    this.#options = of.options;
    this.#emit = of.emit;
  }

  get model(): Model {
    return this.#model;
  }

  /** The model to switch to, if a switch is requested. */
  get next(): Model | undefined {
    return this.#next?.model;
  }

  /** Options for a compaction. */
  get compactionOptions() {
    const tools = sentDefinitions(this.#tools());
    return { model: this.#model, tools, ...(this.#options && { options: this.#options }) };
  }

  /** Resolves when the next request goes to that model. The newest request wins. */
  request(model: Model): Promise<void> {
    this.#next?.done.resolve();
    const done = Promise.withResolvers<void>();
    this.#next = { model, done };
    return done.promise;
  }

  /** Performs the requested switch between two requests. Concurrent callers wait for it. */
  perform(signal?: AbortSignal): Promise<void> {
    this.#doing = this.#doing.then(() => this.#perform(signal));
    return this.#doing;
  }

  async #perform(signal: AbortSignal | undefined): Promise<void> {
    const next = this.#next;
    if (!next) return;
    this.#next = undefined;
    const { compactionOptions: request } = this;
    try {
      const { fits } = await this.#session.preflight({ model: next.model, tools: request.tools });
      // Compact with the old model: it knows the conversation, and its cache is warm.
      const order = { ...request, target: next.model, trigger: 'model-switch' as const, ...(signal && { signal }) };
      if (!fits) await this.#session.compact(order);
    } catch (error) {
      // The next request is made to fit in any case, but without a summary by the old model.
      const text = `The conversation could not be compacted for ${modelName(next.model)}: ${String(error)}`;
      if (!signal?.aborted) this.#emit({ type: 'notice', text });
    }
    this.#model = next.model;
    this.#emit({ type: 'model', from: modelName(request.model), to: modelName(next.model) });
    next.done.resolve();
  }
}

export function modelName({ id }: Pick<Model, 'id'>): string {
  return `${id.provider}/${id.name}`;
}
