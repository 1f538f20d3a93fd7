/**
 * A status code in a text, where it stands as one: at the start, after a word like «status», or before its own name.
 * Numbers in ids, sizes and token counts are none.
 */
export function statusIn(text: string): number | undefined {
  const found = statusForms.map((form) => form.exec(text)?.[1]).find((code) => code !== undefined);
  return found === undefined ? undefined : Number(found);
}

const code = '([45]\\d\\d)(?![\\w-]|[.,]\\d|\\s{0,3}(?:bytes|tokens|characters|chars|ms|s|[kmg]i?b)\\b)';
const statusForms: readonly RegExp[] = [
  new RegExp(`^\\s*${code}`, 'i'),
  new RegExp(
    `\\b(?:status(?: ?code)?|http(?:/[\\d.]+)?|error(?: code)?|statuscode)["']?\\s{0,3}[:=]?\\s{0,3}\\(?${code}`,
    'i',
  ),
  /(?<![\w.-])([45]\d\d) (?:bad request|unauthorized|payment required|forbidden|not found|request timeout|conflict|payload too large|content too large|request entity too large|unprocessable|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)/i,
];

export function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;
}
