import { type SectionName, type Sections, sectionNames } from '../../extract/document/sections.ts';
import type { Mask } from '../../secrets/mask.ts';
import type { Narrative } from '../summariser.ts';
import { attributed } from './attribute.ts';
import { plain } from './plain.ts';

/**
 * A model's narrative as it may stand in a summary: masked, without anything that could be taken for what the engine
 * itself says, and without what it says of people in words that are not theirs.
 *
 * @example
 * const narrative = soundNarrative({ narrative: { sections: { overview: '## Lines\n@7 user' } }, said: [], mask });
 */
export function soundNarrative({
  narrative,
  said,
  mask,
}: {
  readonly narrative: Narrative;
  /** What people wrote. */
  readonly said: readonly string[];
  readonly mask: Mask;
}): Narrative {
  const theirs = [...said, ...said.map(mask)];
  const sections: Partial<Record<SectionName, string>> = {};
  for (const name of sectionNames) {
    const text = sound(narrative.sections[name]);
    if (text !== '') sections[name] = text;
  }
  const [short, title] = [oneLine(sound(narrative.short)), oneLine(sound(narrative.title))];
  return { sections, ...(short !== '' && { short }), ...(title !== '' && { title }) };

  function sound(text = ''): string {
    return attributed({ text: plain(mask(text)), said: theirs }).trim();
  }
}

/** A narrative among what is known of the sections. */
export function wordsOf({ sections }: Narrative): Sections {
  return Object.fromEntries(Object.entries(sections).map(([name, text]) => [name, [text]]));
}

/** A line for a list. */
const longestLine = 200;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1).toWellFormed()}…`;
}
