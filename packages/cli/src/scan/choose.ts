import { LonghaulError } from 'longhaul';

/**
 * The numbers that a person chose from a list: `1,3-5`, `all`, or nothing.
 *
 * @example
 * choose({ said: '1, 3-4', amount: 9 }); // [1, 3, 4]
 */
export function choose({ said, amount }: { readonly said: string; readonly amount: number }): readonly number[] {
  const text = said.trim().toLowerCase();
  if (text === '' || text === 'none') return [];
  if (text === 'all') return Array.from({ length: amount }, (_, index) => index + 1);
  const chosen = new Set<number>();
  for (const word of text.split(/[\s,]+/).filter((piece) => piece !== '')) {
    const [, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(word) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === '' || first < 1 || last > amount || first > last) throw notInList({ word, amount });
    for (let number = first; number <= last; number += 1) chosen.add(number);
  }
  return [...chosen].sort((a, b) => a - b);
}

function notInList({ word, amount }: { readonly word: string; readonly amount: number }): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: `"${word}" is no choice from a list of ${amount}; nothing was imported.`,
    hint: 'Answer with numbers such as 1,3-5, with all, or with nothing.',
  });
}
