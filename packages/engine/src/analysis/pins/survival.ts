import type { Mask } from '../secrets/mask.ts';
import type { Pin } from './pins.ts';

/** Which rules a text contains; stored with a compaction. */
export interface Survival {
  readonly pins: readonly { readonly text: string; readonly from: string; readonly present: boolean }[];
  readonly present: number;
  readonly missing: number;
}

/**
 * Searches the rendered text for each rule, byte for byte. Rules are masked like the text, so that a secret in a rule is not
 * sent.
 *
 * @example
 * const survival = survivalOf({ pins, text: summary.text, mask });
 */
export function survivalOf({
  pins,
  text,
  mask = (plain) => plain,
}: {
  readonly pins: readonly Pick<Pin, 'text' | 'from'>[];
  readonly text: string;
  readonly mask?: Mask;
}): Survival {
  const checked = pins.map(({ text: rule, from }) => {
    const words = mask(rule);
    return { text: words, from, present: text.includes(words) };
  });
  const present = checked.filter((pin) => pin.present).length;
  return { pins: checked, present, missing: checked.length - present };
}
