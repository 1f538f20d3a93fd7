import { cues, type Strength } from './cues.ts';

/** A rule is a sentence: what is shorter says nothing, what is longer is a page. */
const shortest = 6;
const longest = 400;

/** Beginnings of questions, also without their sign, and of thoughts: they order nothing. */
const asking =
  /^(?:(?:ok|okay|alright|well|so|and|but|hm+)[,\s]+)?(?:why|what|which|who|where|how|(?:is|are|was|were|do|does|did|can|could|would|will|should|have|has|(?:should|is|are|do|does|ca)n['’]?t) (?:i|we|you|it|they|he|she|the|this|that|there|these|those)|i think|i guess|i suppose|i mean|maybe|perhaps|hm+|warum|wieso|pourquoi|¿|por qué|为什么|なぜ)(?![\w'’])/i;

/** Questions by which people ask for something politely. */
const polite = /^(?:can|could|would|will) you\b|^please\b/i;

/** What only programs and source code look like. */
const code = /[{}]|=>|;\s*$|^\s*[$#/]|^(?:error|warning|fatal|note):|^\S+$|^[^\p{L}]*$/iu;

/**
 * How strongly a sentence sets a rule; `undefined` where it sets none. What stands in quotation marks is spoken of, not
 * said, and a question orders nothing unless it asks politely for something to be so always.
 */
export function ruleStrength(sentence: string): Strength | undefined {
  const { length } = sentence;
  const isDense = /[\u3040-\u30ff\u4e00-\u9fff]/.test(sentence);
  const said = unquoted(sentence);
  if (length < (isDense ? 4 : shortest) || length > longest || (!isDense && code.test(said))) return undefined;
  const isQuestion = /[?？]["')\]]?\s*$/.test(said) || /吗[。？]?$|ですか[。？]?$/.test(said);
  const found = cues.filter(({ pattern }) => pattern.test(said));
  const strength = found.some((cue) => cue.strength === 'strong') ? 'strong' : found[0]?.strength;
  if (strength === undefined) return undefined;
  if (isQuestion || asking.test(said)) return strength === 'strong' && polite.test(said) ? 'strong' : undefined;
  return strength;
}

/** Marks of emphasis hide the words between them from the patterns, and quoted words are not the speaker's. */
function unquoted(sentence: string): string {
  return sentence
    .replace(/"[^"]{0,400}"|“[^”]{0,400}”|`[^`]{0,400}`|«[^»]{0,400}»|(?<=^|\s)'[^']{0,400}'(?=\s|[.,;!]|$)/g, '“”')
    .replace(/(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])/g, '')
    .trim();
}
