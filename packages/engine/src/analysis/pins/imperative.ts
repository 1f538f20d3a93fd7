/** Verbs with which instructions begin. */
const verbs = new Set(
  `add allow announce append apply ask assume avoid base batch begin branch break build bump call cap capture cast change
  check choose cite clean close collect commit compare confirm consider copy cover create declare default defer define
  delete describe design disable discuss dispatch document emit enable end ensure escalate escape execute expect explain
  export extract favor favour fetch file finish fix flag follow format generate get give group guard handle hide hold
  identify ignore implement import include inform inject inline insert inspect install invoke isolate keep label launch
  leave let limit link lint list load lock log look make map mark match maximize measure merge migrate minimize mirror
  mock move name note obtain omit open optimize order organize output override pass pause pick pin place plan point post
  prefer prefix prepare present preserve preview print prioritize proceed prompt propose prove provide pull push put quote
  raise re-read re-run read rebase record refactor refer reference regenerate register reject release remove rename render
  reply report request require reserve reset resolve respect respond restart restore restrict return reuse revert review
  rewrite round run save scan scope search select send separate serve set share ship show sign simplify skip sort specify
  split squash stage start state stay stick stop store stub submit suggest summarize support surface sync tag target tell
  terminate test throw tick touch trace track translate treat triage trim trust try turn type update upgrade use validate
  verify version view wait warn watch work wrap write`.split(/\s+/),
);

/** Words of emphasis that people write in capitals where they mean it. */
const emphasis =
  /\b(?:MUST|NEVER|ALWAYS|ONLY|NOT|DO NOT|REQUIRED|MANDATORY|FORBIDDEN|CRITICAL|IMPORTANT|BEFORE|FIRST|EVERY|ALL|NO|STOP)\b/;

/** Statements about how things have to be. */
const demand =
  /\b(?:must|should|shall|required|mandatory|forbidden|not allowed|no longer|expected to|needs? to|has to|have to|is to be|are to be)\b|\b(?:format|convention|prefix|style|naming|rule|policy|protocol)\s*(?:is|are)?:/i;

/** A condition, and the word after it: "When everything works, rename the files." */
const conditional =
  /^(?:when|whenever|if|once|after|before|until|unless|for)\b[^,.;:]{2,80}, (?:then |please )?([a-z-]+)/i;

/**
 * Whether a sentence of an instruction file tells what to do: it begins with such a verb, says how something must be, or
 * stresses its words.
 *
 * @example
 * imperative('Keep each commit focused on one change.'); // true
 * imperative('The server listens on port 80.'); // false
 */
export function imperative(sentence: string): boolean {
  const bare = sentence.replace(/^[\s*_`>"'([-]+/, '');
  const [first = ''] = /^[A-Za-z][A-Za-z-]*/.exec(bare) ?? [];
  const [, second = ''] = conditional.exec(bare) ?? [];
  return [first, second].some((word) => verbs.has(word.toLowerCase())) || emphasis.test(bare) || demand.test(bare);
}
