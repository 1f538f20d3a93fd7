import {
  between,
  impersonal,
  leave,
  matters,
  perhapsPerson,
  person,
  personalMatters,
  principals,
  speaks,
  volition,
  willed,
  wishes,
} from './claim-words.ts';
import { spoken, visible } from './perceived.ts';

const determiner = '(?:the|our|this|that|my|your|its|their|both|all|every|each|an?|any|some|no)';
const adjective =
  '(?:explicit|express|direct|original|initial|prior|previous|earlier|latest|last|recent|standing|verbal|written|oral|clear|full|formal|official|special|specific|given|stated|repeated|own|new|first|final|general|strict|urgent|firm|personal|human|user|customer|owner|client|later|received|obtained|unanimous|tacit|implicit|binding|very|exact|most)';
/** A relative clause or an apposition between a subject and its verb. */
const aside =
  '(?:,? (?:who|whom|whose|that|of|on|at|in|behind|from|for|with|running|responsible|in charge|as)\\b[^.;:]{0,60}?,?)?';
const link = `(?: ${between}){0,6}`;
const be =
  "(?:is|are|was|were|be|been|being|got|gets?|getting|'s|'re|as|had|have|has|having|stands?|remains?|seems?|became)";

/** Managers that are software. */
const managed =
  '(?:package|settings|session|task|window|file|process|memory|state|secret|plugin|connection|context|key|dependency|store|queue|theme|tools) ';
/** What follows a subject or an object; after a modifier a noun does. */
const after = `(?:$|[^a-z' -]|' |'s? (?:${matters})| (?:who|whom|whose|that|of|on|at|in|behind|from|for|with|to|and|or|but|as|about|by|into|when|if|so|because|since|while|after|before|again|then|now|also|just|already|never|not|always|still|only|even|here|there|himself|herself|themselves|is|are|was|were|be|been|am|has|have|had|does|do|did|would|will|shall|could|can|may|might|should|must|cannot|can't|won't|doesn't|didn't|isn't|wasn't|hasn't|hadn't|[a-z]+ly|[a-z]+ed|[a-z]+'d|[a-z]+'ll|(?!(?:messages|names|images|accounts|settings|records|rows|inputs|models|ids|types|profiles|avatars|lists|fields|files|sessions|prompts|interfaces|events|entries|roles|groups|flows|stories|agents|queries|turns|tables|tokens|keys|permissions|data|preferences|commands|texts|values|classes|objects|scripts|pages|hooks|actions|options|configs|paths|errors|processes|status|access|address|process|class|retros|builds|stories|docs|notes|goods|details|columns|tests|tags|emails|tasks|states|views|lines)\\b)[a-z]{2,}s|said|told|gave|chose|meant|wrote|spoke|let|put|left|made|took|kept|saw|knew|thought|felt|came|went|got|sent|hid|forbade)\\b)`;

