import { LonghaulError } from '../../errors.ts';
import { isObject, type Json, parseJson } from '../../json.ts';
import type { LineFile } from './line-file.ts';

/** What of a file can be gone on from. */
export interface Resumed {
  /** The ids of its lines. */
  readonly ids: readonly string[];
  /** The byte after the last of them. What stands behind it is torn, and is written anew. */
  readonly end: number;
}

/**
 * Reads how far a transcript has come. A torn last line, NUL bytes of a power loss and whatever else breaks the chain end
 * it there: the log has all of it. A file that is no transcript of this session is refused and not touched.
 *
 * @example
 * const { ids, end } = await resume({ file, path: 'a.jsonl', first: transcript.begin() });
 */
export async function resume({
  file,
  path,
  first,
}: {
  readonly file: LineFile;
  readonly path: string;
  /** The line with which this session's transcript begins. */
  readonly first: string;
}): Promise<Resumed> {
  const ids: string[] = [];
  let end = 0;
  for await (const line of file.lines()) {
    if (ids.length === 0 && !isBegun({ line: line.text, isWhole: line.end !== undefined, first })) throw foreign(path);
    const id = line.end === undefined ? undefined : idOf({ text: line.text, after: ids.at(-1) ?? null });
    if (id === undefined || line.end === undefined) break;
    ids.push(id);
    end = line.end;
  }
  return { ids, end };
}

/** Whether a first line is ours, or the beginning of ours. */
function isBegun(of: { readonly line: string; readonly isWhole: boolean; readonly first: string }): boolean {
  if (!of.isWhole) return of.first.startsWith(of.line.replace(/(?<!\0)\0+$/, ''));
  return sessionIn(parseJson(of.line)) === sessionIn(parseJson(of.first));
}

function sessionIn(event: Json | undefined): Json | undefined {
  if (!isObject(event) || event.type !== 'session.start' || !isObject(event.data)) return undefined;
  return event.data.sessionId;
}

function idOf({ text, after }: { readonly text: string; readonly after: string | null }): string | undefined {
  const event = parseJson(text);
  if (!isObject(event) || typeof event.id !== 'string' || event.parentId !== after) return undefined;
  return event.id;
}

export function foreign(path: string): LonghaulError {
  return new LonghaulError({
    code: 'transcript-foreign',
    cause: `${path} is no transcript of this session, or of a later state of it. It was not touched.`,
    next: 'Choose another file.',
  });
}
