import { type SectionName, sectionNames } from '../../extract/document/sections.ts';
import type { Narrative } from '../summariser.ts';
import { tags } from './prompts/tags.ts';

/** `## Overview`, `1. **Overview**:`, `**Overview:** text`; not `- progress: 3 of 5`. */
const heading = new RegExp(
  `^[ \\t]*(?:#{1,6}[ \\t]*|\\d+[.)][ \\t]*|\\*\\*|__)+[ \\t]*(?:\\d+[.)][ \\t]*)?(?:\\*\\*|__)?(${sectionNames.join('|')})(?:\\*\\*|__)?[ \\t]*(?::|$)(?:\\*\\*|__)?[ \\t]*(.*)$`,
  'i',
);

/**
 * A summary by its headings. What stands before the first is overview.
 *
 * @example
 * narrativeIn('## Overview\nA parser.\n## Progress\nHalf done.').sections; // { overview: 'A parser.', progress: 'Half done.' }
 */
export function narrativeIn(text: string): Narrative {
  const [short, title] = [inTag({ text, tag: tags.short }), inTag({ text, tag: tags.title })];
  const rest = without({ text: without({ text, tag: tags.short }), tag: tags.title });
  const lines: Partial<Record<SectionName, string[]>> = {};
  let current: SectionName = 'overview';
  for (const line of rest.split('\n')) {
    const [, name, after = ''] = heading.exec(line) ?? [];
    const found = sectionNames.find((one) => one === name?.toLowerCase());
    if (found) current = found;
    lines[current] = [...(lines[current] ?? []), found ? after : line];
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

/** Whether a text has at least one of our headings. */
export function hasHeadings(text: string): boolean {
  return text.split('\n').some((line) => heading.test(line));
}

function inTag({ text, tag }: { readonly text: string; readonly tag: string }): string | undefined {
  return new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'i').exec(text)?.[1]?.trim() || undefined;
}

function without({ text, tag }: { readonly text: string; readonly tag: string }): string {
  return text.replace(new RegExp(`<${tag}>[\\s\\S]*?</${tag}>`, 'gi'), '');
}
