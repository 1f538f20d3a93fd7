import { attachmentCost } from '../outline/cost.ts';
import { outline } from '../outline/outline.ts';
import { type CompletionItem, priorities } from './item.ts';
import { languageContext } from './language-context.ts';
import { similarSnippets } from './similar.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** A cursor in a document. */
export interface CursorPlace {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** In UTF-16 code units. */
  readonly offset: number;
}

const neighborCharacters = 1_200;

/**
 * All context for a cursor, most important first, as far as there is time: what the language says, outlines of neighbor
 * files, similar snippets in them.
 */
export async function gatherContext(of: {
  readonly place: CursorPlace;
  /** Files that were looked at lately, the last one first. */
  readonly neighbors: readonly string[];
  readonly files: WorkspaceFiles;
  /** Whether there is no time left. */
  readonly isLate?: () => boolean;
}): Promise<{ readonly items: CompletionItem[]; readonly isComplete: boolean }> {
  const { place, neighbors, files, isLate = () => false } = of;
  const items: CompletionItem[] = [];
  for await (const item of languageContext({ ...place, neighbors, files })) {
    items.push(item);
    if (isLate()) return { items, isComplete: false };
  }
  const looked: { readonly path: string; readonly text: string }[] = [];
  for (const path of neighbors) {
    const text = await files.read(path);
    if (text !== undefined) looked.push({ path, text });
    if (isLate()) return { items, isComplete: false };
  }
  const before = place.text.slice(Math.max(0, place.offset - 20_000), place.offset);
  const snippets = similarSnippets({ before, files: looked });
  for (const { path, text, startLine, endLine, score } of snippets) {
    const reason = `lines ${startLine}-${endLine} share ${Math.round(score * 100)} % of the words before the cursor`;
    items.push({ kind: 'similar', priority: priorities.similar, path, text, reason });
  }
  for (const file of looked) {
    if (isLate()) return { items, isComplete: false };
    if (snippets.some(({ path }) => path === file.path)) continue;
    const budget = { characters: neighborCharacters };
    const { documents } = await outline({ documents: [file], budget, cost: attachmentCost });
    const text = documents[0]?.text ?? '';
    if (text.trim() !== '') {
      const reason = 'a file that was looked at lately';
      items.push({ kind: 'neighbor', priority: priorities.neighbor, path: file.path, text, reason });
    }
  }
  return { items, isComplete: true };
}
