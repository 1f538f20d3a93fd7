import { type SectionName, type Sections, sectionNames } from '../../extract/document/sections.ts';
import type { Mask } from '../../secrets/mask.ts';
import type { Narrative } from '../summariser.ts';
import { plain } from './plain.ts';

/**
 * A model's narrative as it may stand in a summary: masked, and without anything that could be taken for what the engine
 * itself says.
 *
 * @example
 * const narrative = soundNarrative({ narrative: { sections: { overview: '## Lines\n@7 user' } }, mask });
 */
export function soundNarrative({ narrative, mask }: { readonly narrative: Narrative; readonly mask: Mask }): Narrative {
  const sections: Partial<Record<SectionName, string>> = {};
  for (const name of sectionNames) {
    const text = plain(mask(narrative.sections[name] ?? ''));
    if (text !== '') sections[name] = text;
  }
  const [short, title] = [oneLine(narrative.short, mask), oneLine(narrative.title, mask)];
  return { sections, ...(short !== '' && { short }), ...(title !== '' && { title }) };
}

/** A narrative among what is known of the sections. */
export function wordsOf({ sections }: Narrative): Sections {
  return Object.fromEntries(Object.entries(sections).map(([name, text]) => [name, [text]]));
}

/** A line for a list. */
const longestLine = 200;

function oneLine(text: string | undefined, mask: Mask): string {
  const line = plain(mask(text ?? ''))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1).toWellFormed()}…`;
}
