import { LonghaulError } from '../../errors.ts';
import type { Tool } from '../tool.ts';
import type { Workspace, WorkspacePath } from '../workspace/workspace.ts';
import { readItems, type ToolArguments } from './arguments.ts';
import { defineTool, toolText } from './define.ts';
import { loadFile, saveFile } from './file-content.ts';
import { decodeText, encodeText } from './text-file.ts';
import { diffOf, patchOf } from './unified-diff.ts';

const item = {
  type: 'object',
  properties: {
    old_string: { type: 'string', description: 'The text exactly as in the file, including indentation.' },
    new_string: { type: 'string', description: 'The replacement.' },
    all: { type: 'boolean', description: 'Replace all occurrences.' },
  },
  required: ['old_string', 'new_string'],
  additionalProperties: false,
};

/** Replaces exact text in files. */
export function editTool({ workspace }: { readonly workspace: Workspace }): Tool {
  return defineTool<{ readonly place: WorkspacePath; readonly edits: readonly Edit[] }>({
    name: 'edit',
    description:
      'Replaces text in a file, exactly as given. Each old_string must occur exactly once, unless all is true: add surrounding lines until it does. Several edits are applied in order, all or none. The line numbers of read are not part of the text.',
    properties: {
      file_path: { type: 'string', description: 'The file, relative to the workspace or absolute.' },
      edits: { type: 'array', items: item, minItems: 1, description: 'Replacements, in order.' },
      ...item.properties,
    },
    required: ['file_path'],
    target: async (args) => ({ place: await workspace.resolve(args.needText('file_path')), edits: editsIn(args) }),
    access: ({ place }) => ({ kind: 'write', paths: [place.path], isOutside: place.isOutside }),
    preview: async ({ place, edits }) => {
      const { data } = await loadFile({ workspace, place });
      const { text } = decodeText({ data, path: place.shown });
      return patchOf({ path: place.shown, before: text, after: replaceTexts({ text, edits, path: place.shown }).text });
    },
    run: async ({ target: { place, edits } }) =>
      await workspace.exclusive({
        path: place.path,
        async work() {
          const before = await loadFile({ workspace, place });
          const { text, encoding } = decodeText({ data: before.data, path: place.shown });
          const { text: after, count } = replaceTexts({ text, edits, path: place.shown });
          const written = [await saveFile({ workspace, place, data: encodeText({ text: after, encoding }), before })];
          const details = diffOf({ path: place.shown, before: text, after });
          const summary = `Edited ${place.shown}: ${count} ${count === 1 ? 'place' : 'places'} changed.`;
          return { ...toolText(summary, details), written };
        },
      }),
  });
}

/** A single edit may be given without a list. */
function editsIn(args: ToolArguments): Edit[] {
  const list = args.list('edits');
  const known = ['old_string', 'new_string', 'all'];
  const all = list ? readItems({ items: list, tool: 'edit', known }) : [];
  const isFlat = args.text('old_string') !== undefined || args.text('new_string') !== undefined;
  const edits = [...all, ...(isFlat ? [args] : [])].map((one) => ({
    before: one.needText('old_string'),
    after: one.needText('new_string'),
    isAll: one.flag('all'),
  }));
  if (edits.length > 0) return edits;
  const hint = 'Give edits, each with old_string and new_string.';
  throw new LonghaulError({ code: 'bad-arguments', message: 'edit needs text to replace.', hint });
}

/** One replacement. */
interface Edit {
  readonly before: string;
  readonly after: string;
  readonly isAll: boolean;
}

/** Limit of lines for the search of the closest match. */
const maxLines = 20_000;

/**
 * Applies edits in order. An edit that does not match is an error that says how often and where the text occurs, or
 * what is closest; then nothing changes. Models write `\n`: if all lines of the file end with `\r\n`, so do the
 * replacements.
 *
 * @example
 * replaceTexts({ text: 'a b', edits: [{ before: 'b', after: 'c', isAll: false }], path: 'x' }).text; // 'a c'
 */
function replaceTexts({
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
    if (before === '') throw badEdit({ message: `${which}old_string is empty.`, hint: 'Use write for a new file.' });
    const [old, next] = [fitted(before), fitted(after)];
    if (old === next)
      throw badEdit({ message: `${which}old_string and new_string are the same.`, hint: 'Remove this edit.' });
    const places = matchesOf({ text: now, part: old });
    if (places.length === 0) throw textNotFound({ text: now, part: before, path, which });
    if (places.length > 1 && !isAll) throw tooManyMatches({ text: now, places, path, which });
    now = now.split(old).join(next);
    count += places.length;
  }
  return { text: now, count };
}

function matchesOf({ text, part }: { readonly text: string; readonly part: string }): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function tooManyMatches(of: {
  readonly text: string;
  readonly places: readonly number[];
  readonly path: string;
  readonly which: string;
}): LonghaulError {
  const { text, places, path, which } = of;
  const lines = places.slice(0, 10).map((at) => lineAt({ text, at }));
  const message = `${which}old_string occurs ${places.length} times in ${path}, in lines ${lines.join(', ')}${places.length > 10 ? ' …' : ''}. Nothing was changed.`;
  return badEdit({ message, hint: 'Add surrounding lines until it is unique, or set all to true.' });
}

function textNotFound(of: {
  readonly text: string;
  readonly part: string;
  readonly path: string;
  readonly which: string;
}): LonghaulError {
  const { text, part, path, which } = of;
  const near = closestLines({ text, part });
  const message = `${which}old_string is not in ${path}. Nothing was changed.`;
  const hint = near
    ? `The closest match is in line ${near.line}${near.isSpacing ? ', which differs only in spaces' : ''}:\n${near.found}`
    : 'Read the file again; nothing in it is similar.';
  return badEdit({ message, hint });
}

/** The position where most lines of a text match, ignoring spaces. */
function closestLines({ text, part }: { readonly text: string; readonly part: string }) {
  const lines = text.split('\n').slice(0, maxLines);
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

function badEdit({ message, hint }: { readonly message: string; readonly hint: string }): LonghaulError {
  return new LonghaulError({ code: 'edit-refused', message, hint });
}
