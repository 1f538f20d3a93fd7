/** No provider takes anything near it, and far beyond it JSON.stringify runs out of stack. */
const deepest = 1000;

/** Whether the lists and objects of a value stand in each other too deeply for code that recurses. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null
        ? Object.values(item).filter((child) => typeof child === 'object' && child !== null)
        : [],
    );
  }
  return false;
}
