import type { EngineSession } from '../../engine/index.ts';
import type { Json } from '../../message/index.ts';
import type { Saying } from '../loop/queued-message.ts';
import { readWaiting } from './pending.ts';

/**
 * What was said and has not reached the model. It is noted in the log when it is said, so that a process that ends before
 * loses nothing; what reached the model stands in the log under its key.
 */
export class Waiting {
  readonly #session: EngineSession;
  /** Unknown until the log was read. */
  #known: Saying[] | undefined;
  #reading: Promise<readonly Saying[]> | undefined;
  /** Of the run in progress: what it is to say and has not said. */
  readonly #unsaid = new Map<string, Saying>();

  constructor(session: EngineSession) {
    this.#session = session;
  }

  /** Read off the log once; two that ask at a time share the answer. */
  async list(): Promise<readonly Saying[]> {
    if (this.#known) return this.#known;
    this.#reading ??= readWaiting(this.#session.session);
    try {
      const read = await this.#reading;
      this.#known ??= [...read];
    } finally {
      this.#reading = undefined;
    }
    return this.#known;
  }

  /** All that waits, for a run that begins. */
  async take(): Promise<readonly Saying[]> {
    await this.list();
    const taken = this.#known?.splice(0) ?? [];
    for (const saying of taken) this.expect(saying);
    return taken;
  }

  /** The run in progress is to say it. */
  expect(saying: Saying): void {
    this.#unsaid.set(saying.key, saying);
  }

  /** It is in the log. */
  said({ key }: Saying): void {
    this.#unsaid.delete(key);
  }

  /** For the next run. */
  async add(saying: Saying): Promise<void> {
    await this.list();
    this.#known?.push(saying);
  }

  async note({ key, how, message }: Saying): Promise<void> {
    const data = { key, how, message: message as unknown as Json };
    await this.#session.append({ type: 'custom', customType: 'longhaul:waiting', data });
  }

  /** A run is over: what it did not say waits for the next one, in the log too. */
  async giveBack(): Promise<void> {
    const all = [...this.#unsaid.values()];
    this.#unsaid.clear();
    try {
      const said = await keysIn({ session: this.#session, keys: all.map(({ key }) => key) });
      const waiting = all.filter(({ key }) => !said.has(key));
      for (const saying of waiting) if (saying.how === 'prompt') await this.note(saying);
      this.#known = [...waiting, ...(this.#known ?? [])];
    } catch {
      // The log is read again before the next run.
      this.#known = undefined;
    }
  }

  async withdraw(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#unsaid.delete(key);
    this.#known = (await this.list()).filter(({ key }) => !keys.includes(key));
    for (const key of keys) {
      await this.#session.append({ type: 'custom', customType: 'longhaul:withdrawn', data: { key } });
    }
  }
}

/** Which of these keys stand in the log. */
async function keysIn(of: {
  readonly session: EngineSession;
  readonly keys: readonly string[];
}): Promise<ReadonlySet<string>> {
  if (of.keys.length === 0) return new Set();
  const found = await of.session.session.read({ keys: of.keys.map((key) => `${key}:0`) });
  const known = new Set(found.flatMap((entry) => (entry.type === 'message' ? [entry.key] : [])));
  return new Set(of.keys.filter((key) => known.has(`${key}:0`)));
}
