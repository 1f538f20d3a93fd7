import type { ToolCallPart } from '../../message/index.ts';
import { readCall } from './call.ts';

/** What a call does to a file, as far as its arguments tell. */
export interface Touch {
  readonly path: string;
  readonly kind: 'read' | 'write';
}

/**
 * The files that a call reads or changes, each once: what the frontier understands of a call, without what came of it.
 * Commands of a shell are understood where they are plain.
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
  /** Where the session works. */
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
