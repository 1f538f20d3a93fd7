import { LonghaulError } from 'longhaul';

/** No provider takes anything near it, and far beyond it JavaScript's own JSON.stringify runs out of stack. */
const deepest = 1000;

/**
 * Refuses a value whose lists and objects stand in each other too deeply, before any code that recurses meets it.
 *
 * @example
 * refuseDeep({ value: JSON.parse(text), name: 'a.json' });
 */
export function refuseDeep({ value, name }: { readonly value: unknown; readonly name: string }): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) {
      throw new LonghaulError({
        code: 'nested-too-deep',
        message: `${name} has lists and objects inside each other more than ${deepest} levels deep.`,
        hint: 'See whether it is the file you meant; no provider accepts such a conversation.',
      });
    }
    const below: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Object.values(item)) {
        if (typeof child === 'object' && child !== null) below.push(child);
      }
    }
    level = below;
  }
}
