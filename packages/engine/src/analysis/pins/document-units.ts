import { imperative } from './imperative.ts';
import { ruleStrength } from './rule.ts';
import type { RuleStrength } from './strength.ts';

/** One statement of an instruction file: an item of a list or a paragraph, over its lines. */
export interface Statement {
  readonly text: string;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly strength: RuleStrength;
}

const fence = /^\s{0,12}(?:`{3,}|~{3,})/;
const bullet = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
/** Numbers that tools put before the lines of a file: `12→`, `12\t`, `12: `, `12|`, and of searches `12-`. */
const numbered = /^\s*\d{1,6}(?:[→\t|]|: ?|- ?)/;
/** Headings, rules, tables, quotations, tags and comments say nothing by themselves. */
const structure = /^\s*(?:#{1,6}\s|[-=*_]{3,}\s*$|\||<\/?[\w!-][^>]{0,200}>\s*$|<!--)/;
/** What in a summary would look like a handle, a heading or a tag of the engine's. */
const reserved = /^\s*(?:@\d|#|<)/;

/** A statement longer than this is a page, and only one of its sentences can be a rule. */
const longest = 600;
const shortest = 8;

/** More statements than this are a manual; recall has the rest. */
const most = 200;

/**
 * The statements of an instruction file in the order of the file, without code blocks, tables and headings. What a tool
 * put before its lines is left out.
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
    if (current) statements.push(...statementsIn(current));
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
  return statements.slice(0, most);
}

function statementsIn({ from, lines }: { readonly from: number; readonly lines: readonly string[] }): Statement[] {
  const text = lines.join('\n').replace(bullet, '').trim();
  if (text.length < shortest || !/\p{L}{2}/u.test(text)) return [];
  const place = { from, to: from + lines.length - 1 };
  if (text.length <= longest) return [{ text, lines: place, strength: strengthOf(text) }];
  return text
    .split(/(?<=[.!?]["')\]]?)\s+(?=\S)/)
    .filter((sentence) => sentence.length >= shortest && sentence.length <= longest && !reserved.test(sentence))
    .map((sentence) => ({ text: sentence, lines: place, strength: strengthOf(sentence) }));
}

/** How binding a statement is; the file as a whole is meant to be followed, so each is at least stated. */
function strengthOf(text: string): RuleStrength {
  const sentences = text.split(/(?<=[.!?:]["')\]*_]{0,3})\s+(?=\S)/);
  const strengths = sentences.map((sentence) => ruleStrength(sentence.replace(/\s+/g, ' ')));
  if (strengths.includes('strong')) return 'strong';
  return strengths.includes('weak') || sentences.some(imperative) ? 'weak' : 'stated';
}