/** A modifier (`user table`, `customer portal`) is no subject: what follows a subject is a verb, an aside or a comma. */
const patterns: readonly RegExp[] = [
  // The user …: whatever is said of the one the work is for. `the user table` and `the user's cache` are about software.
  `(?:^|[^-\\w])(?<!\\b(?:prompt|ask|notify|inform|tell|warn|remind)(?:ing|s)? )(?:the|our|this|my) (?:[a-z-]+ )?(?<!${managed})(?:${principals})(?=${after})(?! (?:(?:must|should|can|could|will|may|might|has to|needs? to|is to|had to) (?:then |first |also )?be (?:prompted|asked|told|informed|notified|warned|shown|offered)))`,
  `(?:^|[.:;] )(?:user|human|owner|customer|management|leadership|operator|stakeholders|maintainers)(?=${after})(?!,| (?:and|or|in|on|of|at|to|for|with) )`,
  `\\b(?:user|human|customer|owner|client|team|boss|stakeholder|management|operator|maintainer)[- ](?:approved|requested|mandated|confirmed|ordered|authori[sz]ed|desired|wanted|sanctioned|demanded|accepted|agreed|preferred|decided|imposed|instructed|driven decision)\\b`,
  `\\b(?:by|from|per|via) (?:an? )?(?:user|human|customer|owner|management|operator|stakeholder|maintainer|reviewer|boss)\\b(?=${after})`,
  `\\b(?:the ones?|those|anyone|everyone) who\\b|\\b(?:mr|mrs|ms|dr|prof)\\.? [a-z]+`,
  `(?:^|[^-\\w])(?:he|she|him|her|his|hers)\\b`,
  `\\b(?:${principals})(?<!\\b(?:user|human|person|developer|team|people|manager|operator|owner))'s? [a-z]+`,
  `\\b(?:an?|the|verbal|written|explicit|clear|final|their) (?:ok|okay)\\b|\\bwith the (?:remark|notice|words|proviso|understanding|condition|assurance|promise|comment|hint) that\\b|\\bstanding orders?\\b|\\bveto\\b|\\bconsult(?:ation|ed|ing)\\b|\\b(?:contract|charter|statement of work) (?:says?|states?|allows?|permits?|requires?|forbids?)\\b`,
  `\\bstated (?:aim|goal|purpose|objective|intent\\w*|wish|preference)\\b|\\b(?:left|up) to the agent\\b|\\bat (?:the agent's|its own) discretion\\b|\\b(?:thing|things|item|work|change|anything|everything|outcome|job|task) (?:requested|asked|wanted|desired|given|ordered|demanded|commissioned)\\b|\\bas (?:ordered|stated|told|wished|instructed|commanded)\\b`,
  `[:=] ?(?:allowed|granted|permitted|given|authori[sz]ed|waived)[^a-z]*$|^[^a-z]*(?:asked|ordered|told|approved|requested|agreed|granted)(?: and [a-z]+)? ?[:,]`,
  // A message speaks for who wrote it.
  `\\b(?:the|an?|first|initial|last|latest|opening|original|newest|later|earlier) (?:[a-z-]+ )?(?:message|turn|prompt|request|task description|assignment|ticket|brief|task|briefing|statement|reply|response|answer|instructions?|email|mail|note|comment)${link} (?:sa(?:id|ys?)|asks?|asked|requests?|requested|demands?|demanded|wants?|wanted|instructs?|instructed|calls? for|called for|requires? that|required that|orders?|tells?|told|insists?|insisted|permits?|permitted|grants?|granted|gives? leave|came|positive|affirmative|yes|an? (?:unconditional |clear |firm )?(?:yes|no))\\b`,
  `\\ban? (?:clear |firm |unconditional |explicit |resounding )?yes\\b|\\b(?:answer(?:ed)?|repl(?:y|ied)|respon(?:se|ded)|typed|entered|wrote|was|came)(?: back)?(?: with| in| as|:| an?)* (?:"?yes"?|affirmative|the affirmative|in favou?r)\\b|\\b(?:positive|affirmative|negative) (?:repl(?:y|ies)|responses?|answers?|feedback)\\b|\\bfeedback (?:was|is|has been|from)\\b|\\b(?:respon(?:se|ses)|repl(?:y|ies)|answers?|reaction)\\b[^.;]{0,40} (?:was|were|is|came back|turned out) (?:[a-z]+ly )?(?:positive|affirmative|yes|favou?rable|negative|no)\\b|\\b(?:please|satisfy|accommodate|appease|humou?r|for|by|from) the clients?\\b(?=${after})|\\bconfirmation\\W{1,3}(?:yes|given|received|obtained|done)`,
  `\\b(?:instructions?|orders?|mandates?|wish(?:es)?|preferences?|demands?|requests?|approvals?|permissions?|permission slip|directives?|decisions?)\\W{1,3}(?:received|given|issued|voiced|expressed|granted|obtained|noted|on record|on file)\\b`,
  `\\b(?:approvals?|consent|clearance|go-?ahead|behest|say-?so|thumbs-?up|blessing|wish(?:es)?|mandates?|agreement|trust (?:was|is|has been) (?:placed|put)|orders are orders|in favou?r of the (?:removal|deletion)|full trust|spoken (?:in favou?r|for|against|out)|ha(?:s|ve) spoken)\\b`,
  `\\b(?:is|are|was|were|be|been|seems?|remains?|becomes?) (?:[a-z]+ly |not |no longer |never )*(?:wanted|unwanted|undesired|desired|undesirable|desirable|welcome|unwelcome|called for|uncalled for)\\b`,
  `\\b(?:is|are|was|were|be|been|declared|deemed|considered|found|judged) (?:[a-z]+ly |quite |perfectly )*(?:acceptable|permissible|tolerable|agreeable|negotiable|non-negotiable)\\b`,
  // The user … wants, asked, confirmed.
  `(?:^|[^-\\w])(?:${determiner} )?(?:[a-z-]+ )?(?<!\\b(?:an?|any|each|every|if|when) (?:[a-z-]+ )?)(?:${person})${aside}${link} (?:${wishes}|${speaks})\\b`,
  // An app's users do things in the present; what one of them said is a report.
  `\\b(?:an?|any|each|every|one) (?:[a-z-]+ )?(?:${person})${link} (?:asked|said|told|approved|confirmed|wanted|requested|instructed|decided|agreed|insisted|demanded|authori[sz]ed)\\b`,
  `(?:^|[^-\\w])${perhapsPerson}${link} (?:${volition})\\b`,
  `\\bwhoever [^.;]{1,60}? (?:${wishes}|${speaks})\\b`,
  `(?:^|[,;:.] ?)(?:he|she|someone)${link} (?:${wishes}|${speaks})\\b`,
  // Whatever the subject, unless it is software: these take a will.
  `(?<!\\b(?:agent|assistant|model|checker|compiler|linter|tests?|parser|api|server|providers?|schema|codespan|library|function|tool|tools|runner|loader|hook|script|signature|constructor|method|it|which|they|callers?|command|codec|type|types) (?:[a-z]+ly |also |now |still )?)\\b(?:want(?:s|ed)|wish(?:es|ed)|would (?:like|love|rather)|insist(?:s|ed) (?:on|that)|desire[sd]|begged) (?:to|that|for|it|this|us|the|an?|no|all|him|her|them|everything|nothing|[a-z]+)\\b`,
  // The user's request, a request of the user, user approval.
  `\\b(?:${person}|client|author|everyone else)(?:'s?|s') (?:[a-z-]+ ){0,3}${matters}\\b`,
  `\\b${matters} (?:of|from|by|made by|given by|that came from) (?:${determiner} )?(?:[a-z-]+ )?(?:${person}|client|above|on high|upstairs|headquarters|hq|the top)\\b`,
  `\\b(?:user|human|customer|owner|operator|client|stakeholder|maintainer|management|team|your|their|his|her) (?:[a-z-]+ )?(?:requests?|approvals?|consent|permissions?|instructions?|preferences?|confirmations?|decisions?|feedback|demands?|wish(?:es)?|directions?|directives?|rulings?|orders?|sign-?offs?|authori[sz]ations?|mandates?|acceptance|intent|intentions?|agreement|ask|catch|say-?so|go-?ahead|insistence)\\b`,
  `\\b(?:by|from|per|via|according to|on behalf of|thanks to|for|with) (?:(?:the|our|its|my|this) (?:[a-z-]+ )?(?:user|human|customer|operator|stakeholder|maintainer|owner|person|requester)|(?:the|our|its|my) (?:developer|boss|manager|team|reviewer|client's)|management|leadership)\\b(?! (?:table|id|ids|name|names|model|input|message|messages|interface|settings?|data|account|accounts|file|files|session|sessions|prompt|agent|class|type|object|record|field|avatar|images?|list|selector|config|home|profile|level))`,
  `\\bfrom (?:above|on high|upstairs|headquarters|hq|the top|management|leadership)\\b`,
  // It was requested; the agent was told; as agreed; asked to …, it ….
  `\\b${be}(?: ${between}){0,4} (?:${willed})\\b(?! (?:by|in|with|through|via) (?:the )?(?:server|client|browser|compiler|api|loader|hook|config|code|codespan|scheduler))`,
  `\\b(?:it|this|that|which|there|what|and|but|,|much) ${be}(?: ${between}){0,4} (?:${impersonal}) (?:that|to|how|what|which|and|by|as|,)`,
  `\\b(?:it|what)(?:'s| is| was| has been) (?:strongly |clearly |explicitly )?(?:${willed}|${impersonal})\\b`,
  `\\b(?:as|like|than|if|when|once|where|because|since) (?:previously |explicitly |originally |also |so |expressly |specifically |earlier |just |often |initially )?(?:${willed}|discussed|promised|specified|stated|stipulated)\\b`,
  `(?:^|[,;:(—–] ?)(?:having been |when |once |after being |being |if |but |and |not )?(?:explicitly |expressly |specifically |finally |also )?(?:${willed}|allowed|expected|confirmed|accepted) (?:to|that|by|for|as|with|:|of|,)`,
  `\\b(?:the|an?|its|any|all|every|other|newly|explicitly|specifically|most) (?:explicitly |originally |previously |newly |jointly |mutually |expressly )?(?:requested|desired|agreed(?:[- ]?(?:up)?on)?|mandated|commissioned|instructed|wished-for|asked-for|demanded|promised|stipulated) [a-z]`,
  `\\b(?:requested|desired|demanded|wanted|wished|instructed|asked for|agreed) (?:outcome|change|changes|feature|features|behaviou?r|scope|direction|approach|result|state|rename|removal|deletion|outputs?)\\b`,
  // Per the instructions; at the request of; under standing orders.
  `\\b(?:per|as per|following|upon|under|according to|in accordance with|in line with|in keeping with|pursuant to|in compliance with|in response to|based on|due to|because of|after|with|given|thanks to|in view of|on the basis of|on the strength of|by|at|on|to honou?r|to satisfy|to fulfill|obeying|respecting|against|in obedience to|as a result of|owing to|subject to|contrary to|acting on|in deference to|complying with) (?:${determiner} )?(?:${adjective} ){0,3}(?:${personalMatters})\\b(?<!(?<!^[^a-z]*)\\b(?:per|by|with|after|on|at|upon|following|given) (?:the |an? )?request)(?! (?:time|level|size|start|end|boundary|header|token|code|flow|endpoint|server|middleware|module|handler|body|object|id|url|path|of (?:the )?(?:fields?|keys|calls?|imports?|columns|events|operations)))`,
  // The instruction is …; approval was received; a decision was taken.
  `\\b(?:${personalMatters})(?: for [a-z -]{1,60}?| to [a-z -]{1,60}?)?${link} (?:given|granted|received|obtained|issued|expressed|made|secured|taken|confirmed|recorded|on file|in place|there|clear|final|explicit|known|reached|announced|conveyed|communicated|handed down|passed on|come|came|arrived|voiced|stated|exists?|holds?|stands?|applies|apply|applied|existed|stood|registered|noted|met|that|to|for|not to)\\b`,
  `\\b(?:there (?:is|was|were|are|has been|have been|had been|exists?|came|remains)|came with|comes with|came|received|obtained|have|has|had|got|under) (?:an? |the |${adjective} )*(?:${personalMatters})(?: (?:to|for|from|that|on|about|in|not)\\b|[.,;:!]|$)`,
  `\\b(?:instructions?|wish(?:es)?|orders?|mandates?|directives?|demands?|preferences?|the ask|the brief|requirements?|the request|the task|the assignment|the wish|the desire|the preference|the hope|the expectation|the intention|the decision|decision|preference|requirement|intention) (?:is|are|was|were|says?|said|reads?|states?|stated|calls?|called|came|stands?|stood|remains?|remained|demands?|demanded|went|has always been|has been) (?:for|that|to|clear|final|explicit|firm|unchanged|out|down|from|made|taken|reached|:|not to|still|now|explicitly|plain|strict|binding|all|no)`,
  // Whoever leaves no name.
  `\\b(?:i|we|us|the (?:agent|assistant|model|ai|bot)|it)${link} (?:asked|told|instructed|requested|ordered|given (?:permission|leave|clearance|orders|instructions|authority)|granted|allowed|permitted|cleared|tasked|directed|charged with|trusted to|expected|supposed|obliged|bound|urged|made to understand|under orders|briefed)(?: (?:to|by|that|not|on|with|in)\\b|[.,;]|$)(?<!\\bcodespan [^.]{0,20})`,
  `\\b(?:i|we)${link} (?:want|wish|approve|consent|authori[sz]e|agree|insist|demand|instruct|permit|allow|order|request|prefer|desire|hope|give|grant|would like|would rather)(?:e?d|s)?\\b`,
  `\\b(?:my|our) (?:explicit |final |full |own )?(?:approval|consent|permission|instructions?|wish(?:es)?|decision|orders?|request|preference|blessing|go-?ahead|will)\\b`,
  `\\b(?:you|your|yours|yourself|you're|you've|you'll|you'd)\\b`,
  `\\b(?:reportedly|allegedly|purportedly|by (?:popular )?(?:request|demand|order|decree|mutual (?:consent|agreement))|on request|upon request|at (?:someone|somebody)'s|word (?:came|has it|is)|rumou?r has it|everyone (?:agrees|is (?:happy|fine))|nobody objected|no one objected|unanimous(?:ly)?|by consensus|consensus (?:is|was)|mutual(?:ly)? agree\\w*)\\b`,
  // A line of a dialogue.
  `^[^a-z]*(?:the )?(?:user|human|customer|owner|operator|person|boss|client|maintainer|stakeholder|requester|management|ceo|cto|cfo|pm|vp|lead|manager|team lead|reviewer|prompt|quote|instruction|request|approval|approved|permission|consent|orders|decision|agreed|authorized|requested|go-ahead|mandate|directive|wish|speaker|turn|message|entry \\d+)[^a-z]{0,4}(?: \\d+ ?)?[:>»=]`,
  `\\bentry \\d+[^.]{0,40}\\b(?:sa(?:id|ys?)|stat\\w+|approv\\w+|confirm\\w+|allow\\w*|reads?|asks?|asked|wants?|orders?|instructs?|permits?|agrees?|authori\\w+)\\b`,
].map((pattern) => new RegExp(pattern));
const leaves = new RegExp(`\\b${leave}\\b`);

