import { spoken, visible } from './perceived.ts';

/** Word lists as one alternative of a regular expression. */
function anyOf(...words: readonly string[]): string {
  return `(?:${words.join('|')})`;
}

/** A verb of many patterns below. */
const informed = 'told';

/** Nouns for people. One that is also a software term needs a verb of `wishes`. */
const person = anyOf(
  '(?:end[- ])?users?|humans?|person|persons|people|operators?|customers?|request[eo]rs?|stakeholders?|owners?|maintainers?',
  'reviewers?|approvers?|developers?|programmers?|engineers?|boss(?:es)?|(?<!(?:package|settings|session|task|window|file|process|memory|state|secret|plugin|connection|context|key|dependency|store|queue) )managers?|supervisors?|directors?|(?:team|tech|project) leads?|the lead',
  'leaders?|admins?|administrators?|sponsors?|employers?|colleagues?|co-?workers?|teammates?|team|management|leadership',
  'some(?:one|body)|every(?:one|body)|anyone|whoever|interlocutor|counterpart|partners?|committee|department|company',
  'auditors?|architects?|individual|gentleman|lady|cto|ceo|pm|folks|no(?:body| one)|the powers that be|all parties|both sides',
  'the other (?:side|party)|analyst|designers?|colleague|creator|commissioner|superiors?|authorities|authority|crew|guys?|man|woman',
);

/** People the agent works for: a reference to one of them is a claim that only the engine may quote. */
const principals = anyOf(
  '(?:end[- ])?user|human(?: (?:operator|side|overseer|being|owner|user|reviewer|in the loop))?|operator|customer(?: side)?|request[eo]r|stakeholders?|owners?|maintainers?|reviewers?|approver|supervisor|overseer',
  '(?:product|project|repo|repository|code|task|issue) owner|boss|sponsor|employer|colleague|teammate|person|requesting party|principal|developer|engineer|(?:team|tech|project) lead|manager|management|leadership|team|people|individual|conversation partner|interlocutor',
  '(?:management )?board|parties|committee|council|ceo|cto|cfo|vp|pm|chief|superiors?|higher-ups?|department|hr|steering group',
);

/** People only with a verb of wishing or allowing. */
const perhapsPerson = anyOf(
  'clients?|product|security|legal|party|author|caller|principal|board|qa|ops|finance|chief|he|she|they|who|one',
);

/** Verbs that only a person can be the subject of. */
const volition = anyOf(
  'want(?:s|ed)?|wish(?:es|ed)?|desire[sd]?|hope[sd]?|insist\\w*|instruct(?:s|ed)|approv(?:e[sd]?)|authori[sz]e[sd]?|consent(?:s|ed)?|agree[sd]? (?:to|that|on|upon|with the)',
  `prefer(?:s|red)?|would (?:like|love|rather)|signed off|decid(?:e[sd])|(?:is|are|was|were) (?:very |quite |perfectly )?(?:happy|fine|okay|ok|pleased|satisfied|content|on board|in favou?r|keen|adamant|opposed)|demand(?:s|ed)|begged|urged|gave|nodded|said|${informed}|asked`,
);

/** Words between a subject and its verb. */
const between = anyOf(
  "has|have|had|is|was|are|were|be|been|being|am|does|do|did|would|will|shall|could|can|may|might|should|must|'s|'d|'ll|'ve|'re",
  '(?!reply|apply|supply|rely)[a-z]+ly|also|then|now|just|again|further|only|not|never|still|since|both|and|once|twice|in turn|always|often|even|too',
  'seems? to|appears? to|later|long|ever|first|in fact|of course|at once|by now|so far|yet|already|indeed|hereby|all|each|,',
);

