import { type PromptMetadata, ReferenceMetadata } from './metadata.ts';
import type { PromptReference } from './reference.ts';

/** What a prompt rests on, and what it would have rested on if more had fitted. Variables count once by their names. */
export function referencesOf(of: {
  readonly all: readonly PromptMetadata[];
  readonly remaining: readonly PromptMetadata[];
}): { readonly references: PromptReference[]; readonly omittedReferences: PromptReference[] } {
  const named = new Set<string>();
  const kept = new Set(of.remaining);
  const gather = (metadata: readonly PromptMetadata[]) =>
    metadata.flatMap((each) => {
      if (!(each instanceof ReferenceMetadata)) return [];
      const { anchor } = each.reference;
      if (!('variableName' in anchor)) return [each.reference];
      if (named.has(anchor.variableName)) return [];
      named.add(anchor.variableName);
      return [each.reference];
    });
  const references = gather(of.remaining);
  return { references, omittedReferences: gather(of.all.filter((each) => !kept.has(each))) };
}