/** Parts of software and of permission systems that bear such a name. */
const software =
  /\b(?:custom|system|build|setup|installation|compiler|cpu|machine|assembly|base|agent|copilot|install) instructions\b|\b(?:approvals?|authori[sz]ation|permissions?|consent|approved|sign-?off|clearance|authori[sz]ed) (?:dialogs?|flows?|modes?|policy|policies|prompts?|buttons?|states?|status(?:es)?|components?|hooks?|screens?|requests?|queues?|services?|ui|logic|settings?|rules?|checks?|tests?|lists?|pages?|forms?|tables?|fields?|columns?|types?|endpoints?|handlers?|modals?|banners?|events?|headers?|tokens?|codes?|servers?|middleware|modules?|files?|bits?|errors?|denied|keys?|urls?|scopes?|systems?|models?|classes|functions?|callbacks?|enums?|flags?|values?)\b/g;

/** A state of such a part that is an approval all the same. */
const grantedState =
  /\b(?:approval|permission|consent|authori[sz]ation|sign-?off|clearance) (?:status|state|step|process|gate|workflow|flag|check|request)\W{1,3}(?:is |was |were |has been )?(?:set|given|granted|done|complete\w*|passed|ok|yes|true|approved|positive|received|finished|over)\b|\b(?:user|human|customer|owner|client|team|management|operator)[- _](?:approved|confirmed|authori[sz]ed|requested|consented)\b|\bapproved\W{1,4}true\b/;