/** Verbs of wishing and allowing. */
const wishes = anyOf(
  'want(?:s|ed|ing)?|wish(?:es|ed|ing)?|desire[sd]?|hope[sd]?|insist\\w*|demand(?:s|ed|ing)?|instruct(?:s|ed|ing)?|command(?:s|ed|ing)|beg(?:s|ged)?',
  'approv\\w+|authori[sz]e[sd]?|authori[sz]ing|consent\\w*|assent\\w*|agree[sd]?|agreeing|sanction(?:s|ed)|endors\\w+|ratif\\w+|green-?li(?:t|ghts?|ghted)',
  "ok(?:ay)?['-]?(?:e?d|s|ing)|sign(?:s|ed)? off|bless(?:es|ed)?|urg(?:e[sd]?|ing)|prefer(?:s|red)?|object(?:s|ed)|oppos(?:e[sd]?)|veto(?:es|ed)?|mandat(?:e[sd]?)",
  'ask(?:s|ed|ing)?|request(?:s|ed|ing)?|t(?:old|ells?)|sa(?:id|ys?)|decid(?:e[sd]?|ing)|cho(?:se|oses?)|forb(?:ade|ids?)|permit(?:s|ted)?|order(?:s|ed)',
  'direct(?:s|ed)|task(?:s|ed)|commission(?:s|ed)|entrust(?:s|ed)|would (?:like|love|rather)|like[sd]?|love[sd]?|let|g(?:ave|ives?|iven|rant(?:s|ed)?)|promise[sd]?',
  'pleased|happy|satisfied|fine|okay|ok|content|comfortable|on board|in favou?r|in agreement|keen|interested|adamant|opposed|willing|unhappy|aware|nodded',
);

/** Verbs that software can do as well: a claim only with a person as subject. */
const speaks = anyOf(
  'confirm(?:s|ed|ing)?|accept(?:s|ed|ing)?|allow(?:s|ed|ing)?|expect(?:s|ed|ing)?|needs?|needed|requir(?:e[sd]?|ing)|dislik\\w+|complain\\w*|mention\\w*',
  'stat(?:es?|ed|ing)|clarif\\w+|express\\w*|propos(?:e[sd]?|ing)|suggest\\w*|answer\\w*|repl(?:y|ies|ied)|respond\\w*|reject\\w*|declin\\w+|specif(?:y|ies|ied)',
  'remind\\w*|warn(?:s|ed)?|report(?:s|ed)?|not(?:es?|ed)|emphasi\\w+|stress(?:es|ed)|consider\\w*|indicat\\w+|point(?:s|ed) out|assur\\w+|plan(?:s|ned)|intend\\w*',
  'explain(?:s|ed)?|announc\\w+|declar\\w+|stipulat\\w+|pick(?:s|ed)|select(?:s|ed)|vot(?:e[sd]?)|rul(?:es|ed)|call(?:s|ed) for|push(?:es|ed) for|opt(?:s|ed)',
  'feels?|felt|thinks?|thought|believ\\w+|cares?|cared|knows?|knew|understand\\w*|understood|means?|meant|wrote|writes?|spoke|words|voic\\w+|convey\\w+|relay\\w+',
  'ha(?:s|ve|d) (?:no )?(?:an? |the |any )?(?:objections?|preference|wish|request|concerns?|questions?)|encourag\\w+|advis\\w+|recommend\\w*|invit\\w+|sent|sends',
);

/** Participles that imply a person's will even if no person is named. */
const willed = anyOf(
  `requested|asked|instructed|${informed}|ordered (?:to|that|not|removed|deleted)|commanded|demanded|wanted|wished|desired|agreed|approved|authori[sz]ed|sanctioned|consented|permitted`,
  "mandated|stipulated|commissioned|ratified|endorsed|tasked|directed to|briefed|urged|okayed|ok['-]?e?d|green-?lit|green-?lighted|signed off|blessed|vetoed",
  'forbidden|prohibited|entrusted|granted|promised|insisted|decided|preferred|favou?red|bidden|bade|called upon|cleared (?:to|for|by)|hoped|settled on|voted|begged',
);

/** The same in impersonal sentences: "it was confirmed that …". */
const impersonal = anyOf(
  'said|stated|mentioned|suggested|proposed|accepted|confirmed|specified|clarified|pointed out|emphasi[sz]ed|stressed|indicated|communicated|conveyed|relayed',
  'required|expected|intended|understood|needed|made clear|laid down|set out|made known|announced|declared|acknowledged|given to understand|ruled|determined|noted|resolved|advised|recommended',
);

/** Nouns for what people say, want or decide. */
const matters = anyOf(
  'requests?|asks?|approvals?|consent|permissions?|instructions?|preferences?|wish(?:es)?|desires?|decisions?|demands?|feedback|questions?|messages?|answers?',
  'confirmations?|choices?|requirements?|orders?|intent(?:ion)?s?|goals?|words?|go-?aheads?|green lights?|blessings?|behalf|behest|expectations?|directives?|directions?',
  'agreements?|authori[sz]ations?|sign-?offs?|mandates?|commands?|rulings?|verdicts?|will|say-?so|nod|ok|okay|thumbs-?up|opinions?|views?|mind|concerns?|objections?|input',
  'guidance|suggestions?|proposals?|statements?|remarks?|comments?|replies|reply|response|prompts?|pleas?|order|catch|call|sentences?|insistence|commitments?|promises?|acceptance|vote|needs|stance|position|briefs?|terms|conditions?|advice|recommendations?|endorsements?',
);

