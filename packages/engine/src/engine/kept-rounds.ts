import type { HeldItem } from './propose.ts';

/** What the newest rounds come to: answers of the model with the results of their calls (editor.md 3.2 keeps one). */
export function keptRounds({ held, rounds }: { readonly held: readonly HeldItem[]; readonly rounds: number }): number {
  let [seen, tokens, kept] = [0, 0, 0];
  for (const { item, tokens: size } of held.toReversed()) {
    if (seen === rounds) break;
    tokens += size;
    if (item.message.role !== 'assistant') continue;
    seen += 1;
    kept = tokens;
  }
  return kept;
}
