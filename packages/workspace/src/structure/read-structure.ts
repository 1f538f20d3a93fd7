import { createHash } from 'node:crypto';
import { connectWorker, type WorkspaceWorker, workerUrl } from '../worker/rpc.ts';
import { languageOf } from './languages.ts';
import { folded, parseStructure } from './parse-structure.ts';
import type { SourceDocument, Structure } from './structure.ts';
import type { StructureMethods } from './structure-worker.ts';

const mostRemembered = 64;
/** Shorter documents are parsed where they are: that takes a few milliseconds, less than sending them elsewhere. */
const longestHere = 20_000;
/** The parse itself ends after 3 s; a worker that takes longer is given up. */
const longestWait = 5_000;

const remembered = new Map<string, Promise<Structure>>();
let worker: WorkspaceWorker<StructureMethods> | undefined;

/**
 * The structure of a document: by its grammar where one is known and the parse ends in time, else by indentation. Large
 * documents are parsed in a worker thread. The last 64 are remembered by content.
 *
 * @example
 * const { root } = await readStructure({ path: 'a.ts', text: 'export class A {\n  f() {}\n}\n' });
 * root.children[0]?.name; // 'A'
 */
export function readStructure({ path, text }: SourceDocument): Promise<Structure> {
  const key = `${languageOf(path)?.id ?? path}\0${createHash('sha256').update(text).digest('base64')}`;
  const known = remembered.get(key);
  if (known) {
    remembered.delete(key);
    remembered.set(key, known);
    return known;
  }
  const made = text.length <= longestHere ? parseStructure({ path, text }) : inWorker({ path, text });
  remembered.set(key, made);
  const [oldest] = remembered.keys();
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  return made;
}

async function inWorker(document: SourceDocument): Promise<Structure> {
  if (languageOf(document.path) === undefined) return folded(document);
  worker ??= connectWorker({ url: workerUrl({ from: import.meta.url, module: 'structure/structure-worker' }) });
  try {
    return await worker.call({ method: 'parse', input: document, signal: AbortSignal.timeout(longestWait) });
  } catch {
    // Whatever went wrong in the worker, the next document gets a new one.
    const failed = worker;
    worker = undefined;
    await failed?.close();
    return folded(document);
  }
}
