/** Bounds of a rule in characters. */
const minLength = 6;
const maxLength = 400;

/** Beginnings of questions, even without a question mark, and of thoughts; they set no rule. */
const asking =
  /^(?:(?:ok|okay|alright|well|so|and|but|hm+)[,\s]+)?(?:why|what|which|who|where|how|(?:is|are|was|were|do|does|did|can|could|would|will|should|have|has|(?:should|is|are|do|does|ca)n['’]?t) (?:i|we|you|it|they|he|she|the|this|that|there|these|those)|i think|i guess|i suppose|i mean|maybe|perhaps|hm+|warum|wieso|pourquoi|¿|por qué|为什么|なぜ)(?![\w'’])/i;

/** Polite requests in the form of a question. */
const polite = /^(?:can|could|would|will) you\b|^please\b/i;

/** Program output and source code. */
const code = /[{}]|=>|;\s*$|^\s*[$#/]|^(?:error|warning|fatal|note):|^\S+$|^[^\p{L}]*$/iu;

/**
 * How strongly a sentence sets a rule; `undefined` if it sets none. Quoted words do not count, and a question sets no rule
 * unless it politely asks for something permanent.
 */
export function ruleStrength(sentence: string): Strength | undefined {
  const { length } = sentence;
  const isDense = /[\u3040-\u30ff\u4e00-\u9fff]/.test(sentence);
  const said = unquoted(sentence);
  if (length < (isDense ? 4 : minLength) || length > maxLength || (!isDense && code.test(said))) return undefined;
  const isQuestion = /[?？]["')\]]?\s*$/.test(said) || /吗[。？]?$|ですか[。？]?$/.test(said);
  const found = cues.filter(({ pattern }) => pattern.test(said));
  const strength = found.some((cue) => cue.strength === 'strong') ? 'strong' : found[0]?.strength;
  if (strength === undefined) return undefined;
  if (isQuestion || asking.test(said)) return strength === 'strong' && polite.test(said) ? 'strong' : undefined;
  return strength;
}

/** Removes quoted words, which are not the speaker's, and emphasis marks, which would hide words from the patterns. */
function unquoted(sentence: string): string {
  return sentence
    .replace(/"[^"]{0,400}"|“[^”]{0,400}”|`[^`]{0,400}`|«[^»]{0,400}»|(?<=^|\s)'[^']{0,400}'(?=\s|[.,;!]|$)/g, '“”')
    .replace(/(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])/g, '')
    .trim();
}

/** How clearly a sentence sets a permanent rule. */
type Strength = 'strong' | 'weak';

interface Cue {
  readonly pattern: RegExp;
  readonly strength: Strength;
}

/** The beginning of a clause: of the sentence, after punctuation, or after an introductory word. */
const start = String.raw`(?:^|[,;:(—–]\s*|\s-\s|\b(?:please|pls|and|but|so|then|also|just|again|ok|okay|no|yes|dude|btw|hey)[,\s]+)`;

/** Words that make what follows a demand, with any subject. */
const modal = String.raw`\b(?:must|should|shall|has to|have to|needs to|need to|ought to|to|please)\s+`;

/** Words that cannot be the verb of an order. */
const noVerb = String.raw`(?:the|an?|this|that|these|those|it|its|my|your|his|her|their|our|there|here|in|on|at|of|for|from|with|so|very|too|more|less|been|same|some|mind|seems?|know|knew|seen|had|heard|said|was|were|is|are|i|we|you|they)\b`;

/** A verb in the imperative: neither past tense nor third person. */
const verb = String.raw`(?!${noVerb})(?!\w+(?:ed|[^s]s)\b)[a-z][a-z'’-]*`;

/** Verbs after "don't" that are not an order to an agent. */
const noOrder = String.raw`(?:know|think|understand|worry|care|see|get|mind|believe|remember|recall|like|want|need|have|you|we|they|i|the|feel|really|seem|look|work|panic|bother|matter|exist|appear|make sense)\b`;

/** An order about "it" or "that" applies only to what was just mentioned. */
const vague = String.raw`(?!\s+(?:it|that|this|them|so|yet|now)\b)`;

function strong(...sources: readonly string[]): Cue[] {
  return sources.map((source) => ({ pattern: new RegExp(source, 'iu'), strength: 'strong' }));
}

function weak(...sources: readonly string[]): Cue[] {
  return sources.map((source) => ({ pattern: new RegExp(source, 'iu'), strength: 'weak' }));
}

const english: readonly Cue[] = [
  ...strong(
    `(?:${start}|${modal})(?:always|never)\\s+(?:ever\\s+|again\\s+)?${verb}`,
    `^(?:can|could|would|will) you (?:please )?(?:always|never) [a-z]+`,
    `\\b(?:must not|mustn['’]?t|must never|must always|shall not|may not ever)\\b`,
    `${start}(?:do not|don['’]?t) ever\\b`,
    `\\b(?:from now on|from here on|going forward|henceforth|at all times|under no circumstances|whatever you do|without exception)\\b`,
    `\\b(?:for the rest of (?:this|the) (?:session|conversation|project|work))\\b`,
    `\\bin (?:the )?future,? (?:please|always|never|do|don['’]?t|use|make|run|keep|avoid|only)\\b`,
    `\\b(?:every|each) time (?:you|we)\\b|${start}whenever you\\b`,
    `\\b(?:before|after) (?:each|every|any) (?:commit|push|release|edit|change|merge|deploy\\w*)\\b`,
    `\\b(?:is|are) (?:not allowed|not permitted|forbidden|prohibited|mandatory|off[- ]limits)\\b`,
    `^(?:rule|constraint|policy|convention)s?\\s*(?:\\d+\\s*)?[:–—-]\\s`,
    `^no \\w+(?: \\w+)? (?:without|unless|until)\\b`,
    `${start}only ever\\b`,
  ),
  ...weak(
    `\\bmust\\s+(?!have\\b|of\\b|be\\s+(?:an?|the|some\\w*|because|due|that|this|in|kidding|joking)\\b)[a-z]+`,
    `${start}(?:do not|don['’]?t)\\s+(?!${noOrder})[a-z][a-z'’-]*\\b${vague}`,
    `\\b(?:should not|shouldn['’]?t)\\s+[a-z]+`,
    `${start}(?:only (?:use|edit|change|touch|modify|run|write|call|commit|push|test|work)|use only)\\b${vague}`,
    `(?:^|[,;:]\\s*|\\b(?:please|also)\\s+)(?:make sure|ensure|be sure to|see to it)\\b`,
    `${start}(?:remember (?:that|to)\\b|remember:|keep in mind|bear in mind|don['’]?t forget (?:that|to)\\b)`,
    `${start}(?:prefer \\w|avoid \\w+ing\\b|avoid (?:any|all|the use)|refrain from|stop \\w+ing\\b)${vague}`,
  ),
];

const german: readonly Cue[] = [
  ...strong(
    `\\b(?:ab jetzt|ab sofort|von nun an|künftig|auf keinen fall|unter keinen umständen|grundsätzlich (?:nie|immer|kein\\w*))\\b`,
    `(?:^|[,;:]\\s+|\\b(?:bitte|und|aber|auch|muss|müssen|soll|sollen|sollte|sollst)\\s+(?:\\p{L}+\\s+){0,3})(?:immer|niemals|nie)\\s+\\p{L}+`,
    `^(?:bitte\\s+)?(?:verwende|benutze|nutze|schreib|mach|lass|führe|prüfe|teste|frag)e?\\s+(?:\\S+\\s+){0,4}(?:immer|niemals|nie)\\b`,
    `\\b(?:darf|dürfen|darfst)\\s+(?:\\S+\\s+){0,5}(?:nicht|nie|kein\\w*)\\b`,
  ),
  ...weak(
    `^(?:bitte\\s+)?(?:verwende|benutze|nutze|nimm|schreib|mach|lösche?|ändere?|füge?|installiere?)e?\\s+(?:\\S+\\s+){0,5}(?:nicht|kein\\w*|nur)\\b`,
    `^(?:bitte\\s+)?(?:stelle? (?:bitte )?sicher|achte? (?:bitte )?darauf|merke? dir|denke? daran)\\b`,
    `\\b(?:muss|müssen|musst)\\s+(?:\\S+\\s+){0,6}\\p{L}+en\\b`,
  ),
];

const french: readonly Cue[] = [
  ...strong(
    `(?:^|\\s)(?:désormais|dorénavant|à partir de maintenant|en aucun cas|sous aucun prétexte)(?=\\s|,|$)`,
    `^(?:s['’]il te pla[iî]t,?\\s+|stp,?\\s+)?(?:ne\\s|n['’])\\S+\\s+(?:\\S+\\s+)?jamais`,
    `^(?:s['’]il te pla[iî]t,?\\s+)?(?:utilise|fais|faites|garde|écris|écrivez|mets|mettez|lance|vérifie|réponds|répondez)[sz]?\\s+(?:\\S+\\s+)?toujours`,
  ),
  ...weak(
    `^(?:s['’]il te pla[iî]t,?\\s+)?(?:ne\\s|n['’])\\S+\\s+(?:pas|plus)\\s`,
    `(?:^|\\s)(?:assure-toi|assurez-vous|il faut|tu dois|vous devez|veille[sz]? à)\\s`,
    `^utilise[sz]?\\s+(?:uniquement|seulement)\\s`,
  ),
];

const spanish: readonly Cue[] = [
  ...strong(
    `\\b(?:a partir de ahora|de ahora en adelante|bajo ninguna circunstancia)\\b|en ningún caso`,
    `^(?:por favor,?\\s+)?(?:siempre|nunca|jamás)\\s+\\p{L}+`,
  ),
  ...weak(
    `^(?:por favor,?\\s+)?no\\s+(?:uses|hagas|toques|cambies|modifiques|borres|escribas|ejecutes|olvides|agregues|añadas)\\s`,
    `(?:^|\\s)(?:asegúrate|asegúrese|debes|tienes que)\\s`,
    `^(?:usa|utiliza)\\s+(?:solo|sólo|solamente|únicamente)\\s`,
  ),
];

const portuguese: readonly Cue[] = [
  ...strong(
    `\\b(?:a partir de agora|daqui em diante)\\b|em hipótese alguma|de forma alguma`,
    `^(?:por favor,?\\s+)?(?:sempre|nunca|jamais)\\s+\\p{L}+`,
  ),
  ...weak(
    `^(?:por favor,?\\s+)?não\\s+(?:use|faça|altere|mude|apague|toque|esqueça|adicione|remova)\\s`,
    `(?:^|\\s)(?:certifique-se|garanta que|você deve)\\s`,
    `^use\\s+(?:apenas|somente)\\s`,
  ),
];

const chinese: readonly Cue[] = [
  ...strong(
    '从现在(?:开始|起)|以后(?:都|请|不要|必须|不能)|永远不要|绝对?不(?:要|能|可|允许|得)|始终|务必|切勿|严禁|禁止|一律',
  ),
  ...weak('必须|不要|不得|不许|请勿|只能(?:用|使用)|只(?:使用|用)|一定要|请?记住|确保'),
];

const japanese: readonly Cue[] = [
  ...strong('今後は|これからは|以降は、|必ず|絶対に|常に|決して|禁止'),
  ...weak(
    'しては(?:いけない|いけません|ならない|なりません|だめ)|しないで(?:ください|下さい)?|しないこと|ないようにして|のみを?使|だけを?使|覚えておいて|忘れないで',
  ),
];

/** All languages at once: their patterns hardly overlap, and a session may change its language. */
const cues: readonly Cue[] = [...english, ...german, ...french, ...spanish, ...portuguese, ...chinese, ...japanese];
