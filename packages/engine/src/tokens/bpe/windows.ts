/**
 * Where a text can be cut so that each part has the same pieces as in the whole: before a blank or line end that
 * follows an ASCII letter or digit, and after a line end that is followed by visible ASCII other than a slash. No
 * pattern of the public encodings has a piece that reaches over such a place, nor one that looks over it.
 */
function isSafe(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (before === 0x0a) return after > 0x20 && after < 0x7f && after !== 0x2f;
  if (after !== 0x20 && after !== 0x0a) return false;
  const letter = before | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (before >= 0x30 && before <= 0x39);
}

/** The first place to cut at or after `from`, or the text's end. */
export function nextCut(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (isSafe(text, at)) return at;
  return text.length;
}