/** Nouns of these that only a person can give. */
const personalMatters = anyOf(
  'approvals?|consent|instructions?|wish(?:es)?|desires?|demands?|go-?aheads?|green lights?|blessings?|behest|directives?|authori[sz]ations?|sign-?offs?|mandates?',
  'say-?so|thumbs-?up|rulings?|expectations|standing orders?|insistence|explicit requests?|preferences?|orders|strict order|permission|agreement|decisions?|guidance|request|ask|assent|endorsement|acceptance|clearance|briefing|brief|promise|advice|recommendations?|stated (?:goal|aim|intention)',
);

/** Words of approval, with any subject: an approval that was never given might be acted on. */
const leave = anyOf(
  'approv(?:al|als|e|ed|es|ing)|authori[sz](?:e|ed|es|ing|ations?)|consent(?:s|ed)?|assent(?:s|ed)?|sanctioned|ratif(?:ied|ies|y)|endorse[sd]?|endorsements?|sign(?:ed|s|ing)?[- ]?offs?|green[- ]?(?:lit|lights?|lighted)',
  "go[- ]?aheads?|thumbs[- ]?up|blessing|carte blanche|free (?:hand|rein)|cleared (?:to|for)|okay(?:ed|s)|ok[' -]?e?d|lgtm|rubber[- ]?stamp\\w*|waved through|at liberty|entitled to|licen[cs]ed? to|empowered to",
  '(?:permission|clearance|leave)s? (?:to|from|for|given|granted|received|obtained|exists?|secured|(?:was|were|has been|have been|had been|is|are) (?:\\w+ )?(?:given|granted|received|obtained|there|in place|secured|on file))|(?:permitted|allowed|free|welcome|empowered|deputi[sz]ed|entrusted) (?:to|by|with)|(?:ok|okay|fine|alright|acceptable|permissible|legitimate) (?:to|with|for|by)',
  'may proceed|can proceed|good to go|no objections?|without objections?|(?:got|gave|given|get|gives?|with|received) (?:the |a |an |its |full |prior )?(?:nod|ok|okay|yes|permission|clearance|all-clear|leave|authority)|said yes|full authority|power of attorney|on record as',
);

const determiner = '(?:the|our|this|that|my|your|its|their|both|all|every|each|an?|any|some|no)';
const adjective =
  '(?:explicit|express|direct|original|initial|prior|previous|earlier|latest|last|recent|standing|verbal|written|oral|clear|full|formal|official|special|specific|given|stated|repeated|own|new|first|final|general|strict|urgent|firm|personal|human|user|customer|owner|client|later|received|obtained|unanimous|tacit|implicit|binding|very|exact|most)';
/** A relative clause or an apposition between a subject and its verb. */
const aside =
  '(?:,? (?:who|whom|whose|that|of|on|at|in|behind|from|for|with|running|responsible|in charge|as)\\b[^.;:]{0,60}?,?)?';
const link = `(?: ${between}){0,6}`;
const endures = 'stands?|stood';
const be =
  "(?:is|are|was|were|be|been|being|got|gets?|getting|'s|'re|as|had|have|has|having|stands?|remains?|seems?|became)";

/** Kinds of managers that are software. */
const managed =
  '(?:package|settings|session|task|window|file|process|memory|state|secret|plugin|connection|context|key|dependency|store|queue|theme|tools) ';
