import type { KeyMatch } from './find-vendor-keys.ts';

/** A private key that takes several lines, and the part of it that identifies it. */
export interface FoundBlock extends KeyMatch {
  /** The key without line breaks and line prefixes: the same in a file, in a diff and in JSON. */
  readonly secret: string;
}

/** Private keys in PEM, OpenSSH, PGP, SSH2, PuTTY and OpenVPN files. */
const opening =
  /-----BEGIN [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|TESTING KEY)-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|-----BEGIN OpenVPN Static key V1-----|\bPrivate-Lines: \d{1,4}/g;
const closing =
  /-----END [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|TESTING KEY)-----|---- END SSH2 ENCRYPTED PRIVATE KEY ----|-----END OpenVPN Static key V1-----/g;

/** A line break, also one that is escaped in JSON (once or several times) or in an address. */
const lineBreak = /\r?\n|(?:\\{1,8}r)?\\{1,8}n|(?:%0[dD])?%0[aA]|<br ?\/?>/g;

/** The base64 of `-----BEGIN `, as in Kubernetes secrets. */
const encodedOpening = /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/\r\n]{20,20000}={0,2}/g;

/** A 16384-bit RSA key takes 13 KB; with long line prefixes it takes more. */
const longestBlock = 40_000;

/** The longest line prefix that is understood: a path and a line number. */
const longestPrefix = 300;

/**
 * Finds private keys of several lines. Each line may have a prefix (`+`, `file:12:`, `> `, a line number), lines may be
 * separated by escaped line breaks, and either end of the key may be missing.
 *
 * @example
 * findKeyBlocks('+-----BEGIN PRIVATE KEY-----\n+MIIE…\n+-----END PRIVATE KEY-----');
 */
export function findKeyBlocks(text: string): FoundBlock[] {
  const found = [...openedBlocks(text), ...encodedBlocks(text)];
  return [...found, ...closedBlocks({ text, found })];
}

function openedBlocks(text: string): FoundBlock[] {
  const found: FoundBlock[] = [];
  opening.lastIndex = 0;
  for (let hit = opening.exec(text); hit !== null; hit = opening.exec(text)) {
    const start = hit.index + hit[0].length;
    const end = endOfBlock({ text, start, prefix: linePrefix({ text, at: hit.index }) });
    if (end === undefined) continue;
    found.push({ start, end, secret: digits(text.slice(start, end)) });
    opening.lastIndex = end;
  }
  return found;
}

/** Where the key ends whose opening line ends at `start`; nothing where no key follows, as in code about such keys. */
function endOfBlock(of: {
  readonly text: string;
  readonly start: number;
  readonly prefix: string;
}): number | undefined {
  const { text, start, prefix } = of;
  const ahead = text.slice(start, start + longestBlock);
  const next = ahead.search(opening);
  // Nothing is read twice: a text of nothing but opening lines must not cost more than any other.
  const region = next < 0 ? ahead : ahead.slice(0, next);
  const last = region.search(closing);
  if (last >= 0) {
    const body = region.slice(0, last);
    closing.lastIndex = last;
    if (holdsKey(body) || isKeyLines({ body, prefix })) return start + last + (closing.exec(region)?.[0].length ?? 0);
    return undefined;
  }
  // Cut off: as many lines as can belong to a key.
  let end = 0;
  for (const { line, from } of linesOf(region)) {
    if (from > 0 && !isKeyLine({ line, prefix })) break;
    if (from === 0 && line.trim() !== '' && !isKeyLine({ line, prefix: '' })) break;
    if (/[A-Za-z0-9+/]{4}/.test(line)) end = from + line.length;
  }
  return end > 0 && holdsSomething(region.slice(0, end)) ? start + end : undefined;
}

/** The end of a key whose beginning was not shown: the lines before the closing line. */
function closedBlocks({ text, found }: { readonly text: string; readonly found: readonly KeyMatch[] }): FoundBlock[] {
  const blocks: FoundBlock[] = [];
  const ends = new Set(found.map(({ end }) => end));
  let floor = 0;
  for (const hit of text.matchAll(closing)) {
    const end = hit.index + hit[0].length;
    if (ends.has(end)) continue;
    const before = text.slice(Math.max(floor, hit.index - 4000), hit.index);
    const prefix = linePrefix({ text, at: hit.index });
    const lines = linesOf(before).slice(0, -1).toReversed();
    let start: number | undefined;
    for (const { line, from } of lines) {
      if (
        !/[A-Za-z0-9+/]{16}/.test(line) &&
        start === undefined &&
        !/^[^A-Za-z0-9+/=]*[A-Za-z0-9+/=]{1,15}\W*$/.test(line)
      )
        break;
      if (!isKeyLine({ line, prefix })) break;
      start = hit.index - before.length + from;
    }
    if (start !== undefined && holdsKey(text.slice(start, hit.index))) {
      blocks.push({ start, end, secret: digits(text.slice(start, end)) });
    }
    floor = end;
  }
  return blocks;
}

