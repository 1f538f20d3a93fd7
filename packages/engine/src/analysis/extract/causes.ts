import type { Part } from '../../message/index.ts';
import type { SectionName } from './document/sections.ts';
import type { Origin, Weights } from './weights.ts';

/** Why a line is worth keeping, as one factor, and which section it belongs to. */
export interface Cause {
  readonly weight: number;
  readonly section: SectionName;
}

const trouble =
  /\b(?:error|fail(?:ed|ing|ure|s)?|fatal|exception|panic|traceback|cannot|could not|unable|not found|denied|timed? ?out|refused|abort(?:ed)?|rejected|invalid|missing)\b|[✗✘❌]/i;
const reason =
  /\b(?:because|instead|decid\w+|root cause|turns? out|so that|rather than|prefer\w*|caus(?:e|ed|es)|the (?:problem|issue|bug|reason|fix|culprit)|confirm\w*|conclu\w+|therefore|due to|in order to)\b/i;
const outcome =
  /\b(?:fix(?:ed|es)|works?|passing|pass(?:ed)?|created|completed?|implemented|added|removed|renamed|merged|committed|pushed|found|verified|resolved|reverted)\b|[✓✔✅]/i;
const rule =
  /\b(?:MUST|NEVER|NOT|ALWAYS|ONLY|must not|[Dd]o not|[Dd]on't|[Nn]ever|[Aa]lways|required|prohibited|forbidden|shall)\b|^\s*[-*] \[[ xX]\]/;
/** What somebody is about to do, or has left to do. A sentence that only says `now` or `then` tells of neither. */
const intent =
  /\b(?:next(?: steps?)?[:,]|next(?: steps? (?:is|are)| I| we|$)|let me|let's|let us|(?:I|we)(?:['’]ll| will| need to| have to| plan to)|going to|plan(?:ned)?(?: is)?(?: to|:)|to-?do\b|remain(?:s|ing)?|left to do|still (?:to|needs?|missing|open|have|has|pending))\b|^\W*(?:now|next|then)\b,? (?!(?:that|it|the|this|all|everything|there|they)\b)/i;
const definition = /[\w\])"'`] ?(?::?=|:|->|=>|→) ?["'`\w[{(/$-]/;
/** The lines of a listing, and of a search, carry numbers; what they say of errors is code that handles them. */
const listed = /^\s*(?:(?:Line )?\d+(?:[\t→|]|: )|\S+[:-]\d+[:-](?!\d|\s*(?:error|warning|fatal)\b))/;

/** A text in quotation marks that people are meant to read: at least two words, as in messages and labels. */
const message = /(["'`])(?=[^"'`\n]{0,200}[A-Za-z]{2} [^"'`\n]{0,200}[A-Za-z]{2})[^"'`\n]{10,220}\1/;
/** A constant that is set, a number that is given, or a quantity with its unit. */
const value =
  /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b["'\]]?\s*(?::[^=\n]{0,30})?[=:]\s*\S|[=:(,]\s*-?\d|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?|minutes?|hours?|days?|[kKMG]i?B|bytes?|px|%)(?!\w)/;
/** What every file of code has at its beginning, and the rows of `ls -l`. */
const boilerplate =
  /^\s*(?:\d{1,6}[\t→|:-]\s*)?(?:import\b[^"'\n]{0,200}["']|import \{|export (?:\*|\{)|\} from ["']|from [\w.]+ import|#include|using [\w.]+;|package [\w.]+;?$|use [\w:]+(?:::\{|;)|[-dl][rwx-]{9}[@+.]?\s|total \d+$)/;

/** A statement of code: it ends like one, or begins with a word that only code begins with. */
const statement =
  /[;{}()[\],]\s*(?:\\n)?$|^\s*(?:\d{1,6}[\t→|:-]\s*)?(?:return|if|for|while|else|const|let|var|await|this\.|self\.|case|try|elif|end)\b/;
/** What a reader of code can only know, not derive: texts, numbers, comments, and the names of what is declared. */
const informative =
  /(["'`])(?:(?!\1)[^\n]){3,}\1|(?<![\w.])\d{2,}|\/\/|\/\*|^\s*(?:\*|#|--)\s|\b(?:function|class|interface|type|enum|def|func|fn|struct|impl|trait|export|throw|raise|panic)\b/;

/** How a command ended: its exit code, a timeout, how many tests passed, how many problems were found. */
const status =
  /\btim(?:ed|e) ?out after \d|\bexit(?:ed|s)?(?: with)?(?: code| status)?[: ]+\d+|\b\d+ (?:tests? |suites? )?(?:passing|failing|passed|failed|pending|skipped|errors?|warnings?|problems?|files? changed)\b|^\W*(?:Tests?|Test Suites|Ran|Found|Total)\b:? +\d+/i;

/** Why this line is worth keeping. Results are `brief` by how short the whole of them is, from 0 to 1. */
export function causeOf({
  text,
  origin,
  brief,
  weights,
}: {
  readonly text: string;
  readonly origin: Origin;
  readonly brief: number;
  readonly weights: Weights;
}): Cause {
  const isSaid = origin === 'human' || origin === 'model' || origin === 'thinking';
  const isOutput = origin === 'result' || origin === 'error';
  const isTrouble = origin === 'error' || (trouble.test(text) && !listed.test(text));
  const isReason = isSaid && (reason.test(text) || outcome.test(text));
  const isRule = rule.test(text);
  const isDefinition = definition.test(text);
  let weight = weights.origin[isTrouble && origin === 'result' ? 'error' : origin];
  if (isReason) weight *= weights.reason;
  if (isRule) weight *= weights.rule;
  if (isDefinition) weight *= weights.definition;
  weight *= 1 + weights.brief * brief;
  if (isOutput && status.test(text) && !listed.test(text)) weight *= weights.status;
  if (!isSaid && message.test(text)) weight *= weights.message;
  if (!isSaid && value.test(text)) weight *= weights.value;
  if (!isSaid && boilerplate.test(text)) weight *= weights.boilerplate;
  if (!isSaid && statement.test(text) && !informative.test(text)) weight *= weights.statement;
  return { weight, section: sectionOf() };

  function sectionOf(): SectionName {
    if (origin === 'human') return 'overview';
    if (isTrouble) return 'problem resolution';
    if (isSaid) {
      if (isReason) return reason.test(text) ? 'problem resolution' : 'progress';
      return intent.test(text) ? 'continuation plan' : 'active work';
    }
    if (origin === 'call') return 'recent operations';
    return isDefinition || isRule ? 'technical foundation' : 'codebase status';
  }
}

/** Where the text of a part comes from. */
export function originOf(part: Part): Origin {
  switch (part.type) {
    case 'thinking':
      return 'thinking';
    case 'tool_call':
      return 'call';
    case 'tool_result':
      return part.isError ? 'error' : 'result';
    default:
      return part.origin === 'tool' ? 'result' : part.origin;
  }
}