/** What follows a subject or an object; a modifier is followed by a noun. */
const after = `(?:$|[^a-z' -]|' |'s? (?:${matters})| (?:who|whom|whose|that|of|on|at|in|behind|from|for|with|to|and|or|but|as|about|by|into|when|if|so|because|since|while|after|before|again|then|now|also|just|already|never|not|always|still|only|even|here|there|himself|herself|themselves|is|are|was|were|be|been|am|has|have|had|does|do|did|would|will|shall|could|can|may|might|should|must|cannot|can't|won't|doesn't|didn't|isn't|wasn't|hasn't|hadn't|[a-z]+ly|[a-z]+ed|[a-z]+'d|[a-z]+'ll|(?!(?:messages|names|images|accounts|settings|records|rows|inputs|models|ids|types|profiles|avatars|lists|fields|files|sessions|prompts|interfaces|events|entries|roles|groups|flows|stories|agents|queries|turns|tables|tokens|keys|permissions|data|preferences|commands|texts|values|classes|objects|scripts|pages|hooks|actions|options|configs|paths|errors|processes|status|access|address|process|class|retros|builds|stories|docs|notes|goods|details|columns|tests|tags|emails|tasks|states|views|lines)\\b)[a-z]{2,}s|said|${informed}|gave|chose|meant|wrote|spoke|let|put|left|made|took|kept|saw|knew|thought|felt|came|went|got|sent|hid|forbade)\\b)`;

