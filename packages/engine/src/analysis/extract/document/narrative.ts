import { formatHandle } from '../../../session/index.ts';
import { withSource } from '../../claims/claims.ts';
import type { SourceItem } from '../../source-item.ts';
import { type ChosenLine, gap } from '../chosen.ts';
import type { Sections } from './sections.ts';
import { sourceOf } from './source-of.ts';

/** What the lines themselves tell of each section, and which lines are told there. */
export interface Narrative {
  readonly sections: Sections;
  readonly told: ReadonlySet<ChosenLine>;
}

/** How many sentences a section takes from the lines. */
const most = { foundation: 6, troubles: 6, reasons: 8, progress: 8, plan: 4, active: 3 } as const;
/** An answer to an error comes within so many entries. */
const soon = 6;
/** So much of what followed an error is quoted to say what it was about. */
const answerLength = 160;

/**
 * A narrative out of what was chosen: instructions, errors with what followed, reasons, what came out, what was said last and what was
 * to come next. Everything is quoted; nothing is worded anew.
 *
 * @example
 * const { sections, told } = narrate({ items, lines });
 */
export function narrate({
  items,
  lines,
}: {
  readonly items: readonly SourceItem[];
  readonly lines: readonly ChosenLine[];
}): Narrative {
  const told = new Set<ChosenLine>();
  const isSaid = (line: ChosenLine) => line.origin === 'model' && !told.has(line) && isReadable(line.text);
  const answerTo = answersIn(items);
  const foundation = show(best({ lines: lines.filter(isInstruction), limit: most.foundation }));
  const troubles = best({ lines: lines.filter(isTrouble), limit: most.troubles }).map(tellTrouble);
  const reasons = tell({ section: 'problem resolution', limit: most.reasons });
  const progress = tell({ section: 'progress', limit: most.progress });
  const plan = tellLatest({ section: 'continuation plan', limit: most.plan });
  const active = tellLatest({ section: 'active work', limit: most.active });
  return {
    sections: {
      'technical foundation': foundation,
      'problem resolution': [...troubles, ...reasons],
      progress,
      'active work': active,
      'continuation plan': plan,
    },
    told,
  };

  function tellTrouble(line: ChosenLine): string {
    told.add(line);
    const answer = answerTo(line.handle);
    return answer === undefined ? bullet(line) : `${bullet(line)} → ${answer}`;
  }

  function tell({ section, limit }: { readonly section: ChosenLine['section']; readonly limit: number }): string[] {
    return show(best({ lines: lines.filter((line) => isSaid(line) && line.section === section), limit }));
  }

  function tellLatest({ section, limit }: { readonly section: ChosenLine['section']; readonly limit: number }) {
    return show(lines.filter((line) => isSaid(line) && line.section === section).slice(-limit));
  }

  function show(chosen: readonly ChosenLine[]): string[] {
    for (const line of chosen) told.add(line);
    return chosen.map(bullet);
  }
}

/** Of what clients put in, as from instruction files; what a tool says never looks like a rule. */
function isInstruction({ origin, section, text }: ChosenLine): boolean {
  return origin === 'engine' && section === 'technical foundation' && isReadable(text);
}

function isTrouble({ origin, section, text }: ChosenLine): boolean {
  return (origin === 'error' || origin === 'result') && section === 'problem resolution' && isReadable(text);
}

/** A sentence, not a line of code or a piece of data. */
function isReadable(text: string): boolean {
  const words = text.match(/(?<![\p{L}\p{N}_./-])\p{L}{2,}(?![\p{N}_(=/])/gu) ?? [];
  return words.length >= 4 && words.join('').length >= text.length * 0.4 && !text.includes(gap);
}

/** The beginning of what the model said next after an entry. */
function answersIn(items: readonly SourceItem[]): (handle: number) => string | undefined {
  const places = new Map(items.map(({ handle }, index) => [handle, index]));
  return (handle) => {
    const from = (places.get(handle) ?? items.length) + 1;
    for (const { handle: at, message } of items.slice(from, from + soon)) {
      const said = message.parts.find((part) => part.type === 'text' && part.origin === 'model');
      if (said?.type === 'text' && said.text.trim() !== '')
        return `${withSource({ text: beginning(oneLine(said.text), answerLength), source: 'agent' })} (@${at})`;
    }
    return undefined;
  };
}

/** The most valuable lines, in the order of the session. */
function best({ lines, limit }: { readonly lines: readonly ChosenLine[]; readonly limit: number }): ChosenLine[] {
  const first = lines.toSorted((a, b) => a.rank - b.rank).slice(0, limit);
  return first.sort((a, b) => a.handle - b.handle);
}

function bullet(line: ChosenLine): string {
  return `- ${quote(line)}`;
}

function quote(line: ChosenLine): string {
  const { handle, part } = line;
  const text = withSource({ text: line.text.replace(/^[-*#>\s]+(?=\S)/, ''), source: sourceOf(line) });
  return `${text} (${formatHandle({ entry: handle, ...(part !== undefined && { part }) })})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function beginning(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}${gap}`;
}
