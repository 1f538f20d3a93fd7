import type { ToolCallPart } from '../../message/index.ts';
import { readCall } from './call.ts';

/** A file that a call reads or writes, according to its arguments. */
export interface Touch {
  readonly path: string;
  readonly kind: 'read' | 'write';
}

/**
 * The files that a call reads or changes, each once, regardless of its result. Shell commands are understood if they are
 * plain.
 *
 * @example
 * filesTouched({ part: { type: 'tool_call', origin: 'model', id: 'a', name: 'Read', arguments: '{"file_path":"/a.ts"}' } });
 * // [{ path: '/a.ts', kind: 'read' }]
 */
export function filesTouched({
  part,
  directory,
}: {
  readonly part: ToolCallPart;
  /** The working directory of the session. */
  readonly directory?: string | undefined;
}): readonly Touch[] {
  const { reads, changes } = readCall({ part, directory });
  const written = new Set(changes.map(({ path }) => path));
  const read = new Set(reads.map(({ path }) => path));
  return [
    ...[...written].map((path) => ({ path, kind: 'write' as const })),
    ...[...read].map((path) => ({ path, kind: 'read' as const })),
  ];
}
