/** A question about a session that is answered by something said at or before its cut. */
export interface Probe {
  readonly id: string;
  readonly category: string;
  readonly question: string;
  readonly match: 'contains' | 'all_of' | 'judge';
  readonly accept: readonly string[];
  readonly tokens_to_cut: number;
  readonly mentions_in_last_20k_before_cut: number;
}

/** Far from the cut, and not said again near it: only what was compacted can answer it. */
export function isHard(probe: Probe): boolean {
  return probe.tokens_to_cut > 20_000 && probe.mentions_in_last_20k_before_cut === 0;
}

/**
 * Whether a text holds the answer. `judge` wants a reader; here, without one, all of its keywords must be there.
 *
 * @example
 * isAnswered({ probe, text: 'the port is 8080' });
 */
export function isAnswered({ probe, text }: { readonly probe: Probe; readonly text: string }): boolean {
  const words = contentWords(probe.question);
  const lower = text.toLowerCase();
  const holds = (accept: string) => accept.split('|').some((one) => isPresent({ answer: one, lower, words }));
  return probe.match === 'contains' ? probe.accept.some(holds) : probe.accept.every(holds);
}

/** Up to this length an answer may stand anywhere by chance, and must stand near what was asked. */
const shortAnswer = 6;
const nearby = 250;
const wordsNearby = 2;

function isPresent({
  answer,
  lower,
  words,
}: {
  readonly answer: string;
  readonly lower: string;
  readonly words: readonly string[];
}): boolean {
  const wanted = answer.toLowerCase();
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (!isWhole({ lower, at, end })) continue;
    if (answer.length > shortAnswer) return true;
    const before = lower.slice(Math.max(0, at - nearby), at);
    const after = lower.slice(end, end + nearby);
    if (words.filter((word) => before.includes(word) || after.includes(word)).length >= wordsNearby) return true;
  }
  return false;
}

/** An answer that begins or ends with a digit is not part of a longer number. */
function isWhole({ lower, at, end }: { readonly lower: string; readonly at: number; readonly end: number }): boolean {
  const begins = !/\d/.test(lower[at] ?? '') || !/\d[.,]?$/.test(lower.slice(Math.max(0, at - 2), at));
  const ends = !/\d/.test(lower[end - 1] ?? '') || !/^[.,]?\d/.test(lower.slice(end, end + 2));
  return begins && ends;
}

const functionWords = new Set(
  `about above after again against along also although among because been before behind being below beneath beside
  besides between beyond both cannot could did does doing done down during each either else ever every from further
  given goes going gone have having here hers herself himself into itself just like made make many might more most much
  must myself need neither never none once only onto other ought ours over same shall should since some such than that
  their theirs them themselves then there these they this those though through thus together toward under until unto
  upon used very were what whatever when where whether which while whom whose will with within without would your yours
  yourself`.split(/\s+/),
);

function contentWords(question: string): string[] {
  const words = question.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return [...new Set(words)].filter((word) => !functionWords.has(word));
}
