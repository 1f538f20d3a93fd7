import { languageOf } from '../structure/languages.ts';
import { connectWorker, type WorkspaceWorker, workerUrl } from '../worker/rpc.ts';
import { assemble, type CompletionContext } from './assemble.ts';
import type { CompletionMode } from './budget.ts';
import type { CursorPlace } from './gather.ts';
import type { GatherMethods } from './gather-methods.ts';
import type { CompletionItem } from './item.ts';

/** Completion context for an editor, which reports what is open and asks at the cursor. */
export interface CompletionEditor {
  /** A document is open, or its text changed. */
  change(of: { readonly path: string; readonly text: string }): void;
  /** A document is looked at: it becomes a neighbor of others. */
  focus(path: string): void;
  close(path: string): void;
  /** The cursor moved: context is gathered, so that it is there when a completion is asked for. */
  warm(of: { readonly path: string; readonly offset: number }): void;
  /**
   * The context at a cursor. It waits 20 ms at most for what is being gathered; what comes later is given to `onLate`.
   * Fewer than ten characters before the cursor give nothing to go by: `undefined`.
   */
  complete(of: {
    readonly path: string;
    readonly offset: number;
    readonly mode?: CompletionMode;
    readonly onLate?: (context: CompletionContext) => void;
  }): Promise<CompletionContext | undefined>;
  dispose(): Promise<void>;
}

/** Gathers the items for a cursor; by default in a worker thread. */
export type Gather = (of: {
  readonly place: CursorPlace;
  readonly neighbors: readonly string[];
  readonly changed: readonly { readonly path: string; readonly text?: string }[];
  /** How long it may take. */
  readonly ms: number;
}) => Promise<{ readonly items: readonly CompletionItem[]; readonly isComplete: boolean }>;

/** How long gathering may take. What was read is remembered, so that the next time gets further. */
const gatherMs = 50;
/** How long a completion waits for it. */
const waitMs = 20;
const mostRemembered = 32;
const leastCharacters = 10;

/**
 * Makes completion context for an editor.
 *
 * @example
 * const editor = createCompletionEditor({ root: process.cwd() });
 * editor.change({ path: 'src/a.ts', text });
 * editor.focus('src/a.ts');
 * editor.warm({ path: 'src/a.ts', offset });
 * const context = await editor.complete({ path: 'src/a.ts', offset });
 */
export function createCompletionEditor({
  root,
  tokens,
  gather,
}: {
  readonly root: string;
  /** Of a request with its answer; 8,192 by default. */
  readonly tokens?: number;
  readonly gather?: Gather;
}): CompletionEditor {
  const worker: WorkspaceWorker<GatherMethods> | undefined = gather
    ? undefined
    : connectWorker({ url: workerUrl({ from: import.meta.url, module: 'completion/completion-worker' }) });
  const collect: Gather =
    gather ?? (async (of) => (await worker?.call({ method: 'gather', input: { root, ...of } })) ?? none);
  const documents = new Map<string, string>();
  const neighbors = new NeighborFiles();
  const changed = new Set<string>();
  /** What was gathered last for each document. It stays useful while the document is edited. */
  const gathered = new Map<string, readonly CompletionItem[]>();
  const running = new Map<string, Promise<void>>();

  const start = ({ path, offset }: { readonly path: string; readonly offset: number }): Promise<void> | undefined => {
    const text = documents.get(path);
    const known = running.get(path);
    if (known || text === undefined) return known;
    const sent = [...changed];
    changed.clear();
    const updates = sent.map((one) => {
      const now = documents.get(one);
      return now === undefined ? { path: one } : { path: one, text: now };
    });
    const work = collect({
      place: { path, text, offset: clamped({ text, offset }) },
      neighbors: neighbors.of(path),
      changed: updates,
      ms: gatherMs,
    })
      .then(({ items }) => {
        gathered.delete(path);
        gathered.set(path, items);
        const [oldest] = gathered.keys();
        if (gathered.size > mostRemembered && oldest !== undefined) gathered.delete(oldest);
      })
      .catch(() => {
        // A worker that ended lost its copies of the documents.
        for (const one of documents.keys()) changed.add(one);
      })
      .finally(() => running.delete(path));
    running.set(path, work);
    return work;
  };

  return {
    change({ path, text }) {
      documents.set(path, text);
      changed.add(path);
    },
    focus(path) {
      neighbors.touch(path);
    },
    close(path) {
      documents.delete(path);
      gathered.delete(path);
      neighbors.remove(path);
      changed.add(path);
    },
    warm(of) {
      void start(of);
    },
    async complete({ path, offset, mode = 'double', onLate }) {
      const text = documents.get(path);
      if (text === undefined) return undefined;
      const place = { path, text, offset: clamped({ text, offset }) };
      if (place.offset < leastCharacters) return undefined;
      const context = () => {
        const items = gathered.get(path) ?? [];
        return assemble({ place, items, mode, ...(tokens !== undefined && { tokens }) });
      };
      const work = start(place);
      const isDone = work ? await first({ work, ms: waitMs }) : true;
      if (!isDone && onLate) void work?.then(() => onLate(context()));
      return context();
    },
    async dispose() {
      documents.clear();
      await worker?.close();
    },
  };
}

const none = { items: [], isComplete: false };

function clamped({ text, offset }: { readonly text: string; readonly offset: number }): number {
  return Math.min(text.length, Math.max(0, Math.trunc(offset)));
}

/** Whether work ended within a time. */
async function first({ work, ms }: { readonly work: Promise<void>; readonly ms: number }): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const mostRememberedFiles = 32;
const mostNeighbors = 10;

/** Files that were looked at lately, the last one last. */
export class NeighborFiles {
  readonly #paths = new Set<string>();

  /** A file that is looked at now. */
  touch(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    const [oldest] = this.#paths;
    if (this.#paths.size > mostRememberedFiles && oldest !== undefined) this.#paths.delete(oldest);
  }

  remove(path: string): void {
    this.#paths.delete(path);
  }

  /** Up to ten files of the same language besides `path`, the one looked at last first. */
  of(path: string): string[] {
    const language = familyOf(path);
    const others = [...this.#paths].reverse().filter((other) => other !== path && familyOf(other) === language);
    return others.slice(0, mostNeighbors);
  }
}

/** JavaScript and TypeScript are one language here: they import each other. */
function familyOf(path: string): string {
  const id = languageOf(path)?.id ?? path.slice(path.lastIndexOf('.') + 1);
  return id === 'javascript' || id === 'tsx' ? 'typescript' : id;
}
