import type { SessionId } from '../../session/index.ts';
import { sessionIdOf } from '../ids.ts';
import type { ImportFormat, ParsedHeader } from '../parsed-session.ts';

/**
 * Which session a file becomes: itself, where it is one of ours; else one by its format and key. A copy above the first
 * is what the file becomes after the session in the store has gone another way.
 */
export function sessionOf({
  format,
  key,
  header: { id },
  copy = 1,
}: {
  readonly format: ImportFormat;
  readonly key: string;
  readonly header: ParsedHeader;
  readonly copy?: number;
}): SessionId {
  if (copy === 1 && id !== undefined && isUuid(id)) return id;
  return sessionIdOf({ format, key: keyOf({ key, copy }) });
}

export function keyOf({ key, copy }: { readonly key: string; readonly copy: number }): string {
  return copy === 1 ? key : `${key}\n${copy}`;
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
}
