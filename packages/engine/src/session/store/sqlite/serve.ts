import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { failureOf } from './failure.ts';
import {
  type Answer,
  type AppendArgs,
  type Args,
  type Envelope,
  type Outcome,
  type Posted,
  pack,
  unpack,
} from './protocol.ts';
import { type IndexPlan, StoreWorker, type StoreWorkerOptions } from './store-worker.ts';

/** Lets the index follow behind the work when nothing was asked for this long, in milliseconds. */
const idleTime = 50;

/** In milliseconds; never more than half of what a commit takes. */
const maxBatchWait = 1;

const noWriters = { writers: 0, until: 0 };

/** No request moves past one of these. Between two of them the order does not matter: none has been answered yet. */
const barriers: ReadonlySet<string> = new Set(['create', 'delete', 'doctor', 'close']);

/**
 * Serves a store's requests. While one commit waits for the disk, further requests pile up; all appends among them go into
 * the next commit, so the disk is waited for once, not once each.
 */
export function serve({ port, options }: { readonly port: MessagePort; readonly options: StoreWorkerOptions }): void {
  new StoreServer({ port, options });
}

class StoreServer {
  readonly #port: MessagePort;
  readonly #options: StoreWorkerOptions;
  #opened: StoreWorker | undefined;
  #waiting: Envelope[] = [];
  /** Searches that wait for the index to catch up, with what it still has to read. */
  #searching: { readonly envelope: Envelope; readonly plan: IndexPlan }[] = [];
  #behind: IndexPlan = [];
  /** How many writers the last commit let go on, and until when the next waits for them. */
  #awaited = noWriters;
  #scheduled = false;
  #idle: NodeJS.Timeout | undefined;

  constructor({ port, options }: { readonly port: MessagePort; readonly options: StoreWorkerOptions }) {
    this.#port = port;
    this.#options = options;
    port.on('message', (message: Posted<Envelope>) => {
      this.#waiting.push(...unpack(message));
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After all messages that are there by now.
    setImmediate(() => {
      this.#scheduled = false;
      this.#work();
    });
  }

  #work(): void {
    clearTimeout(this.#idle);
    do {
      this.#take();
      const batch = this.#waiting;
      this.#waiting = [];
      for (const group of groups(batch)) {
        this.#append(group.filter(({ op }) => op === 'append'));
        for (const envelope of group) if (envelope.op !== 'append') this.#serve(envelope);
      }
      this.#search();
    } while (this.#awaitWriters());
    this.#idle = setTimeout(() => this.#index(), idleTime).unref();
  }

  /** Takes what has come in without going back to the event loop for it. */
  #take(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) {
      this.#waiting.push(...unpack(next.message as Posted<Envelope>));
    }
  }

  /**
   * Writers whom the last commit let go on are back in an instant, sooner than a sleeping thread wakes. Without waiting
   * for all of them they would fall into two halves that take turns, with half as many in each commit.
   */
  #awaitWriters(): boolean {
    const { writers, until } = this.#awaited;
    this.#awaited = noWriters;
    do {
      this.#take();
      const isOther = this.#waiting.some(({ op }) => op !== 'append');
      if (isOther || (writers > 0 && this.#waiting.length >= writers)) return true;
    } while (performance.now() < until);
    return this.#waiting.length > 0;
  }

  #append(envelopes: readonly Envelope[]): void {
    if (envelopes.length === 0) return;
    const started = performance.now();
    const done = this.#settle((worker) => worker.appendAll(envelopes.map(({ args }) => args as AppendArgs)));
    const answers = envelopes.flatMap(({ id }, index): Answer[] => {
      const outcome = 'value' in done ? done.value[index] : done;
      return outcome ? [{ id, ...outcome }] : [];
    });
    this.#port.postMessage(pack<Answer>(answers));
    const now = performance.now();
    const writers = Math.max(...envelopes.map(({ appends }) => appends));
    this.#awaited = { writers, until: now + Math.min(maxBatchWait, (now - started) / 2) };
  }

  #serve(envelope: Envelope): void {
    const { op, args } = envelope;
    if (op === 'search') {
      const plan = this.#settle((worker) => worker.searchPlan(args as Args<'search'>));
      if ('value' in plan) this.#searching.push({ envelope, plan: plan.value });
      else this.#answer(envelope, plan);
      return;
    }
    this.#answer(
      envelope,
      this.#settle((worker) => worker.run(op, args as never)),
    );
    if (op === 'close') this.#port.close();
  }

  /** One slice at a time, so that an append never waits for an index to be built. */
  #search(): void {
    const [first] = this.#searching;
    if (!first) return;
    const more = this.#settle((worker) => worker.catchUp(first.plan));
    if (!('value' in more && more.value)) {
      this.#searching.shift();
      const { args } = first.envelope;
      this.#answer(
        first.envelope,
        this.#settle((worker) => worker.run('search', args as Args<'search'>)),
      );
    }
    this.#schedule();
  }

  /** A search does not wait for this: it catches up itself. */
  #index(): void {
    const more = this.#settle((worker) => {
      if (this.#behind.length === 0) this.#behind = worker.appendedPlan();
      return worker.catchUp(this.#behind);
    });
    if ('value' in more && more.value) this.#idle = setTimeout(() => this.#index(), 0).unref();
  }

  #settle<T>(work: (worker: StoreWorker) => T): Outcome<T> {
    try {
      this.#opened ??= new StoreWorker(this.#options);
      return { value: work(this.#opened) };
    } catch (error) {
      return { failure: failureOf({ error, where: `Store ${this.#options.dir}` }) };
    }
  }

  #answer({ id }: Envelope, outcome: Outcome<unknown>): void {
    this.#port.postMessage(pack<Answer>([{ id, ...outcome }]));
  }
}

function groups(batch: readonly Envelope[]): Envelope[][] {
  const result: Envelope[][] = [[]];
  for (const envelope of batch) {
    if (barriers.has(envelope.op)) result.push([envelope], []);
    else result.at(-1)?.push(envelope);
  }
  return result;
}
