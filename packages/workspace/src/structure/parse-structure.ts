import { foldStructure } from './folding.ts';
import { languageOf } from './languages.ts';
import type { SourceDocument, Structure } from './structure.ts';
import { syntaxStructure } from './syntax.ts';

/** Longer documents are folded: a parse holds many times their size in memory. */
const longestParsed = 2_000_000;

/** The structure of a document: by its grammar where one is known and the parse ends in time, else by indentation. */
export async function parseStructure({ path, text }: SourceDocument): Promise<Structure> {
  const rules = languageOf(path);
  const root = rules && text.length <= longestParsed ? await syntaxStructure({ text, rules }) : undefined;
  return root && rules ? { root, source: 'syntax', language: rules.id } : folded({ path, text });
}

/** The structure of a document by its indentation alone. */
export function folded({ path, text }: SourceDocument): Structure {
  return { root: foldStructure({ path, text }), source: 'folding', language: languageOf(path)?.id ?? 'text' };
}
