/** Lists of words as one alternative of a regular expression. */
function anyOf(...words: readonly string[]): string {
  return `(?:${words.join('|')})`;
}

/** People that a session is worked on for. A noun that is also a term of software needs one of the verbs of `wishes`. */
export const person = anyOf(
  '(?:end[- ])?users?|humans?|person|persons|people|operators?|customers?|request[eo]rs?|stakeholders?|owners?|maintainers?',
  'reviewers?|approvers?|developers?|programmers?|engineers?|boss(?:es)?|(?<!(?:package|settings|session|task|window|file|process|memory|state|secret|plugin|connection|context|key|dependency|store|queue) )managers?|supervisors?|directors?|(?:team|tech|project) leads?|the lead',
  'leaders?|admins?|administrators?|sponsors?|employers?|colleagues?|co-?workers?|teammates?|team|management|leadership',
  'someone|somebody|everyone|everybody|anyone|whoever|interlocutor|counterpart|partners?|committee|department|company',
  'auditors?|architects?|individual|gentleman|lady|cto|ceo|pm|folks|nobody|no one|the powers that be|all parties|both sides',
  'the other (?:side|party)|analyst|designers?|colleague|creator|commissioner|superiors?|authorities|authority|crew|guys?|man|woman',
);

/** Those a session is worked for: a reference to one of them is a report of what only the engine may quote. */
export const principals = anyOf(
  '(?:end[- ])?user|human(?: (?:operator|side|overseer|being|owner|user|reviewer|in the loop))?|operator|customer(?: side)?|request[eo]r|stakeholders?|owners?|maintainers?|reviewers?|approver|supervisor|overseer',
  '(?:product|project|repo|repository|code|task|issue) owner|boss|sponsor|employer|colleague|teammate|person|requesting party|principal|developer|engineer|(?:team|tech|project) lead|manager|management|leadership|team|people|individual|conversation partner|interlocutor',
  '(?:management )?board|parties|committee|council|ceo|cto|cfo|vp|pm|chief|superiors?|higher-ups?|department|hr|steering group',
);

/** Also people, but only where they wish or allow something. */
export const perhapsPerson = anyOf(
  'clients?|product|security|legal|party|author|caller|principal|board|qa|ops|finance|chief|he|she|they|who|one',
);

/** What only a person does, whatever else bears the name of one. */
export const volition = anyOf(
  'want(?:s|ed)?|wish(?:es|ed)?|desire[sd]?|hope[sd]?|insist\\w*|instruct(?:s|ed)|approv(?:e[sd]?)|authori[sz]e[sd]?|consent(?:s|ed)?|agree[sd]? (?:to|that|on|upon|with the)',
  'prefer(?:s|red)?|would (?:like|love|rather)|signed off|decid(?:e[sd])|(?:is|are|was|were) (?:very |quite |perfectly )?(?:happy|fine|okay|ok|pleased|satisfied|content|on board|in favou?r|keen|adamant|opposed)|demand(?:s|ed)|begged|urged|gave|nodded|said|told|asked',
);

/** What may stand between a subject and its verb. */
export const between = anyOf(
  "has|have|had|is|was|are|were|be|been|being|am|does|do|did|would|will|shall|could|can|may|might|should|must|'s|'d|'ll|'ve|'re",
  '(?!reply|apply|supply|rely)[a-z]+ly|also|then|now|just|again|further|only|not|never|still|since|both|and|once|twice|in turn|always|often|even|too',
  'seems? to|appears? to|later|long|ever|first|in fact|of course|at once|by now|so far|yet|already|indeed|hereby|all|each|,',
);

/** What only people do, or what only people's doing matters here. */
export const wishes = anyOf(
  'want(?:s|ed|ing)?|wish(?:es|ed|ing)?|desire[sd]?|hope[sd]?|insist\\w*|demand(?:s|ed|ing)?|instruct(?:s|ed|ing)?|command(?:s|ed|ing)|beg(?:s|ged)?',
  'approv\\w+|authori[sz]e[sd]?|authori[sz]ing|consent\\w*|assent\\w*|agree[sd]?|agreeing|sanction(?:s|ed)|endors\\w+|ratif\\w+|green-?li(?:t|ghts?|ghted)',
  "ok(?:ay)?['-]?(?:e?d|s|ing)|sign(?:s|ed)? off|bless(?:es|ed)?|urg(?:e[sd]?|ing)|prefer(?:s|red)?|object(?:s|ed)|oppos(?:e[sd]?)|veto(?:es|ed)?|mandat(?:e[sd]?)",
  'ask(?:s|ed|ing)?|request(?:s|ed|ing)?|t(?:old|ells?)|sa(?:id|ys?)|decid(?:e[sd]?|ing)|cho(?:se|oses?)|forb(?:ade|ids?)|permit(?:s|ted)?|order(?:s|ed)',
  'direct(?:s|ed)|task(?:s|ed)|commission(?:s|ed)|entrust(?:s|ed)|would (?:like|love|rather)|like[sd]?|love[sd]?|let|g(?:ave|ives?|iven|rant(?:s|ed)?)|promise[sd]?',
  'pleased|happy|satisfied|fine|okay|ok|content|comfortable|on board|in favou?r|in agreement|keen|interested|adamant|opposed|willing|unhappy|aware|nodded',
);

