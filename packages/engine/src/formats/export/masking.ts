import type { Json } from '../../json.ts';
import type { Context, Entry, SessionHeader } from '../../session/index.ts';
import type { WarningList } from '../report.ts';
import { type Mask, maskJson } from './mask-json.ts';

/** Masks what a session says, and remembers where it had to. */
export interface Masking {
  readonly header: (header: SessionHeader) => SessionHeader;
  readonly entry: (entry: Entry) => Entry;
  readonly context: (context: Context) => Context;
  /** Says in how many places. */
  readonly report: () => void;
}

export function createMasking({ mask, warnings }: { readonly mask: Mask; readonly warnings: WarningList }): Masking {
  const places = new Set<string>();
  return {
    header: (header) => masked(header, 'header'),
    entry: (entry) => masked(entry, entry.id),
    context: (context) => ({
      ...context,
      items: context.items.map((item, index) => masked(item, item.entry ?? `made ${index}`)),
    }),
    report() {
      if (places.size === 0) return;
      const where = places.size === 1 ? 'one place' : `${places.size} places`;
      warnings.add({ code: 'masked', message: `What looks like a key or a password was masked in ${where}.` });
    },
  };

  function masked<T extends object>(value: T, place: string): T {
    const result = maskJson({ value: value as unknown as Json, mask }) as unknown as T;
    if (result !== value) places.add(place);
    return result;
  }
}
