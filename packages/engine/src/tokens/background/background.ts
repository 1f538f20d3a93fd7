import { createHash } from 'node:crypto';
import { LonghaulError } from '../../errors.ts';
import type { Encoding } from '../encodings.ts';
import { createLru } from '../lru.ts';
import { createTokenizer, type Tokenizer } from '../tokenizer.ts';
import { type Remote, startRemote, WorkerLost } from './remote.ts';
import { countPolitely } from './steps.ts';
import { createTurns, type Turns } from './turns.ts';

/** Counts off the caller's event loop. */
export interface BackgroundTokenizer {
  readonly encoding: Encoding;
  count(request: { readonly text: string; readonly signal?: AbortSignal }): Promise<number>;
  stats(): BackgroundStats;
  /** Stops the worker; a later count starts another. */
  close(): Promise<void>;
}

export interface BackgroundStats {
  /** Counts answered from memory, and counted. */
  readonly hits: number;
  readonly misses: number;
  readonly where: 'worker' | 'in-process' | 'stopped';
}

export interface BackgroundOptions {
  readonly encoding: Encoding;
  /** How many counts are remembered, by the hash of their text. */
  readonly entries?: number;
  /** After so long without work the worker is stopped. */
  readonly idleMs?: number;
  /** How many characters may be with the worker at once; more wait. */
  readonly capacity?: number;
  /** How many counts may wait; more are refused. */
  readonly waiting?: number;
  /** False counts in this thread, in short steps. */
  readonly worker?: boolean;
  /** Where the worker's module is, for those who bundle. */
  readonly workerFile?: URL;
}

/** Hashing this much takes about a quarter of a millisecond. */
const hashedChars = 131_072;

/**
 * A tokenizer in a worker thread with a memory of its answers. If no worker can be had, it counts in this thread, in
 * steps short enough that nothing else waits.
 *
 * @example
 * const tokenizer = createBackgroundTokenizer({ encoding: 'o200k_base' });
 * await tokenizer.count({ text: 'Hello, world!' }); // 4
 * await tokenizer.close();
 */
export function createBackgroundTokenizer(options: BackgroundOptions): BackgroundTokenizer {
  const { encoding, idleMs = 15_000 } = options;
  const known = createLru<number>({ entries: options.entries ?? 5_000 });
  const gate = createGate({ capacity: options.capacity ?? 4_194_304, waiting: options.waiting ?? 10_000 });
  const stats = { hits: 0, misses: 0 };
  const turn = createTurns();
  let remote: Remote | undefined;
  let local: Promise<Tokenizer> | undefined;
  let mayStart = options.worker ?? true;
  let running = 0;
  let idle: NodeJS.Timeout | undefined;
  return { encoding, count, stats: () => ({ ...stats, where: where() }), close };

  async function count({ text, signal }: { readonly text: string; readonly signal?: AbortSignal }): Promise<number> {
    signal?.throwIfAborted();
    const key = await keyOf({ text, turn });
    const remembered = known.get(key);
    if (remembered !== undefined) {
      stats.hits++;
      return remembered;
    }
    // Even an empty text takes a place, so that jobs are bounded in number too.
    const size = text.length + 4_096;
    await gate.enter({ size, signal });
    try {
      const counted = await work({ text, signal });
      stats.misses++;
      known.set(key, counted);
      return counted;
    } finally {
      gate.leave(size);
    }
  }

  async function work(request: { text: string; signal: AbortSignal | undefined }): Promise<number> {
    clearTimeout(idle);
    running++;
    if (mayStart) remote ??= startRemote({ encoding, file: options.workerFile, turn });
    const used = remote;
    try {
      if (used) return await used.count(request);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      // A worker that ended by itself is likely to do so again: no second attempt.
      if (remote === used) {
        mayStart = false;
        remote = undefined;
      }
    } finally {
      running--;
      if (running === 0 && remote) idle = setTimeout(() => void close(), idleMs).unref();
    }
    local ??= createTokenizer(encoding);
    return countPolitely({ tokenizer: await local, ...request });
  }

  function where(): BackgroundStats['where'] {
    if (remote) return 'worker';
    return local ? 'in-process' : 'stopped';
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    const stopping = remote;
    remote = undefined;
    await stopping?.stop();
  }
}

async function keyOf({ text, turn }: { readonly text: string; readonly turn: Turns }): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < text.length; from += hashedChars) {
    if (text.length > hashedChars / 8) await turn();
    // As UTF-16, which tells lone surrogates apart, although they count the same.
    hash.update(text.length <= hashedChars ? text : text.slice(from, from + hashedChars), 'utf16le');
  }
  return hash.digest('base64');
}

/** Lets in as much work as fits and makes the rest wait in order: what is sent to a worker lies in memory twice. */
interface Gate {
  /** Resolves when `size` may enter; rejects with the signal's reason when it is aborted first. */
  enter(request: { readonly size: number; readonly signal?: AbortSignal | undefined }): Promise<void>;
  leave(size: number): void;
}

function createGate({ capacity, waiting }: { readonly capacity: number; readonly waiting: number }): Gate {
  const queue = new Set<{ size: number; admit: () => void }>();
  let inside = 0;
  return { enter, leave };

  async function enter({ size, signal }: { size: number; signal?: AbortSignal | undefined }): Promise<void> {
    if (queue.size === 0 && fits(size)) {
      inside += size;
      return;
    }
    if (queue.size >= waiting) {
      throw new LonghaulError({
        code: 'tokens-overloaded',
        message: `${waiting} counts are already waiting.`,
        hint: 'Await earlier counts before asking for more, or raise `waiting`.',
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = { size, admit: resolve };
    queue.add(place);
    const abort = () => {
      // Once admitted it is no longer in the queue, and every entry needs its release.
      if (queue.delete(place)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  function leave(size: number): void {
    inside -= size;
    for (const place of queue) {
      if (!fits(place.size)) return;
      queue.delete(place);
      inside += place.size;
      place.admit();
    }
  }

  /** What is larger than the whole gate enters alone. */
  function fits(size: number): boolean {
    return inside === 0 || inside + size <= capacity;
  }
}
