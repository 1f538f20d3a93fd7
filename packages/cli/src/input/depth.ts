import { LonghaulError } from 'longhaul';

/** No provider accepts anything close to it, and far deeper values overflow the stack of `JSON.stringify`. */
const deepest = 1000;

/**
 * Rejects a value that is nested too deeply, before any recursive code sees it.
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
        message: `${name} is nested more than ${deepest} levels deep.`,
        hint: 'Check that it is the right file; no provider accepts such a conversation.',
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
