/** A place in a pattern: any number of items, or one that passes a test. */
export type Unit<Item> = 'any' | ((item: Item) => boolean);

/**
 * Whether a pattern fits a list as a whole. It goes back to the last `any` only, which is enough, so that its time is at
 * most the product of both lengths: an ignore file of a stranger cannot hang it, as a regular expression could be.
 *
 * @example
 * fits({ pattern: ['any', (char) => char === 'x'], items: [...'abx'] }); // true
 */
export function fits<Item>({
  pattern,
  items,
}: {
  readonly pattern: readonly Unit<Item>[];
  readonly items: readonly Item[];
}): boolean {
  let [at, unit] = [0, 0];
  let retry: { at: number; unit: number } | undefined;
  while (at < items.length) {
    const test = pattern[unit];
    if (test === 'any') {
      unit++;
      retry = { at, unit };
    } else if (test?.(items[at] as Item)) {
      at++;
      unit++;
    } else if (retry) {
      retry = { at: retry.at + 1, unit: retry.unit };
      [at, unit] = [retry.at, retry.unit];
    } else return false;
  }
  return pattern.slice(unit).every((rest) => rest === 'any');
}

const always = () => true;

/** The test for one name: `*` is anything, `?` one character, `[…]` one of some, `\` takes the next as it is. */
export function nameTest(text: string): (name: string) => boolean {
  const pieces = text.match(/\*+|\?|\[[!^]?\]?(?:\\[\s\S]|[^\]\\]){0,200}\]|\\?[\s\S]/gu) ?? [];
  const pattern = pieces.map((piece): Unit<string> => {
    if (piece.startsWith('*')) return 'any';
    if (piece === '?') return always;
    if (piece.startsWith('[') && piece.length > 2) return oneOf(piece.slice(1, -1));
    const literal = piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
    return (char) => char === literal;
  });
  return (name) => fits({ pattern, items: [...name] });
}

/** The inside of `[…]`: characters and ranges, all but those after `!` or `^`. */
function oneOf(inside: string): (char: string) => boolean {
  const negated = /^[!^]/.test(inside);
  const members = (negated ? inside.slice(1) : inside).match(/(?:\\?[\s\S])(?:-(?:\\?[\s\S]))?/gu) ?? [];
  const ranges = members.map((member) => {
    const [first = '', last = first] = member.match(/\\[\s\S]|[\s\S]/gu)?.filter((_, i) => i !== 1) ?? [];
    return [first.replace(/^\\(?=.)/su, ''), last.replace(/^\\(?=.)/su, '')] as const;
  });
  return (char) => ranges.some(([first, last]) => char >= first && char <= last) !== negated;
}