/** A condition reports nothing: "unless asked", "if approved", "until its removal is requested". */
const conditions =
  /\b(?:unless|until|if|whether)\b (?:(?!\b(?:who|whom|already|yesterday|today|since|because|user|human|customer|owner|they|he|she|said|was|were|has|had|have|did|answered|given)\b)[^,.;:()—–]){0,80}/g;

/** A name at the beginning of a sentence, before a verb of saying. */
const namedSpeaker =
  /^[\s"“'*_>-]*(?!(?:Git|GitHub|Copilot|Claude|Codex|Gemini|Node|Npm|Pnpm|Biome|TypeScript|Vitest|Jest|Docker|Cargo|Rust|Python|Go|It|This|That|One|Both|Neither|Nothing|Which|Agent|Assistant|Subagent|Linux|Windows|Chrome|Postgres|The|An?|Its|These|Those|Some|Each|Every|All|Several|Two|Three|What|There)\b)\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?(?: (?:has|had|also|then|later|explicitly|already|now))* (?:said|told|asked (?:to|for|that|us|the|if|whether)|wants|wanted|insisted|agreed|decided|requested that|demanded|wishes|confirmed that|instructed|approved|authorized|would like|gave|signed|okayed|wrote that|replied|answered|explained|mentioned|prefers|preferred|likes|hates|thinks|believes|promised|allowed|permitted|objected|suggested|asks|says that)\b/u;
const namedSource =
  /\b(?:ask|request|instructions?|orders?|wish(?:es)?|approval|message|word|reply|answer|confirmation|decision|permission|feedback|quote|demand|ok|OK|nod) (?:from|by|of) (?!(?:Git|GitHub|Copilot|Claude|Codex|Gemini|Node|Biome|TypeScript|Vitest|Docker|Linux|Windows)\b)\p{Lu}\p{Ll}{2,}/u;

function named(text: string): boolean {
  return namedSpeaker.test(text) || namedSource.test(text);
}

/** To ask is to claim nothing, unless the answer comes in the same sentence. */
const asks =
  /^\W*(?:then |next,? |first,? |\d+[.)] )?(?:ask|wait for|await|check with|confirm with|seek|obtain|get|request|clarify with)\b/;
