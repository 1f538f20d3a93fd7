import type { Mask } from '../secrets/mask.ts';
import type { Pin } from './pins.ts';

/** Which rules stand in a text. It goes into the record of a compaction. */
export interface Survival {
  readonly pins: readonly { readonly text: string; readonly from: string; readonly present: boolean }[];
  readonly present: number;
  readonly missing: number;
}

/**
 * Looks up each rule in what was rendered, byte for byte. Where the text was masked, so is the rule before it is looked
 * up: a secret in a rule is no reason to send it.
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
