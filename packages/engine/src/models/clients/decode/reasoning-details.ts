import { isObject, type Json } from '../../../json.ts';

/**
 * OpenRouter's `reasoning_details`: what must come back for the provider behind it to know its own reasoning. Pieces of
 * one entry share `index` and `type`; their texts follow each other, the rest replaces what was there.
 */
export function mergeDetails({
  before,
  more,
}: {
  readonly before: readonly Json[];
  readonly more: readonly Json[];
}): readonly Json[] {
  const merged = [...before];
  for (const piece of more) {
    const last = merged.at(-1);
    if (isObject(piece) && isObject(last) && last.index === piece.index && last.type === piece.type) {
      const texts = ['text', 'summary', 'data'].flatMap((key) => {
        const [old, next] = [last[key], piece[key]];
        return typeof old === 'string' && typeof next === 'string' ? [[key, old + next] as const] : [];
      });
      const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
      merged[merged.length - 1] = { ...last, ...Object.fromEntries(said), ...Object.fromEntries(texts) };
    } else {
      merged.push(piece);
    }
  }
  return merged;
}