/** Whole key files in base64. */
function encodedBlocks(text: string): FoundBlock[] {
  return [...text.matchAll(encodedOpening)].flatMap(({ 0: run, index }) => {
    const head = Buffer.from(run.slice(0, 120).replace(/\s/g, ''), 'base64').toString('latin1');
    if (!/PRIVATE KEY/.test(head)) return [];
    return [{ start: index, end: index + run.trimEnd().length, secret: digits(run) }];
  });
}

/** The prefix of the opening line: every other line of the block begins with it. */
function linePrefix({ text, at }: { readonly text: string; readonly at: number }): string {
  const before = text.slice(Math.max(0, at - longestPrefix), at);
  return linesOf(before).at(-1)?.line ?? '';
}

function linesOf(text: string): { readonly line: string; readonly from: number }[] {
  const lines: { line: string; from: number }[] = [];
  let from = 0;
  for (const { 0: separator, index } of text.matchAll(lineBreak)) {
    lines.push({ line: text.slice(from, index), from });
    from = index + separator.length;
  }
  lines.push({ line: text.slice(from), from });
  return lines;
}

function isKeyLines({ body, prefix }: { readonly body: string; readonly prefix: string }): boolean {
  const lines = linesOf(body);
  return lines.every(({ line }) => isKeyLine({ line, prefix })) && holdsSomething(body);
}

/** Whether a line can belong to a key: base64 and nothing else after its prefix, a header, or empty. */
function isKeyLine({ line, prefix }: { readonly line: string; readonly prefix: string }): boolean {
  const bare = withoutPrefix({ line, prefix });
  return [bare, withoutCommonPrefix(line)].some((rest) =>
    /^(?:[A-Za-z0-9+/=]{0,2000}|[A-Za-z][A-Za-z-]{1,40}: [^\r]{0,200})[\s"'`,;+\\)|]{0,12}$/.test(
      rest.replace(/^[\s"'`(]{0,60}/, ''),
    ),
  );
}

/** The rest of a line after a prefix like the given one; numbers may differ, and so may `:` and `-` in output of `grep`. */
function withoutPrefix({ line, prefix }: { readonly line: string; readonly prefix: string }): string {
  let [at, position] = [0, 0];
  while (position < prefix.length) {
    const expected = prefix.charAt(position);
    if (/[\d\s]/.test(expected)) {
      const kind = /\d/.test(expected) ? /[\d\s]/ : /[\s\d]/;
      while (position < prefix.length && kind.test(prefix.charAt(position))) position += 1;
      while (at < line.length && kind.test(line.charAt(at))) at += 1;
      continue;
    }
    const isSame = line.charAt(at) === expected || (/[:-]/.test(expected) && /[:-]/.test(line.charAt(at)));
    // A prefix that only the first line has: `key = """`.
    if (!isSame) return line;
    at += 1;
    position += 1;
  }
  return line.slice(at);
}

/** Without quotes of mail, marks of diffs and comments, line numbers, and `path:12:` of grep. */
function withoutCommonPrefix(line: string): string {
  return line.replace(/^[\s>|#*;/+-]{0,40}(?:[^\s:]{1,200}[:-]\d{1,7}[:-]|\d{1,7}[\s:→|]{1,8})?[\s>|#*;/+-]{0,40}/, '');
}

/** Whether there is a run of base64 that is no word. */
function holdsKey(body: string): boolean {
  return (
    (body.match(/[A-Za-z0-9+/=]{24,2000}/g) ?? []).some(
      (run) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run),
    ) || (body.match(/[a-f0-9]{32}/g)?.length ?? 0) >= 2
  );
}

function holdsSomething(body: string): boolean {
  return /[A-Za-z0-9+/=]{5}/.test(body);
}

/** The base64 digits of a block, in order: what stays the same under any line prefix. */
function digits(block: string): string {
  // `+` is also the mark of an added line.
  return (
    block
      .replace(closing, '')
      .replace(/[+/]/g, '')
      .match(/[A-Za-z0-9=]{16,}/g) ?? [block]
  ).join('');
}
