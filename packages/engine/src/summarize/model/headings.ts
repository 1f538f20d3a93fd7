import { type SectionName, sectionNames } from '../../analysis/index.ts';
import type { Narrative } from '../summarizer.ts';
import { tags } from './prompts/tags.ts';
import { taggedIn, withoutAnalysis } from './tagged.ts';

/** `## Overview`, `1. **Overview**:`, `**Overview:** text`; not `- progress: 3 of 5`. */
const heading = new RegExp(
  `^[ \\t]*(?:(?:#|\\d{1,4}[.)]|\\*\\*|__)[ \\t]*){1,12}(${sectionNames.join('|')})(?:\\*\\*|__)?[ \\t]*(?::|$)(?:\\*\\*|__)?[ \\t]*((?:[^ \\t].*)?)$`,
  'is',
);

/**
 * Splits a summary by its headings. Text before the first heading belongs to the overview.
 *
 * @example
 * narrativeIn('## Overview\nA parser.\n## Progress\nHalf done.').sections; // { overview: 'A parser.', progress: 'Half done.' }
 */
export function narrativeIn(text: string): Narrative {
  const [short, afterShort] = extractTag({ text, tag: tags.short });
  const [title, rest] = extractTag({ text: afterShort, tag: tags.title });
  const lines: Partial<Record<SectionName, string[]>> = {};
  let current: SectionName = 'overview';
  for (const line of rest.split('\n')) {
    const [, name, after = ''] = heading.exec(line) ?? [];
    const found = sectionNames.find((one) => one === name?.toLowerCase());
    if (found) current = found;
    const list = lines[current] ?? [];
    lines[current] = list;
    list.push(found ? after : line);
  }
  const sections = sectionNames.flatMap((name) => {
    const whole = lines[name]?.join('\n').trim() ?? '';
    return whole === '' ? [] : [[name, whole] as const];
  });
  return {
    sections: Object.fromEntries(sections),
    ...(short !== undefined && { short }),
    ...(title !== undefined && { title }),
  };
}

/**
 * The narrative in the answer of a model, before review.
 *
 * @example
 * const { narrative, dropped } = reviewNarrative({ narrative: narrativeOf(text), said: [] });
 */
export function narrativeOf(answer: string): Narrative {
  return narrativeIn(taggedIn(answer)?.text ?? withoutAnalysis(answer));
}

/** Whether a text has at least one of our headings. */
export function hasHeadings(text: string): boolean {
  return text.split('\n').some((line) => heading.test(line));
}

/** The content of the first such tag, and the text without it. */
function extractTag({
  text,
  tag,
}: {
  readonly text: string;
  readonly tag: string;
}): readonly [string | undefined, string] {
  const lower = text.toLowerCase();
  const start = lower.indexOf(`<${tag}>`);
  const end = start < 0 ? -1 : lower.indexOf(`</${tag}>`, start);
  if (end < 0) return [undefined, text];
  const inner = text.slice(start + tag.length + 2, end).trim();
  return [inner === '' ? undefined : inner, `${text.slice(0, start)}${text.slice(end + tag.length + 3)}`];
}
