import { LonghaulError } from '../../errors.ts';

/** A text that is to stand in place of another. */
export interface Edit {
  readonly before: string;
  readonly after: string;
  readonly isAll: boolean;
}

/** Lines up to which a text is compared with every place of a file, to find the nearest. */
const mostLines = 20_000;

/**
 * A text with edits made in order. What does not fit is an error that says how often and where a text stands, or what is
 * nearest to it; then nothing is changed. Models write `\n`: where all lines of the file end with `\r\n`, so do theirs.
 *
 * @example
 * replaceTexts({ text: 'a b', edits: [{ before: 'b', after: 'c', isAll: false }], path: 'x' }).text; // 'a c'
 */
export function replaceTexts({
  text,
  edits,
  path,
}: {
  readonly text: string;
  readonly edits: readonly Edit[];
  readonly path: string;
}): { readonly text: string; readonly count: number } {
  const isWindows = /\r\n/.test(text) && !/(?<!\r)\n/.test(text);
  const fitted = (part: string) => (isWindows ? part.replace(/\r?\n/g, '\r\n') : part);
  let [now, count] = [text, 0];
  for (const [index, { before, after, isAll }] of edits.entries()) {
    const which = edits.length > 1 ? `Edit ${index + 1}: ` : '';
    if (before === '') throw wrong({ cause: `${which}old_string is empty.`, next: 'Use write for a new file.' });
    const [old, next] = [fitted(before), fitted(after)];
    if (old === next) throw wrong({ cause: `${which}old_string and new_string are the same.`, next: 'Leave it out.' });
    const places = placesOf({ text: now, part: old });
    if (places.length === 0) throw notThere({ text: now, part: before, path, which });
    if (places.length > 1 && !isAll) throw tooMany({ text: now, places, path, which });
    now = now.split(old).join(next);
    count += places.length;
  }
  return { text: now, count };
}

function placesOf({ text, part }: { readonly text: string; readonly part: string }): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function tooMany(of: {
  readonly text: string;
  readonly places: readonly number[];
  readonly path: string;
  readonly which: string;
}): LonghaulError {
  const { text, places, path, which } = of;
  const lines = places.slice(0, 10).map((at) => lineAt({ text, at }));
  const cause = `${which}old_string stands ${places.length} times in ${path}, in lines ${lines.join(', ')}${places.length > 10 ? ' …' : ''}. Nothing was changed.`;
  return wrong({ cause, next: 'Add lines around it until it stands there once, or set all to true.' });
}

function notThere(of: {
  readonly text: string;
  readonly part: string;
  readonly path: string;
  readonly which: string;
}): LonghaulError {
  const { text, part, path, which } = of;
  const near = nearest({ text, part });
  const cause = `${which}old_string is not in ${path}. Nothing was changed.`;
  const next = near
    ? `The nearest is in line ${near.line}${near.isSpacing ? ', which differs only in spaces' : ''}:\n${near.found}`
    : 'Read the file again; it has nothing like it.';
  return wrong({ cause, next });
}

/** Where most lines of a text stand, spaces aside. */
function nearest({ text, part }: { readonly text: string; readonly part: string }) {
  const lines = text.split('\n').slice(0, mostLines);
  const bare = lines.map(squeezed);
  const wanted = part.split('\n').slice(0, 200).map(squeezed);
  const firm = wanted.map((line, index) => ({ line, index })).filter(({ line }) => line.length > 2);
  const votes = new Map<number, number>();
  for (const { line, index } of firm.slice(0, 50)) {
    for (let at = bare.indexOf(line); at >= 0; at = bare.indexOf(line, at + 1)) {
      const start = Math.max(0, at - index);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  }
  const [best] = [...votes].toSorted(([, a], [, b]) => b - a);
  const start =
    best?.[0] ?? bare.findIndex((line) => firm.some((one) => line.includes(one.line) || isLike(line, one.line)));
  if (start < 0) return undefined;
  const found = lines.slice(start, start + Math.min(wanted.length, 10));
  const isSpacing = bare.slice(start, start + wanted.length).join('\n') === wanted.join('\n');
  return { line: start + 1, isSpacing, found: found.map((line) => line.slice(0, 300)).join('\n') };
}

function isLike(a: string, b: string): boolean {
  const words = new Set(b.split(/\W+/).filter((word) => word.length > 2));
  const shared = new Set(a.split(/\W+/).filter((word) => words.has(word)));
  return words.size > 1 && shared.size / words.size >= 0.6;
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

function lineAt({ text, at }: { readonly text: string; readonly at: number }): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

function wrong({ cause, next }: { readonly cause: string; readonly next: string }): LonghaulError {
  return new LonghaulError({ code: 'edit-refused', cause, next });
}
