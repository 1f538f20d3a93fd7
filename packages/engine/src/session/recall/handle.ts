import { badHandle } from '../errors.ts';

/** The address of something that was said. */
export interface Handle {
  /** The entry's number. */
  readonly entry: number;
  /** From 1. */
  readonly part?: number;
  /** From 1, both included. */
  readonly lines?: { readonly from: number; readonly to: number };
}

const form = /^@?(\d{1,15})(?:\.(\d{1,9}))?(?::(\d{1,15})(?:-(\d{1,15}))?)?$/;

/**
 * Reads a handle: `@12`, `@12.2`, `@12:40-80`, `@12.2:40-80`. One line may be written `@12:40`, and the sign left out.
 *
 * @example
 * parseHandle('@12.2:40-80'); // { entry: 12, part: 2, lines: { from: 40, to: 80 } }
 */
export function parseHandle(text: string): Handle {
  const [, entry, part, from, to = from] = form.exec(text.trim()) ?? [];
  if (entry === undefined) throw badHandle({ text, why: 'is not written like one' });
  if (Number(entry) === 0 || (part !== undefined && Number(part) === 0)) {
    throw badHandle({ text, why: 'counts from 0; entries and parts count from 1' });
  }
  if (from !== undefined && (Number(from) === 0 || Number(to) < Number(from))) {
    throw badHandle({ text, why: 'names no lines: they count from 1, and the last is not before the first' });
  }
  return {
    entry: Number(entry),
    ...(part !== undefined && { part: Number(part) }),
    ...(from !== undefined && { lines: { from: Number(from), to: Number(to) } }),
  };
}

/**
 * Writes a handle.
 *
 * @example
 * formatHandle({ entry: 12, part: 2 }); // '@12.2'
 */
export function formatHandle({ entry, part, lines }: Handle): string {
  const inPart = part === undefined ? '' : `.${part}`;
  return `@${entry}${inPart}${lines ? `:${lines.from}-${lines.to}` : ''}`;
}
