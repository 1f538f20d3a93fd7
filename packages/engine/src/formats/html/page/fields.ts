import type { PageEntry, PagePart } from '../shape.ts';

/** A text of an entry that is shown as a whole and can be found in. */
export interface Field {
  /** Unique in its entry; the element that shows it has it as `data-field`. */
  readonly key: string;
  readonly text: string;
  readonly part: number;
}

/** The name of a tool, which is seen while what it did is folded away. */
export const nameKey = (part: number): string => `${part}.name`;
export const textKey = (part: number): string => `${part}.text`;

/** Everything that can be found in an entry. */
export function fieldsOf({ parts }: PageEntry): Field[] {
  return parts.flatMap((part, index): Field[] => {
    if (part.type === 'image') return [];
    const text: Field = { key: textKey(index), text: part.text, part: index };
    const hasName = part.type === 'call' || part.type === 'result';
    return hasName ? [{ key: nameKey(index), text: part.name, part: index }, text] : [text];
  });
}

/** Whether a part is folded away until it is opened: all but what people and models said. */
export function isFolded(part: PagePart): boolean {
  if (part.type === 'text') return part.who === 'tool' || part.who === 'engine' || part.who === 'data';
  return part.type !== 'image';
}
