import { type ResourceLimits, Worker } from 'node:worker_threads';

/** What a worker posts back for one call. */
export type WorkerReply<Value, Failure = string> =
  | { readonly id: number; readonly value: Value }
  | { readonly id: number; readonly failure: Failure };

/** A call that the worker has not answered yet. */
export interface WorkerCall<Value> {
  /** Part of every message of this call; the reply repeats it. */
  readonly id: number;
  /** Rejects if the call fails, is cancelled, or the worker ends. */
  readonly reply: Promise<Value>;
}

/**
 * Calls into a worker thread. It numbers the calls, matches the replies to them and rejects all open calls when the worker
 * ends. The worker keeps the process alive only while a call is open. The caller decides how many messages a call posts,
 * so that large values can be sent in pieces and small ones together.
 *
 * @example
 * const client = new WorkerClient<Question, number>({ url, errorOf: (failure) => new Error(failure), endedError });
 * const { id, reply } = client.open();
 * client.post({ id, text: 'hello' });
 * console.log(await reply);
 */
export class WorkerClient<Message, Value, Failure = string> {
  readonly #worker: Worker;
  readonly #calls = new Map<number, PromiseWithResolvers<Value>>();
  readonly #endedError: (cause: unknown) => Error;
  readonly #onEnd: (() => void) | undefined;
  readonly #onIdle: (() => void) | undefined;
  #ended: Error | undefined;
  #lastId = 0;

  constructor({
    url,
    name,
    workerData,
    resourceLimits,
    decode,
    errorOf,
    endedError,
    onReply,
    onEnd,
    onIdle,
  }: {
    readonly url: URL;
    /** Shown by debuggers and profilers. */
    readonly name?: string;
    readonly workerData?: unknown;
    readonly resourceLimits?: ResourceLimits;
    /** Reads the replies in a message, where that is not exactly one. */
    readonly decode?: (message: unknown) => Iterable<WorkerReply<Value, Failure>>;
    readonly errorOf: (failure: Failure) => Error;
    /** The error of calls that are open when the worker ends, and of later ones. There is no cause after a regular exit. */
    readonly endedError: (cause: unknown) => Error;
    readonly onReply?: (id: number) => void;
    readonly onEnd?: () => void;
    /** Called when no call is open any longer. */
    readonly onIdle?: () => void;
  }) {
    this.#endedError = endedError;
    this.#onEnd = onEnd;
    this.#onIdle = onIdle;
    this.#worker = new Worker(url, {
      workerData,
      ...(name !== undefined && { name }),
      ...(resourceLimits && { resourceLimits }),
      // `node --input-type=module -e …`: a worker would refuse to start from a file.
      ...(process.execArgv.some(isInputType) && { execArgv: process.execArgv.filter(isCondition) }),
    });
    this.#worker.unref();
    this.#worker.on('message', (message: unknown) => {
      for (const reply of decode ? decode(message) : [message as WorkerReply<Value, Failure>]) {
        onReply?.(reply.id);
        const call = this.#close(reply.id);
        if ('value' in reply) call?.resolve(reply.value);
        else call?.reject(errorOf(reply.failure));
      }
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(undefined));
  }

  /** Set when the worker has ended. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  get openCalls(): number {
    return this.#calls.size;
  }

  isOpen(id: number): boolean {
    return this.#calls.has(id);
  }

  /** Begins a call; its messages are posted with `post`. */
  open(): WorkerCall<Value> {
    this.#lastId += 1;
    const call = Promise.withResolvers<Value>();
    if (this.#ended) {
      call.reject(this.#ended);
    } else {
      if (this.#calls.size === 0) this.#worker.ref();
      this.#calls.set(this.#lastId, call);
    }
    return { id: this.#lastId, reply: call.promise };
  }

  post(message: Message): void {
    if (!this.#ended) this.#worker.postMessage(message);
  }

  /** Rejects an open call at once; a later reply to it is ignored. False if it was not open. */
  cancel(id: number, reason: unknown): boolean {
    const call = this.#close(id);
    call?.reject(reason);
    return call !== undefined;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #close(id: number): PromiseWithResolvers<Value> | undefined {
    const call = this.#calls.get(id);
    if (!this.#calls.delete(id) || this.#calls.size > 0) return call;
    this.#worker.unref();
    this.#onIdle?.();
    return call;
  }

  #end(cause: unknown): void {
    const isFirst = this.#ended === undefined;
    this.#ended ??= this.#endedError(cause);
    if (isFirst) this.#onEnd?.();
    for (const call of this.#calls.values()) call.reject(this.#ended);
    this.#calls.clear();
  }
}

function isInputType(flag: string): boolean {
  return flag.startsWith('--input-type');
}

function isCondition(flag: string): boolean {
  return flag.startsWith('--conditions=');
}
