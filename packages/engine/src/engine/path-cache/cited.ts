import { isObject } from '../../json.ts';
import type { Part } from '../../message/index.ts';
import { type Entry, type Handle, parseHandle } from '../../session/index.ts';
import { outlineOfPart } from './outline.ts';

/**
 * The places that the newest summary on a path quotes, by the handle of their entry.
 *
 * @example
 * const places = citedPlaces(path).get(12);
 */
export function citedPlaces(path: readonly Entry[]): ReadonlyMap<number, readonly Handle[]> {
  const newest = path.findLast((entry) => entry.type === 'compaction');
  const details = newest?.type === 'compaction' ? newest.details : undefined;
  const made = isObject(details) ? details.made : undefined;
  const lines = isObject(made) ? made.lines : undefined;
  const places = new Map<number, Handle[]>();
  for (const line of Array.isArray(lines) ? lines : []) {
    const place = handleIn(line);
    if (place) places.set(place.entry, [...(places.get(place.entry) ?? []), place]);
  }
  return places;
}

function handleIn(written: unknown): Handle | undefined {
  try {
    return parseHandle(String(written));
  } catch {
    return undefined;
  }
}

/**
 * An entry of which only the quoted lines are left, each with its number: the other lines are empty. What a summary rests
 * on stays exact, and a long result of which one line is quoted costs no more than that line.
 *
 * @example
 * const light = citedOf({ entry, places: [parseHandle('@12.2:40-41')] });
 */
export function citedOf({ entry, places }: { readonly entry: Entry; readonly places: readonly Handle[] }): Entry {
  if (entry.type !== 'message') return entry;
  const { sent: _sent, ...rest } = entry;
  const { role, parts } = entry.message;
  const cited = parts.map((part, index): Part => {
    const own = places.filter((place) => place.part === undefined || place.part === index + 1);
    if (own.length === 0) return outlineOfPart(part)[0] ?? { type: 'text', origin: part.origin, text: '' };
    return own.some(({ lines }) => lines === undefined) ? part : withLines({ part, places: own });
  });
  return { ...rest, message: { role, parts: cited } };
}

function withLines({ part, places }: { readonly part: Part; readonly places: readonly Handle[] }): Part {
  if (part.type === 'text' && part.origin !== 'human') {
    return { type: 'text', origin: part.origin, text: onlyLines({ text: part.text, places }) };
  }
  const [only] = part.type === 'tool_result' ? part.content : [];
  // Lines are counted over all texts of a result together; only where there is one it can be blanked by itself.
  if (part.type !== 'tool_result' || part.content.length !== 1 || only?.type !== 'text') return part;
  const { wire: _, ...rest } = part;
  return { ...rest, content: [{ ...only, text: onlyLines({ text: only.text, places }) }] };
}

function onlyLines({ text, places }: { readonly text: string; readonly places: readonly Handle[] }): string {
  const isQuoted = (line: number) => places.some(({ lines }) => lines && line >= lines.from && line <= lines.to);
  const last = Math.max(...places.map(({ lines }) => lines?.to ?? 0));
  return text
    .split('\n')
    .slice(0, last)
    .map((line, index) => (isQuoted(index + 1) ? line : ''))
    .join('\n');
}
