import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Entry } from '../../session/index.ts';
import { isPath } from '../calls/paths.ts';

/** A file recorded by a compaction or a branch summary; its calls may be missing from this log. */
export interface RecordedFile {
  readonly path: string;
  /** The entry that recorded it. */
  readonly handle: number;
  readonly isChanged: boolean;
}

/**
 * The files that compactions and branch summaries on a path recorded, ours and pi's, oldest first (features D15).
 *
 * @example
 * const files = recordedFiles(await session.path());
 */
export function recordedFiles(path: readonly Entry[]): RecordedFile[] {
  return path.flatMap((entry) => {
    if (entry.type !== 'compaction' && entry.type !== 'branch_summary') return [];
    const { handle } = entry;
    const { read, changed } = recordedIn(entry.details);
    const file = (isChanged: boolean) => (name: string) => ({ path: name, handle, isChanged });
    return [...read.map(file(false)), ...changed.map(file(true))];
  });
}

/** The files in the details of a record, in our format or pi's. Records of pi extensions are not merged. */
function recordedIn(details: Json | undefined): {
  readonly read: readonly string[];
  readonly changed: readonly string[];
} {
  const [own, pi] = [objectOf(details), objectOf(objectOf(details).pi)];
  const isForeign = pi.fromHook === true || pi.fromExtension === true;
  const lists = [own, ...(isForeign ? [] : [pi, objectOf(pi.details)])];
  const files = objectOf(own.files);
  return {
    read: [...pathsIn(files.read), ...lists.flatMap((list) => pathsIn(list.readFiles))],
    changed: [...pathsIn(files.changed), ...lists.flatMap((list) => pathsIn(list.modifiedFiles))],
  };
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function pathsIn(value: Json | undefined): string[] {
  return (isArray(value) ? value : []).filter((path): path is string => typeof path === 'string' && isPath(path));
}
