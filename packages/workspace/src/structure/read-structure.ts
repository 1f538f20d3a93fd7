import { createHash } from 'node:crypto';
import { foldStructure } from './folding.ts';
import { languageOf } from './languages.ts';
import type { Structure } from './structure.ts';
import { syntaxStructure } from './syntax.ts';

/** A text and the name of its file, which decides the language. */
export interface SourceDocument {
  readonly path: string;
  readonly text: string;
}

const mostRemembered = 64;
/** Longer documents are folded: a parse holds many times their size in memory. */
const longestParsed = 2_000_000;

const remembered = new Map<string, Promise<Structure>>();

/**
 * The structure of a document: by its grammar where one is known and the parse ends in time, else by indentation. The last
 * 64 are remembered by content.
 *
 * @example
 * const { root } = await readStructure({ path: 'a.ts', text: 'export class A {\n  f() {}\n}\n' });
 * root.children[0]?.name; // 'A'
 */
export function readStructure({ path, text }: SourceDocument): Promise<Structure> {
  const rules = languageOf(path);
  const key = `${rules?.id ?? path}\0${createHash('sha256').update(text).digest('base64')}`;
  const known = remembered.get(key);
  if (known) {
    remembered.delete(key);
    remembered.set(key, known);
    return known;
  }
  const made = read();
  remembered.set(key, made);
  if (remembered.size > mostRemembered) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      break;
    }
  }
  return made;

  async function read(): Promise<Structure> {
    const root = rules && text.length <= longestParsed ? await syntaxStructure({ text, rules }) : undefined;
    if (root && rules) return { root, source: 'syntax', language: rules.id };
    return { root: foldStructure({ path, text }), source: 'folding', language: rules?.id ?? 'text' };
  }
}
