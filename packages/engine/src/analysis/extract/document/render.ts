import type { SourceItem } from '../../source-item.ts';
import type { ChosenLine } from '../chosen.ts';
import { callsIn } from './calls.ts';
import { groupLines } from './groups.ts';
import { narrate } from './narrative.ts';
import { type SectionName, type Sections, sectionNames } from './sections.ts';
import { linesExplanation, partTitles } from './titles.ts';

/**
 * The summary as people and models read it: eight sections of what is known, then the rest of the chosen lines by handle.
 *
 * @example
 * const text = render({ items, lines, known: { 'codebase status': ['- src/main.ts (changed)'] } });
 */
export function render({
  items,
  lines,
  known = [],
  root,
}: {
  readonly items: readonly SourceItem[];
  readonly lines: readonly ChosenLine[];
  /** What others know of the sections: rules, people's words, the frontier. Each in turn, before what the lines tell. */
  readonly known?: readonly Sections[];
  /** The folder of the project: what lies in it is named from there. */
  readonly root?: string | undefined;
}): string {
  const { sections, told } = narrate({ items, lines });
  const rest = lines.filter((line) => !told.has(line));
  const narrative = sectionNames.flatMap((name) => {
    const texts = [...known, sections].flatMap((one) => one[name] ?? []);
    return texts.length === 0 ? [] : [`## ${title(name)}\n${texts.join('\n')}`];
  });
  const quoted =
    rest.length === 0
      ? []
      : [
          `## ${partTitles.lines}\n${linesExplanation}\n${groupLines({ lines: rest, callOf: callsIn({ items, root }) })}`,
        ];
  return [...narrative, ...quoted].join('\n\n');
}

function title(name: SectionName): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