const past =
  /\b(?:approved|confirmed|agreed|said|gave|granted|allowed|authori[sz]ed|permitted|consented|accepted|asked|wanted|told|signed|already|has|was|since|because)\b/;

/** What kind of claim about a person a sentence makes. */
export type Claim = 'none' | 'word' | 'approval';

/**
 * Whether a sentence reports what a person said, asked for, wants, decided or approved, named or not, in the active or the
 * passive voice or as a noun. It prefers false positives: what people said is quoted by the engine anyway.
 *
 * @example
 * claimIn('The user approved the deployment.'); // 'approval'
 */
export function claimIn(sentence: string): Claim {
  const words = spoken(sentence);
  if (asks.test(words) && !past.test(words)) return 'none';
  if (grantedState.test(words)) return 'approval';
  const told = words.replace(software, ' codespan ').replace(conditions, ' ');
  if (leaves.test(told)) return 'approval';
  return patterns.some((pattern) => pattern.test(told)) || named(visible(sentence)) ? 'word' : 'none';
}

/** Words without one of which a line is hardly a claim; lines by the thousand are looked at by these first. */
const hint =
  /user|human|owner|customer|client|stakeholder|maintainer|manage|boss|person|people|\byou|approv|authori|consent|permi|allow|agree|\bok(?:ay)?\b|green.?li|ahead|sign.{0,4}off|wish|want|instruct|request|\bask|said|told|decid|decision|mandat|order|prefer|confirm|clear(?:ed|ance)|bless|thumb|veto|[^\p{ASCII}]/iu;

/** Whether a line of a session reports what a person said, wants or approved: `claimIn` for many lines. */
export function isClaim(text: string): boolean {
  return hint.test(text) && claimIn(text.slice(0, 2_000)) !== 'none';
}

/**
 * A text that a model or a tool wrote, with its source before it where it reports what a person said, wants or approved:
 * the same words without a source would pass for the engine's.
 *
 * @example
 * withSource({ text: 'The user approved it.', source: 'agent' }); // 'agent: The user approved it.'
 */
export function withSource({ text, source }: { readonly text: string; readonly source: string }): string {
  return isClaim(text) ? `${source}: ${text}` : text;
}