/** A modifier (`user table`, `customer portal`) is not a subject, which is followed by a verb, a clause or a comma. */
const patterns: readonly RegExp[] = [
  // The user …: any statement about the person the work is for. `the user table` and `the user's cache` are about software.
  `(?:^|[^-\\w])(?<!\\b(?:prompt|ask|notify|inform|tell|warn|remind)(?:ing|s)? )(?:the|our|this|my) (?:[a-z-]+ )?(?<!${managed})(?:${principals})(?=${after})(?! (?:(?:must|should|can|could|will|may|might|has to|needs? to|is to|had to) (?:then |first |also )?be (?:prompted|asked|${informed}|informed|notified|warned|shown|offered)))`,
  `(?:^|[.:;] )(?:user|human|owner|customer|management|leadership|operator|stakeholders|maintainers)(?=${after})(?!,| (?:and|or|in|on|of|at|to|for|with) )`,
  `\\b(?:user|human|customer|owner|client|team|boss|stakeholder|management|operator|maintainer)[- ](?:approved|requested|mandated|confirmed|ordered|authori[sz]ed|desired|wanted|sanctioned|demanded|accepted|agreed|preferred|decided|imposed|instructed|driven decision)\\b`,
  `\\b(?:by|from|per|via) (?:an? )?(?:user|human|customer|owner|management|operator|stakeholder|maintainer|reviewer|boss)\\b(?=${after})`,
  `\\b(?:the ones?|those|anyone|everyone) who\\b|\\b(?:mr|mrs|ms|dr|prof)\\.? [a-z]+`,
  `(?:^|[^-\\w])(?:he|she|him|her|his|hers)\\b`,
  `\\b(?:${principals})(?<!\\b(?:user|human|person|developer|team|people|manager|operator|owner))'s? [a-z]+`,
  `\\b(?:an?|the|verbal|written|explicit|clear|final|their) (?:ok|okay)\\b|\\bwith the (?:remark|notice|words|proviso|understanding|condition|assurance|promise|comment|hint) that\\b|\\bstanding orders?\\b|\\bveto\\b|\\bconsult(?:ation|ed|ing)\\b|\\b(?:contract|charter|statement of work) (?:says?|states?|allows?|permits?|requires?|forbids?)\\b`,
  `\\bstated (?:aim|goal|purpose|objective|intent\\w*|wish|preference)\\b|\\b(?:left|up) to the agent\\b|\\bat (?:the agent's|its own) discretion\\b|\\b(?:thing|things|item|work|change|anything|everything|outcome|job|task) (?:requested|asked|wanted|desired|given|ordered|demanded|commissioned)\\b|\\bas (?:ordered|stated|${informed}|wished|instructed|commanded)\\b`,
  `[:=] ?(?:allowed|granted|permitted|given|authori[sz]ed|waived)[^a-z]*$|^[^a-z]*(?:asked|ordered|${informed}|approved|requested|agreed|granted)(?: and [a-z]+)? ?[:,]`,
  // A message represents its author.
  `\\b(?:the|an?|first|initial|last|latest|opening|original|newest|later|earlier) (?:[a-z-]+ )?(?:message|turn|prompt|request|task description|assignment|ticket|brief|task|briefing|statement|reply|response|answer|instructions?|email|mail|note|comment)${link} (?:sa(?:id|ys?)|asks?|asked|requests?|requested|demands?|demanded|wants?|wanted|instructs?|instructed|calls? for|called for|requires? that|required that|orders?|tells?|${informed}|insists?|insisted|permits?|permitted|grants?|granted|gives? leave|came|positive|affirmative|yes|an? (?:unconditional |clear |firm )?(?:yes|no))\\b`,
  `\\ban? (?:clear |firm |unconditional |explicit |resounding )?yes\\b|\\b(?:answer(?:ed)?|repl(?:y|ied)|respon(?:se|ded)|typed|entered|wrote|was|came)(?: back)?(?: with| in| as|:| an?)* (?:"?yes"?|affirmative|the affirmative|in favou?r)\\b|\\b(?:positive|affirmative|negative) (?:repl(?:y|ies)|responses?|answers?|feedback)\\b|\\bfeedback (?:was|is|has been|from)\\b|\\b(?:respon(?:se|ses)|repl(?:y|ies)|answers?|reaction)\\b[^.;]{0,40} (?:was|were|is|came back|turned out) (?:[a-z]+ly )?(?:positive|affirmative|yes|favou?rable|negative|no)\\b|\\b(?:please|satisfy|accommodate|appease|humou?r|for|by|from) the clients?\\b(?=${after})|\\bconfirmation\\W{1,3}(?:yes|given|received|obtained|done)`,
  `\\b(?:instructions?|orders?|mandates?|wish(?:es)?|preferences?|demands?|requests?|approvals?|permissions?|permission slip|directives?|decisions?)\\W{1,3}(?:received|given|issued|voiced|expressed|granted|obtained|noted|on record|on file)\\b`,
  `\\b(?:approvals?|consent|clearance|go-?ahead|behest|say-?so|thumbs-?up|blessing|wish(?:es)?|mandates?|agreement|trust (?:was|is|has been) (?:placed|put)|orders are orders|in favou?r of the (?:removal|deletion)|full trust|spoken (?:in favou?r|for|against|out)|ha(?:s|ve) spoken)\\b`,
  `\\b(?:is|are|was|were|be|been|seems?|remains?|becomes?) (?:[a-z]+ly |not |no longer |never )*(?:wanted|unwanted|undesired|desired|undesirable|desirable|welcome|unwelcome|called for|uncalled for)\\b`,
  `\\b(?:is|are|was|were|be|been|declared|deemed|considered|found|judged) (?:[a-z]+ly |quite |perfectly )*(?:acceptable|permissible|tolerable|agreeable|negotiable|non-negotiable)\\b`,
  // The user … wants, asked, confirmed.
  `(?:^|[^-\\w])(?:${determiner} )?(?:[a-z-]+ )?(?<!\\b(?:an?|any|each|every|if|when) (?:[a-z-]+ )?)(?:${person})${aside}${link} (?:${wishes}|${speaks})\\b`,
  // An app's users do things in the present; what one of them said is a report.
  `\\b(?:an?|any|each|every|one) (?:[a-z-]+ )?(?:${person})${link} (?:asked|said|${informed}|approved|confirmed|wanted|requested|instructed|decided|agreed|insisted|demanded|authori[sz]ed)\\b`,
  `(?:^|[^-\\w])${perhapsPerson}${link} (?:${volition})\\b`,
  `\\bwhoever [^.;]{1,60}? (?:${wishes}|${speaks})\\b`,
  `(?:^|[,;:.] ?)(?:he|she|someone)${link} (?:${wishes}|${speaks})\\b`,
  // Verbs of will with any subject, unless it is software.
  `(?<!\\b(?:agent|assistant|model|checker|compiler|linter|tests?|parser|api|server|providers?|schema|codespan|library|function|tool|tools|runner|loader|hook|script|signature|constructor|method|it|which|they|callers?|command|codec|type|types) (?:[a-z]+ly |also |now |still )?)\\b(?:want(?:s|ed)|wish(?:es|ed)|would (?:like|love|rather)|insist(?:s|ed) (?:on|that)|desire[sd]|begged) (?:to|that|for|it|this|us|the|an?|no|all|him|her|them|everything|nothing|[a-z]+)\\b`,
  // The user's request, a request of the user, user approval.
  `\\b(?:${person}|client|author|everyone else)(?:'s?|s') (?:[a-z-]+ ){0,3}${matters}\\b`,
  `\\b${matters} (?:of|from|by|made by|given by|that came from) (?:${determiner} )?(?:[a-z-]+ )?(?:${person}|client|above|on high|upstairs|headquarters|hq|the top)\\b`,
  `\\b(?:user|human|customer|owner|operator|client|stakeholder|maintainer|management|team|your|their|his|her) (?:[a-z-]+ )?(?:requests?|approvals?|consent|permissions?|instructions?|preferences?|confirmations?|decisions?|feedback|demands?|wish(?:es)?|directions?|directives?|rulings?|orders?|sign-?offs?|authori[sz]ations?|mandates?|acceptance|intent|intentions?|agreement|ask|catch|say-?so|go-?ahead|insistence)\\b`,
  `\\b(?:by|from|per|via|according to|on behalf of|thanks to|for|with) (?:(?:the|our|its|my|this) (?:[a-z-]+ )?(?:user|human|customer|operator|stakeholder|maintainer|owner|person|requester)|(?:the|our|its|my) (?:developer|boss|manager|team|reviewer|client's)|management|leadership)\\b(?! (?:table|id|ids|name|names|model|input|message|messages|interface|settings?|data|account|accounts|file|files|session|sessions|prompt|agent|class|type|object|record|field|avatar|images?|list|selector|config|home|profile|level))`,
  `\\bfrom (?:above|on high|upstairs|headquarters|hq|the top|management|leadership)\\b`,
  // It was requested; the agent was instructed; as agreed; asked to …, it ….
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
  `\\b(?:${personalMatters})(?: for [a-z -]{1,60}?| to [a-z -]{1,60}?)?${link} (?:given|granted|received|obtained|issued|expressed|made|secured|taken|confirmed|recorded|on file|in place|there|clear|final|explicit|known|reached|announced|conveyed|communicated|handed down|passed on|come|came|arrived|voiced|stated|exists?|holds?|${endures}|applies|apply|applied|existed|registered|noted|met|that|to|for|not to)\\b`,
  `\\b(?:there (?:is|was|were|are|has been|have been|had been|exists?|came|remains)|came with|comes with|came|received|obtained|have|has|had|got|under) (?:an? |the |${adjective} )*(?:${personalMatters})(?: (?:to|for|from|that|on|about|in|not)\\b|[.,;:!]|$)`,
  `\\b(?:instructions?|wish(?:es)?|orders?|mandates?|directives?|demands?|preferences?|the ask|the brief|requirements?|the request|the task|the assignment|the wish|the desire|the preference|the hope|the expectation|the intention|the decision|decision|preference|requirement|intention) (?:is|are|was|were|says?|said|reads?|states?|stated|calls?|called|came|${endures}|remains?|remained|demands?|demanded|went|has always been|has been) (?:for|that|to|clear|final|explicit|firm|unchanged|out|down|from|made|taken|reached|:|not to|still|now|explicitly|plain|strict|binding|all|no)`,
  // The person is not named.
  `\\b(?:i|we|us|the (?:agent|assistant|model|ai|bot)|it)${link} (?:asked|${informed}|instructed|requested|ordered|given (?:permission|leave|clearance|orders|instructions|authority)|granted|allowed|permitted|cleared|tasked|directed|charged with|trusted to|expected|supposed|obliged|bound|urged|made to understand|under orders|briefed)(?: (?:to|by|that|not|on|with|in)\\b|[.,;]|$)(?<!\\bcodespan [^.]{0,20})`,
  `\\b(?:i|we)${link} (?:want|wish|approve|consent|authori[sz]e|agree|insist|demand|instruct|permit|allow|order|request|prefer|desire|hope|give|grant|would like|would rather)(?:e?d|s)?\\b`,
  `\\b(?:my|our) (?:explicit |final |full |own )?(?:approval|consent|permission|instructions?|wish(?:es)?|decision|orders?|request|preference|blessing|go-?ahead|will)\\b`,
  `\\b(?:you|your|yours|yourself|you're|you've|you'll|you'd)\\b`,
  `\\b(?:reportedly|allegedly|purportedly|by (?:popular )?(?:request|demand|order|decree|mutual (?:consent|agreement))|on request|upon request|at some(?:one|body)'s|word (?:came|has it|is)|rumou?r has it|everyone (?:agrees|is (?:happy|fine))|no(?:body| one) objected|unanimous(?:ly)?|by consensus|consensus (?:is|was)|mutual(?:ly)? agree\\w*)\\b`,
  // A line of a dialogue.
  `^[^a-z]*(?:the )?(?:user|human|customer|owner|operator|person|boss|client|maintainer|stakeholder|requester|management|ceo|cto|cfo|pm|vp|lead|manager|team lead|reviewer|prompt|quote|instruction|request|approval|approved|permission|consent|orders|decision|agreed|authorized|requested|go-ahead|mandate|directive|wish|speaker|turn|message|entry \\d+)[^a-z]{0,4}(?: \\d+ ?)?[:>»=]`,
  `\\bentry \\d+[^.]{0,40}\\b(?:sa(?:id|ys?)|stat\\w+|approv\\w+|confirm\\w+|allow\\w*|reads?|asks?|asked|wants?|orders?|instructs?|permits?|agrees?|authori\\w+)\\b`,
].map((pattern) => new RegExp(pattern));
const leaves = new RegExp(`\\b${leave}\\b`);

