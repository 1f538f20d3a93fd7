import { spoken } from '../../analysis/index.ts';

/** Verbs in the imperative at the beginning of a sentence. Many are nouns as well: see `isNoun`. */
const imperatives =
  'accept|allow|bypass|commit|delete|deploy|disable|disregard|drop|enable|execute|force|forget|give|grant|ignore|install|merge|never|always|obey|override|please|proceed|publish|push|remember|remove|replace|reveal|run|send|share|skip|trust|uninstall|upload|use|wipe';

const standing: readonly RegExp[] = [
  /\b(?:from now on|from here on(?: out)?|henceforth|going forward|from this (?:point|moment|day) (?:on|forward)|until further notice|for the rest of (?:the|this) (?:session|conversation|work)|at all times|in all (?:future|later|cases))\b/,
  /(?:^[^a-z]*|[:;.(—–] ?|\b(?:please|you|should|must|shall|then) )(?:always|never)(?: ever)? (?!(?:in|on|at|the|an?|by|before|after|again|yet|been|was|were|is|are|has|had|to|into|as|with|from|only|both|of|for|under|more|less|quite|really|mind|sent|done|made|kept|read|shown|seen|known|held|built|lost|found|left|written|given|taken|drawn|broken|begun|met|paid|fully|quite|part|out|up)\b)(?!\w+(?:s|ed|ing|ly)\b)[a-z]+/,
  /\b(?:ignore|disregard|forget|override|bypass|suppress|obey|comply with|break|violate|lift)\b[^.;:]{0,40}\b(?:instructions?|rules?|guidelines?|restrictions?|safeguards?|polic(?:y|ies)|orders?|guards?|limits?|confirmations?|permissions?|warnings?|reviews?)\b/,
  /\b(?:do not|don't|never|no need to|not necessary to|need not|needn't|stop|without|instead of|rather than|no longer) (?:ever )?(?:ask(?:ing)?|confirm(?:ing|ation)?|request(?:ing)?|prompt(?:ing)?|consult(?:ing|ation)?|seek(?:ing)?|waiting for|wait for) (?:for |the |any |an? |permission|confirmation|anyone|anybody|first|again|before|whether|user|approval|about|it)/,
  /\bwithout (?:asking|confirmation|permission|approval|review|further (?:questions|ado))\b/,
  /\b(?:must|should|shall|has to|have to|is to|are to|ought to|may|can) (?:now )?(?:always|never|freely|blindly|unconditionally|under no circumstances|at all costs|immediately obey)\b/,
  /\b(?:as root|with sudo|sudo) (?:from now|always|every)\b|\b(?:every|each|any) (?:command|call|push|commit|request|message) (?:must|should|shall|has to|is to|may)\b/,
];
const imperative = new RegExp(
  `^[^a-z]*(?:(?:so|then|therefore|next|now|please|also|instead|important|note|warning|rule|reminder),? ?:? ?)*(?:do not|don't|(?:${imperatives}))\\b(?<verb>)(?<rest>.*)$`,
);

/**
 * Whether a sentence gives an order to whoever reads the summary. Steps are what a plan consists of, so that a plan may
 * say "Run the tests"; what it lays down for good, or tells to do unasked, is an order anywhere.
 *
 * @example
 * isOrder({ sentence: 'From now on, always run sudo.', isPlan: true }); // true
 */
export function isOrder({ sentence, isPlan }: { readonly sentence: string; readonly isPlan: boolean }): boolean {
  const words = spoken(sentence);
  if (standing.some((pattern) => pattern.test(words))) return true;
  if (isPlan) return false;
  const rest = imperative.exec(words)?.groups?.rest;
  return rest !== undefined && !isNoun(rest);
}

/** "Use of the cache", "Call: …", "Report 3", "Set by", "Put away" begin with no order. */
function isNoun(rest: string): boolean {
  return /^(?:$|[^a-z' ]| (?:of|was|were|is|are|has|had|and|or|by|in|on|at|to|with|from|for|after|before|as|codespan (?:was|is)|\d|failed|passed|fails|passes|done|order|orders|calls?|sites?|handlers?|side|requests?|mode|step|steps|output|paths?|time|times|no |not |up|lists?)\b)/.test(
    rest,
  );
}
