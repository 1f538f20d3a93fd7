import { ruleStrength } from './rule.ts';
import type { RuleStrength } from './strength.ts';

/** One statement of an instruction file: a list item or a paragraph. */
export interface Statement {
  readonly text: string;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly strength: RuleStrength;
}

const fence = /^\s{0,12}(?:`{3,}|~{3,})/;
const bullet = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
/** Line numbers of tools: `12→`, `12\t`, `12: `, `12|`, and of searches `12-`. */
const numbered = /^\s*\d{1,6}(?:[→\t|]|: ?|- ?)/;
/** Headings, horizontal rules, tables, tags and comments are not statements. */
const structure = /^\s*(?:#{1,6}\s|[-=*_]{3,}\s*$|\||<\/?[\w!-][^>]{0,200}>\s*$|<!--)/;
/** Text that would look like a handle, a heading or a tag of the engine in a summary. */
const reserved = /^\s*(?:@\d|#|<)/;

/** A longer statement is split into sentences. */
const maxLength = 600;
const minLength = 8;

/** Maximum statements of one document; the rest is available through recall. */
const maxStatements = 200;

/**
 * The statements of an instruction file in order, without code blocks, tables, headings and line numbers of tools.
 *
 * @example
 * statementsOf('- Never push.\n- Tests live in test/.').map(({ strength }) => strength); // ['strong', 'stated']
 */
export function statementsOf(text: string): Statement[] {
  const written = text.split('\n');
  const isNumbered = written.filter((line) => numbered.test(line)).length * 10 >= written.length * 6;
  const lines = isNumbered ? written.map((line) => line.replace(numbered, '')) : written;
  const statements: Statement[] = [];
  let current: { readonly from: number; readonly lines: string[] } | undefined;
  let isCode = false;
  const close = () => {
    if (current) statements.push(...statementsInBlock(current));
    current = undefined;
  };
  for (const [index, line] of lines.entries()) {
    const isFence = fence.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || line.trim() === '' || structure.test(line)) {
      close();
      continue;
    }
    const isItem = bullet.test(line);
    if (isItem || (current && reserved.test(line))) close();
    if (reserved.test(line.replace(bullet, ''))) continue;
    if (current) current.lines.push(line);
    else current = { from: index + 1, lines: [line] };
  }
  close();
  return statements.slice(0, maxStatements);
}

function statementsInBlock({ from, lines }: { readonly from: number; readonly lines: readonly string[] }): Statement[] {
  const text = lines.join('\n').replace(bullet, '').trim();
  if (text.length < minLength || !/\p{L}{2}/u.test(text)) return [];
  const place = { from, to: from + lines.length - 1 };
  if (text.length <= maxLength) return [{ text, lines: place, strength: strengthOf(text) }];
  return text
    .split(/(?<=[.!?]["')\]]?)\s+(?=\S)/)
    .filter((sentence) => sentence.length >= minLength && sentence.length <= maxLength && !reserved.test(sentence))
    .map((sentence) => ({ text: sentence, lines: place, strength: strengthOf(sentence) }));
}

/** How binding a statement is; at least `stated`, because the file as a whole is to be followed. */
function strengthOf(text: string): RuleStrength {
  const sentences = text.split(/(?<=[.!?:]["')\]*_]{0,3})\s+(?=\S)/);
  const strengths = sentences.map((sentence) => ruleStrength(sentence.replace(/\s+/g, ' ')));
  if (strengths.includes('strong')) return 'strong';
  return strengths.includes('weak') || sentences.some(imperative) ? 'weak' : 'stated';
}

/** Verbs that instructions begin with. */
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

/** Words that are capitalized for emphasis. */
const emphasis =
  /\b(?:MUST|NEVER|ALWAYS|ONLY|NOT|DO NOT|REQUIRED|MANDATORY|FORBIDDEN|CRITICAL|IMPORTANT|BEFORE|FIRST|EVERY|ALL|NO|STOP)\b/;

/** Statements about requirements. */
const demand =
  /\b(?:must|should|shall|required|mandatory|forbidden|not allowed|no longer|expected to|needs? to|has to|have to|is to be|are to be)\b|\b(?:format|convention|prefix|style|naming|rule|policy|protocol)\s*(?:is|are)?:/i;

/** A condition, and the word after it: "When everything works, rename the files." */
const conditional =
  /^(?:when|whenever|if|once|after|before|until|unless|for)\b[^,.;:]{2,80}, (?:then |please )?([a-z-]+)/i;

/**
 * Whether a sentence of an instruction file is an instruction: begins with such a verb, states a requirement, or uses
 * emphasis.
 *
 * @example
 * imperative('Keep each commit focused on one change.'); // true
 * imperative('The server listens on port 80.'); // false
 */
function imperative(sentence: string): boolean {
  const bare = sentence.replace(/^[\s*_`>"'([-]+/, '');
  const [first = ''] = /^[A-Za-z][A-Za-z-]*/.exec(bare) ?? [];
  const [, second = ''] = conditional.exec(bare) ?? [];
  return [first, second].some((word) => verbs.has(word.toLowerCase())) || emphasis.test(bare) || demand.test(bare);
}
