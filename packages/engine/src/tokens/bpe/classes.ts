/**
 * What the split patterns of the public encodings ask of a character. Frozen in `tables/classes.bin`, so that a count
 * depends neither on the running Node's Unicode version nor on JavaScript's `\s`, which holds U+FEFF and lacks U+0085
 * where the patterns' own language has it the other way round.
 */
export const SYMBOL = 0;
/** Lu, Lt */
export const UPPER = 1;
/** Ll */
export const LOWER = 2;
/** Lm, Lo: letters without case */
export const LETTER = 3;
export const MARK = 4;
export const NUMBER = 5;
/** White space other than U+0020 and line ends. */
export const BLANK = 6;
/** CR, LF */
export const NEWLINE = 7;
export const SPACE = 8;

const codePoints = 0x11_0000;

/** Unpacks the runs of `tables/classes.bin` into one byte a code point. */
export function readClasses(packed: Uint8Array): Uint8Array {
  const classes = new Uint8Array(codePoints);
  let code = 0;
  let value = 0;
  let scale = 1;
  for (const byte of packed) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte > 127) continue;
    const end = code + Math.floor(value / 16);
    classes.fill(value % 16, code, end);
    [code, value, scale] = [end, 0, 1];
  }
  return classes;
}

/** The code point whose UTF-8 begins at `at`; the bytes come from `TextEncoder`, so they are well formed. */
export function codeAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return lead;
  const second = (bytes[at + 1] as number) & 63;
  if (lead < 0xe0) return ((lead & 31) << 6) | second;
  const third = (bytes[at + 2] as number) & 63;
  if (lead < 0xf0) return ((lead & 15) << 12) | (second << 6) | third;
  return ((lead & 7) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] as number) & 63);
}

/** How many bytes a character takes, by its first one. */
export function widthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