/** What software does as well: only of a person it is a report of their words. */
export const speaks = anyOf(
  'confirm(?:s|ed|ing)?|accept(?:s|ed|ing)?|allow(?:s|ed|ing)?|expect(?:s|ed|ing)?|needs?|needed|requir(?:e[sd]?|ing)|dislik\\w+|complain\\w*|mention\\w*',
  'stat(?:es?|ed|ing)|clarif\\w+|express\\w*|propos(?:e[sd]?|ing)|suggest\\w*|answer\\w*|repl(?:y|ies|ied)|respond\\w*|reject\\w*|declin\\w+|specif(?:y|ies|ied)',
  'remind\\w*|warn(?:s|ed)?|report(?:s|ed)?|not(?:es?|ed)|emphasi\\w+|stress(?:es|ed)|consider\\w*|indicat\\w+|point(?:s|ed) out|assur\\w+|plan(?:s|ned)|intend\\w*',
  'explain(?:s|ed)?|announc\\w+|declar\\w+|stipulat\\w+|pick(?:s|ed)|select(?:s|ed)|vot(?:e[sd]?)|rul(?:es|ed)|call(?:s|ed) for|push(?:es|ed) for|opt(?:s|ed)',
  'feels?|felt|thinks?|thought|believ\\w+|cares?|cared|knows?|knew|understand\\w*|understood|means?|meant|wrote|writes?|spoke|words|voic\\w+|convey\\w+|relay\\w+',
  'ha(?:s|ve|d) (?:no )?(?:an? |the |any )?(?:objections?|preference|wish|request|concerns?|questions?)|encourag\\w+|advis\\w+|recommend\\w*|invit\\w+|sent|sends',
);

/** Participles that tell of a person's will also where no person is named. */
export const willed = anyOf(
  'requested|asked|instructed|told|ordered (?:to|that|not|removed|deleted)|commanded|demanded|wanted|wished|desired|agreed|approved|authori[sz]ed|sanctioned|consented|permitted',
  "mandated|stipulated|commissioned|ratified|endorsed|tasked|directed to|briefed|urged|okayed|ok['-]?e?d|green-?lit|green-?lighted|signed off|blessed|vetoed",
  'forbidden|prohibited|entrusted|granted|promised|insisted|decided|preferred|favou?red|bidden|bade|called upon|cleared (?:to|for|by)|hoped|settled on|voted|begged',
);

/** The same where it is said of `it`: "it was confirmed that …". */
export const impersonal = anyOf(
  'said|stated|mentioned|suggested|proposed|accepted|confirmed|specified|clarified|pointed out|emphasi[sz]ed|stressed|indicated|communicated|conveyed|relayed',
  'required|expected|intended|understood|needed|made clear|laid down|set out|made known|announced|declared|acknowledged|given to understand|ruled|determined|noted|resolved|advised|recommended',
);

/** Nouns that name what people say, want or decide. */
export const matters = anyOf(
  'requests?|asks?|approvals?|consent|permissions?|instructions?|preferences?|wish(?:es)?|desires?|decisions?|demands?|feedback|questions?|messages?|answers?',
  'confirmations?|choices?|requirements?|orders?|intent(?:ion)?s?|goals?|words?|go-?aheads?|green lights?|blessings?|behalf|behest|expectations?|directives?|directions?',
  'agreements?|authori[sz]ations?|sign-?offs?|mandates?|commands?|rulings?|verdicts?|will|say-?so|nod|ok|okay|thumbs-?up|opinions?|views?|mind|concerns?|objections?|input',
  'guidance|suggestions?|proposals?|statements?|remarks?|comments?|replies|reply|response|prompts?|pleas?|order|catch|call|sentences?|insistence|commitments?|promises?|acceptance|vote|needs|stance|position|briefs?|terms|conditions?|advice|recommendations?|endorsements?',
);

/** Of these the ones that can only come from a person. */
export const personalMatters = anyOf(
  'approvals?|consent|instructions?|wish(?:es)?|desires?|demands?|go-?aheads?|green lights?|blessings?|behest|directives?|authori[sz]ations?|sign-?offs?|mandates?',
  'say-?so|thumbs-?up|rulings?|expectations|standing orders?|insistence|explicit requests?|preferences?|orders|strict order|permission|agreement|decisions?|guidance|request|ask|assent|endorsement|acceptance|clearance|briefing|brief|promise|advice|recommendations?|stated (?:goal|aim|intention)',
);

/** What gives leave, whoever is said to have given it: an approval that was never given may be acted on. */
export const leave = anyOf(
  'approv(?:al|als|e|ed|es|ing)|authori[sz](?:e|ed|es|ing|ations?)|consent(?:s|ed)?|assent(?:s|ed)?|sanctioned|ratif(?:ied|ies|y)|endorse[sd]?|endorsements?|sign(?:ed|s|ing)?[- ]?offs?|green[- ]?(?:lit|lights?|lighted)',
  "go[- ]?aheads?|thumbs[- ]?up|blessing|carte blanche|free (?:hand|rein)|cleared (?:to|for)|okay(?:ed|s)|ok[' -]?e?d|lgtm|rubber[- ]?stamp\\w*|waved through|at liberty|entitled to|licen[cs]ed? to|empowered to",
  '(?:permission|clearance|leave)s? (?:to|from|for|given|granted|received|obtained|exists?|secured|(?:was|were|has been|have been|had been|is|are) (?:\\w+ )?(?:given|granted|received|obtained|there|in place|secured|on file))|(?:permitted|allowed|free|welcome|empowered|deputi[sz]ed|entrusted) (?:to|by|with)|(?:ok|okay|fine|alright|acceptable|permissible|legitimate) (?:to|with|for|by)',
  'may proceed|can proceed|good to go|no objections?|without objections?|(?:got|gave|given|get|gives?|with|received) (?:the |a |an |its |full |prior )?(?:nod|ok|okay|yes|permission|clearance|all-clear|leave|authority)|said yes|full authority|power of attorney|on record as',
);
