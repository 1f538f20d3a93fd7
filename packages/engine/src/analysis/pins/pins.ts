import { type Entry, type EntryId, formatHandle, type PinEntry } from '../../session/index.ts';
import { laterSystemItems, type SourceItem, sourceItems } from '../source-item.ts';
import { documentsIn, type InstructionDocument } from './documents.ts';
import type { InstructionKind } from './instruction-path.ts';
import { ruleStrength } from './rule.ts';
import { unitsOf } from './units.ts';

/** A rule that is kept verbatim. */
export interface Pin {
  readonly text: string;
  /** The handle of its source, such as `@12.1:3-3`. */
  readonly from: string;
  /** The pin entry or the message with the rule, which identifies it for removal. */
  readonly entry: EntryId;
  /** Who set it: a person by pinning or in a message, an instruction file, a loaded skill, or a hook. */
  readonly by: 'hand' | 'human' | InstructionKind | 'hook';
  readonly strength: RuleStrength;
  /** The name of the instruction file or skill it is part of. */
  readonly document?: string;
  /** The document is no instruction file by its path: its rules come last. */
  readonly isNamed?: true;
}

/** Maximum rules of one text; more is a specification, which is quoted as a message. */
const mostOfOne = 12;

/** In a longer message, only strong rules count. */
const longText = 4000;

/** A long message with this many rules is a protocol and may give more rules. */
const leastOfProtocol = 10;
const mostOfProtocol = 30;

/** Rules that one document may give that is no instruction file by its path. */
const mostOfNamed = 24;

/** Maximum human rules, newest first, and statements of instruction documents. */
const most = { human: 100, documents: 400 };

/**
 * The rules of a session: those pinned by hand, those that people said, found by their wording, and the statements of
 * instruction files and loaded skills. Text of a tool becomes one only where the tool read an instruction file, by its
 * path; text of a model never does, and neither does what a person only quotes: code blocks, quotations, pasted output.
 * The same rule said twice is one; `removes` of a pin entry takes off a pin, or all rules found in a message. Oldest
 * first.
 *
 * @example
 * const pins = gatherPins({ items, entries: path.filter((entry) => entry.type === 'pin') });
 */
export function gatherPins({
  items,
  entries = [],
  known = [],
  root,
}: {
  readonly items: readonly SourceItem[];
  /** The pin entries of the path, oldest first. */
  readonly entries?: readonly PinEntry[];
  /** Rules that were found before, where `items` is only what came after. */
  readonly known?: readonly Pin[];
  /** The folder that the session works in: an instruction file elsewhere is not its own. */
  readonly root?: string | undefined;
}): Pin[] {
  const removed = new Set(entries.flatMap(({ removes }) => removes ?? []));
  const documents = documentsIn({ items, root }).flatMap(rulesOfDocument);
  const found = [...known, ...handPins(entries), ...items.flatMap(rulesIn), ...documents];
  const rules = new Map<string, Pin>();
  for (const pin of found) {
    const key = keyOf(pin.text);
    const earlier = rules.get(key);
    if (removed.has(pin.entry)) continue;
    // A pin set by hand takes precedence over the same rule in a message.
    if (!earlier || (pin.by === 'hand' && earlier.by !== 'hand')) rules.set(key, pin);
  }
  const all = [...rules.values()];
  const people = all.filter(({ by }) => by === 'human');
  const written = all.filter(({ by }) => by === 'instructions' || by === 'skill');
  const dropped = new Set([
    ...people.slice(0, Math.max(0, people.length - most.human)),
    ...written.toSorted((a, b) => order(a) - order(b)).slice(most.documents),
  ]);
  return all.filter((pin) => !dropped.has(pin));
}

function order({ strength }: Pin): number {
  return ['strong', 'weak', 'stated'].indexOf(strength);
}

/**
 * The rules in force at the end of a path.
 *
 * @example
 * const { session: log } = session;
 * for (const { text, from, by } of rulesOn(await log.path(), { root: log.header.cwd })) console.log(text, from, by);
 */
export function rulesOn(path: readonly Entry[], { root }: { readonly root?: string | undefined } = {}): Pin[] {
  const items = [...sourceItems(path), ...laterSystemItems(path)];
  return gatherPins({ items, entries: path.filter((entry) => entry.type === 'pin'), root });
}

/** Pins set by hand, with their own text. */
function handPins(entries: readonly PinEntry[]): Pin[] {
  return entries.flatMap(({ id, handle, text, by = 'hand' as const }): Pin[] =>
    text === undefined || text.trim() === ''
      ? []
      : [{ text, from: formatHandle({ entry: handle }), entry: id, by, strength: 'strong' }],
  );
}

/** The rules in human parts of a message, regardless of its role. */
function rulesIn({ message, handle, id: entry }: SourceItem): Pin[] {
  return message.parts.flatMap((part, index): Pin[] => {
    if (part.type !== 'text' || part.origin !== 'human') return [];
    const { text } = part;
    const pins = unitsOf(text).flatMap((unit): Pin[] => {
      const strength = ruleStrength(unit.text);
      if (!strength) return [];
      const lines = { from: unit.line, to: unit.line };
      const from = formatHandle({ entry: handle, part: index + 1, lines });
      return [{ text: unit.text, from, entry, by: 'human', strength }];
    });
    const isProtocol = text.length > longText && pins.length >= leastOfProtocol;
    const clear = text.length <= longText || isProtocol ? pins : pins.filter(({ strength }) => strength === 'strong');
    const kept = clear.toSorted((a, b) => order(a) - order(b)).slice(0, isProtocol ? mostOfProtocol : mostOfOne);
    return clear.filter((pin) => kept.includes(pin));
  });
}

function rulesOfDocument(document: InstructionDocument): Pin[] {
  const { line, place, entry, kind, name, isNamed } = document;
  return statementsIn(document).map(({ text, lines, strength }): Pin => {
    const at = { from: lines.from + line - 1, to: lines.to + line - 1 };
    const from = formatHandle({ ...place, lines: at });
    return { text, from, entry, by: kind, strength, document: name, ...(isNamed && { isNamed }) };
  });
}

function statementsIn({ text, isReminder, isNamed }: InstructionDocument): readonly Statement[] {
  if (isReminder) return clearSentences(text);
  const all = statementsOf(text);
  // A document that was named may only describe something: what it demands is a rule, and only the first of it.
  return isNamed ? all.filter(({ strength }) => strength !== 'stated').slice(0, mostOfNamed) : all;
}

/** The explicit rules of a reminder; the rest is information. */
function clearSentences(text: string): Statement[] {
  return unitsOf(text).flatMap(({ text: sentence, line }): Statement[] => {
    const isClear = ruleStrength(sentence) === 'strong';
    return isClear ? [{ text: sentence, lines: { from: line, to: line }, strength: 'strong' }] : [];
  });
}

/** A key that ignores case, whitespace and punctuation. */
function keyOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim() || text
  );
}

/** One statement of an instruction file: a list item or a paragraph. */
interface Statement {
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

/**
 * How clearly a sentence sets a rule: explicitly, by its wording, or only as part of a text that must be followed as a
 * whole.
 */
type RuleStrength = 'strong' | 'weak' | 'stated';
