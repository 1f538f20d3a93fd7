/** An element of a pattern: any number of items, or one that passes a test. */
export type PatternElement<Item> = 'any' | ((item: Item) => boolean);

/**
 * Whether a pattern matches a whole list. Backtracks only to the last `any`, which is sufficient, so the time is at most
 * the product of both lengths: an untrusted ignore file cannot hang it, as a regular expression could.
 *
 * @example
 * fits({ pattern: ['any', (char) => char === 'x'], items: [...'abx'] }); // true
 */
export function fits<Item>({
  pattern,
  items,
}: {
  readonly pattern: readonly PatternElement<Item>[];
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

const plain = /^[^*?[\\]*$/;

/**
 * Compiles a name pattern: `*` is anything, `?` one character, `[…]` a class, `\` escapes the next character.
 *
 * @example
 * nameTest('*.log')('build.log'); // true
 */
export function nameTest(text: string): (name: string) => boolean {
  // Most patterns have no wildcard, or one at an end.
  if (plain.test(text)) return (name) => name === text;
  const [head, tail] = [text.slice(0, -1), text.slice(1)];
  if (text.startsWith('*') && plain.test(tail)) return (name) => name.endsWith(tail);
  if (text.endsWith('*') && plain.test(head)) return (name) => name.startsWith(head);
  const pieces = text.match(/\*+|\?|\[[!^]?\]?(?:\\[\s\S]|[^\]\\]){0,200}\]|\\?[\s\S]/gu) ?? [];
  const pattern = pieces.map((piece): PatternElement<string> => {
    if (piece.startsWith('*')) return 'any';
    if (piece === '?') return always;
    if (piece.startsWith('[') && piece.length > 2) return oneOf(piece.slice(1, -1));
    const literal = piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
    return (char) => char === literal;
  });
  return (name) => fits({ pattern, items: [...name] });
}

/** The inside of `[…]`: characters and ranges, negated by `!` or `^`. */
function oneOf(inside: string): (char: string) => boolean {
  const negated = /^[!^]/.test(inside);
  const members = (negated ? inside.slice(1) : inside).match(/(?:\\?[\s\S])(?:-(?:\\?[\s\S]))?/gu) ?? [];
  const ranges = members.map((member) => {
    const [first = '', last = first] = member.match(/\\[\s\S]|[\s\S]/gu)?.filter((_, i) => i !== 1) ?? [];
    return [first.replace(/^\\(?=.)/su, ''), last.replace(/^\\(?=.)/su, '')] as const;
  });
  return (char) => ranges.some(([first, last]) => char >= first && char <= last) !== negated;
}
