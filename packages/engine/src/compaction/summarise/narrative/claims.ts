/** A model's words for whoever it works for. A user of the program that is built (`a user`, `users`) is nobody here. */
const person =
  '(?:(?:the|our|this|my)\\s+(?:end\\s+)?(?:user|human|customer|operator|requester|stakeholder|reviewer|maintainer|developer|person|boss|(?:product|project|repo(?:sitory)?)\\s+owner)|(?<=^\\W*)(?:user|human|customer|they|he|she)|you)';

const between =
  '(?:\\s+(?:has|have|had|is|was|also|then|now|just|already|later|explicitly|clearly|again|repeatedly|further|only|not|never|still|did|does|would|will|since|previously|initially|finally|both|and))*';

const verbs =
  '(?:sa(?:id|ys?)|ask(?:ed|s)?|t(?:old|ells?)|want(?:s|ed)?|wish(?:es|ed)?|request(?:s|ed)?|instruct(?:s|ed)?|approv\\w+|confirm\\w*|agree[sd]?|accept\\w*|authori[sz]\\w+|permit\\w*|allow\\w*|consent\\w*|prefer\\w*|insist\\w*|demand\\w*|decid\\w+|cho(?:se|oses?|sen)|expect\\w*|needs?|needed|requir\\w+|likes?|liked|dislik\\w+|complain\\w*|mention\\w*|stat(?:es|ed)|clarif\\w+|express\\w*|propos\\w+|suggest\\w*|order(?:s|ed)|direct(?:s|ed)|answer\\w*|repl(?:y|ies|ied)|respond\\w*|reject\\w*|declin\\w+|forb\\w+|specif\\w+|g(?:ave|ives?|iven|rant\\w*)|remind\\w*|warn\\w*|report\\w*|not(?:es|ed)|emphasi\\w+|sign(?:s|ed)?|green-?lit|ok\\W?(?:d|ed|ayed)|let|consider\\w*|indicat\\w+|point(?:s|ed)|assur\\w+|promis\\w+|tasked|interested|satisfied|happy|fine|object\\w*|oppos\\w+|like)';

const matters =
  '(?:requests?|approvals?|consent|permissions?|instructions?|preferences?|wish(?:es)?|decisions?|demands?|feedback|questions?|messages?|answers?|confirmations?|choices?|requirements?|orders?|intent(?:ion)?s?|goals?|words?|go-ahead|green light|blessing|behalf|expectations?|directives?|agreement|authori[sz]ation|sign-?off)';

/** What says that a person said or wants something, in a model's own words. */
const claims: readonly RegExp[] = [
  new RegExp(`\\b${person}${between}\\s+${verbs}\\b`, 'i'),
  new RegExp(`\\b(?:user|human|customer)(?:['’]s|s['’])(?:\\s+[\\w-]+){0,3}\\s+${matters}\\b`, 'i'),
  // `user messages` may be what the program is about.
  /\b(?:user|human|customer|your|their)\s+(?:[\w-]+\s+)?(?:requests?|approvals?|consent|permission|instructions?|preferences?|confirmations?|decisions?|feedback|demands?|wish(?:es)?)\b/i,
  /\b(?:by|from|per|according to|on behalf of)\s+(?:the|our)\s+(?:user|human|customer|operator|stakeholder|maintainer|developer)\b/i,
  /\b(?:as|per|if|like)\s+(?:previously\s+|explicitly\s+|originally\s+)?(?:requested|instructed|asked|agreed|approved|told|desired|directed|ordered)\b/i,
  /\b(?:I|we|the (?:agent|assistant|model))\s+(?:was|were|am|are|have been|has been|had been)\s+(?:\w+\s+)?(?:asked|told|instructed|requested|ordered|given|granted|allowed|permitted|cleared)\b/i,
  /^\W*(?:user|human|customer)\W{0,4}:/i,
];

/** Whoever is said to have done it: an approval that was not given may be acted on. */
const approvals =
  /\b(?:approv(?:al|als|ed?|es|ing)|authori[sz]e[sd]?|consent(?:ed|s)?|sign(?:ed)?[- ]?off|green[- ]?(?:lit|light(?:ed)?)|go-ahead|(?:permission|clearance)s?\s+(?:to|was|has|have|is|are|given|granted|from|for|received|obtained)|(?:permitted|allowed|cleared|free)\s+to|blessing)\b/i;

/** The same in other languages is told by the word for the person alone. */
const elsewhere =
  /(?<!\p{L})(?:(?:be)?nutzer|anwender|utilisateur|usuari[oa]|usu[áa]ri[oa]|utente|gebruiker|anv[äa]ndare)(?:in|s|n|’s|'s)?(?!\p{L})|пользовател|用户|使用者|ユーザー|사용자/iu;

/** To ask is to claim nothing, unless the answer comes in the same sentence. */
const asks = /^\W*(?:ask|wait for|await|check with|confirm with|seek|obtain|get|request|clarify with)\b/i;
const past =
  /\b(?:approved|confirmed|agreed|said|gave|granted|allowed|authori[sz]ed|permitted|consented|accepted|asked|wanted|told|signed)\b/i;

/** What kind of claim about a person a sentence makes. */
export type Claim = 'none' | 'word' | 'approval';

/**
 * Whether a sentence says what a person said, asked for, wants or approved. It would rather see one too many: what people
 * said is quoted by the engine anyway.
 *
 * @example
 * claimIn('The user approved the deployment.'); // 'approval'
 */
export function claimIn(sentence: string): Claim {
  if (asks.test(sentence) && !past.test(sentence)) return 'none';
  if (approvals.test(sentence)) return 'approval';
  return claims.some((pattern) => pattern.test(sentence)) || elsewhere.test(sentence) ? 'word' : 'none';
}