/** Parts of software and permission systems with such a name. */
const software =
  /\b(?:custom|system|build|setup|installation|compiler|cpu|machine|assembly|base|agent|copilot|install) instructions\b|\b(?:approvals?|authori[sz]ation|permissions?|consent|approved|sign-?off|clearance|authori[sz]ed) (?:dialogs?|flows?|modes?|policy|policies|prompts?|buttons?|states?|status(?:es)?|components?|hooks?|screens?|requests?|queues?|services?|ui|logic|settings?|rules?|checks?|tests?|lists?|pages?|forms?|tables?|fields?|columns?|types?|endpoints?|handlers?|modals?|banners?|events?|headers?|tokens?|codes?|servers?|middleware|modules?|files?|bits?|errors?|denied|keys?|urls?|scopes?|systems?|models?|classes|functions?|callbacks?|enums?|flags?|values?)\b/g;

/** A state of such a part that still expresses an approval. */
const grantedState =
  /\b(?:approval|permission|consent|authori[sz]ation|sign-?off|clearance) (?:status|state|step|process|gate|workflow|flag|check|request)\W{1,3}(?:is |was |were |has been )?(?:set|given|granted|done|complete\w*|passed|ok|yes|true|approved|positive|received|finished|over)\b|\b(?:user|human|customer|owner|client|team|management|operator)[- _](?:approved|confirmed|authori[sz]ed|requested|consented)\b|\bapproved\W{1,4}true\b/;

