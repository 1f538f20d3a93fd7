import type { Message } from '../../../message/index.ts';
import { claimIn } from './claims.ts';
import { quotationsIn, sentencesOf } from './sentences.ts';

/** Fewer characters are found in anybody's words by chance. */
const shortest = 12;

/**
 * A model's text without what it says of people in its own words (J2): a sentence that claims that somebody said, asked,
 * wants or approved something stays only if it quotes whole sentences of a person, byte for byte, and of one that claims
 * an approval only the quotation stays (an approval that nobody gave was acted on: cc#46602). What a dropped line
 * introduces goes with it.
 *
 * @example
 * attributed({ text: 'It works. The user approved the release.', said: ['go on'] }); // 'It works.'
 */
export function attributed({ text, said }: { readonly text: string; readonly said: readonly string[] }): string {
  const kept: string[] = [];
  let dropped: { readonly depth: number; readonly isListed: boolean } | undefined;
  for (const line of text.split('\n')) {
    const [, mark = '', rest = ''] = /^(\s*(?:[-*•+]\s+|\d+[.)]\s+)?)(.*)$/s.exec(line) ?? [];
    const depth = /^\s*/.exec(line)?.[0].length ?? 0;
    const isListed = mark.trim() !== '';
    const isUnder = dropped && (depth > dropped.depth || (isListed && !dropped.isListed && depth === dropped.depth));
    if (isUnder || (dropped && rest === '')) continue;
    const sentences = sentencesOf(rest);
    const sound = sentences.map((sentence) => soundOf({ sentence, said }));
    const last = sentences.at(-1) ?? '';
    dropped = last.endsWith(':') && sound.at(-1) !== last ? { depth, isListed } : undefined;
    const isSame = sound.every((one, at) => one === sentences[at]);
    const whole = sound.filter((sentence) => sentence !== '').join(' ');
    if (isSame) kept.push(line);
    else if (whole !== '') kept.push(`${mark}${whole}`);
  }
  return kept.join('\n');
}

/** The texts that people wrote. */
export function humanTexts(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [part.text] : [])),
  );
}

function soundOf({ sentence, said }: { readonly sentence: string; readonly said: readonly string[] }): string {
  const claim = claimIn(sentence);
  if (claim === 'none') return sentence;
  const quoted = quotationsIn(sentence);
  if (quoted.length === 0 || !quoted.every((quote) => isSaid({ quote, said }))) return '';
  return claim === 'word' ? sentence : quoted.map((quote) => `The user said: "${quote}".`).join(' ');
}

/** Whole sentences of a person: half of one can say the contrary. */
function isSaid({ quote, said }: { readonly quote: string; readonly said: readonly string[] }): boolean {
  return said.some((text) => {
    if (text.trim() === quote) return true;
    if (quote.trim().length < shortest) return false;
    for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
      if (isWhole({ before: text.slice(0, at), quote, after: text.slice(at + quote.length) })) return true;
    }
    return false;
  });
}

function isWhole(of: { readonly before: string; readonly quote: string; readonly after: string }): boolean {
  const begins = /(?:^|[.!?。！？][)"”]?\s|\n)\s*(?:[-*•]\s+|\d+[.)]\s+)?$/.test(of.before);
  return (
    begins &&
    (/[.!?。！？]$/.test(of.quote)
      ? /^(?:\s|["”)]|$)/.test(of.after)
      : /^\s*(?:[.!?。！？](?:\s|$)|\n|$)/.test(of.after))
  );
}