/** Conditions make no claim: "unless asked", "if approved", "until its removal is requested". */
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

/** A request makes no claim, unless the sentence contains the answer. */
const asks =
  /^\W*(?:then |next,? |first,? |\d+[.)] )?(?:ask|wait for|await|check with|confirm with|seek|obtain|get|request|clarify with)\b/;
const past =
  /\b(?:approved|confirmed|agreed|said|gave|granted|allowed|authori[sz]ed|permitted|consented|accepted|asked|wanted|told|signed|already|has|was|since|because)\b/;

/** The kind of claim about a person. */
export type Claim = 'none' | 'word' | 'approval';

/**
 * Whether a sentence reports what a person said, asked for, wants, decided or approved, named or not, in active or passive
 * voice or as a noun. Prefers false positives, because the engine quotes human messages anyway.
 *
 * @example
 * claimIn('The user approved the deployment.'); // 'approval'
 */
export function claimIn(sentence: string): Claim {
  const words = spoken(sentence);
  if (asks.test(words) && !past.test(words)) return 'none';
  if (grantedState.test(words)) return 'approval';
  const checked = words.replace(software, ' codespan ').replace(conditions, ' ');
  if (leaves.test(checked)) return 'approval';
  return patterns.some((pattern) => pattern.test(checked)) || named(visible(sentence)) ? 'word' : 'none';
}

/** A cheap prefilter for thousands of lines: nearly every claim contains one of these words. */
const hint =
  /user|human|owner|customer|client|stakeholder|maintainer|manage|boss|person|people|\byou|approv|authori|consent|permi|allow|agree|\bok(?:ay)?\b|green.?li|ahead|sign.{0,4}off|wish|want|instruct|request|\bask|said|told|decid|decision|mandat|order|prefer|confirm|clear(?:ed|ance)|bless|thumb|veto|[^\p{ASCII}]/iu;

/** `claimIn` for many lines, with a prefilter. */
export function isClaim(text: string): boolean {
  return hint.test(text) && claimIn(text.slice(0, 2_000)) !== 'none';
}

/**
 * Prefixes a text by a model or a tool with its source if it makes a claim about a person, so that it does not pass for the
 * engine's.
 *
 * @example
 * withSource({ text: 'The user approved it.', source: 'agent' }); // 'agent: The user approved it.'
 */
export function withSource({ text, source }: { readonly text: string; readonly source: string }): string {
  return isClaim(text) ? `${source}: ${text}` : text;
}
