import {
  advanceFrontier,
  createFrontier,
  type FileFact,
  type Frontier,
  type FrontierSectionName,
  fileMap,
  frontierLines,
  guardedItem,
  type Mask,
  noteChange,
  noteRead,
  partTitles,
  pinLines,
  quoteHumans,
  type SectionName,
  type Sections,
  type SourceItem,
  shorten,
  withSource,
} from '../analysis/index.ts';
import type { ExtractiveInput } from './protocol.ts';
import { stateLines } from './working-state.ts';

/** The section of the document that each part of the frontier belongs to. */
const sectionOf: Readonly<Record<FrontierSectionName, SectionName>> = {
  changed: 'codebase status',
  read: 'codebase status',
  tests: 'codebase status',
  done: 'progress',
  failed: 'progress',
  abandoned: 'progress',
  active: 'active work',
  processes: 'active work',
  commands: 'recent operations',
  open: 'continuation plan',
  plan: 'continuation plan',
};

/** Parts that contain the agent's own words. */
const agentParts: ReadonlySet<FrontierSectionName> = new Set(['active', 'open', 'failed', 'abandoned', 'done', 'plan']);

/** Share of a summary for known facts; the rest is for selected lines. */
const knownShare = 0.5;

/** Share for what the caller provides: the focus and the working state. */
const callerShare = 0.15;

/** Share for quoted human messages. */
const quoteShare = 0.2;

/**
 * The known facts of a summary by section: rules verbatim, quoted human messages, and the frontier. Detail is reduced
 * until there is room for the rest. `items` are masked already.
 *
 * @example
 * const sections = knownOf({ items, input, count, mask });
 */
export function knownSections({
  items,
  input,
  count,
  mask,
  frontier,
}: {
  readonly items: readonly SourceItem[];
  readonly input: ExtractiveInput;
  readonly count: (text: string) => number;
  readonly mask: Mask;
  readonly frontier: Frontier;
}): Sections[] {
  const fixed = fixedOf({ input, count, mask });
  const room = input.budget * knownShare - tokensOf({ sections: [fixed], count });
  const { quotes, omitted } = quoteHumans({ items, budget: Math.floor(input.budget * quoteShare), count, mask });
  const more = omitted > 0 ? [`… and ${omitted} more messages`] : [];
  const said = quotes.length === 0 ? [] : [partTitles.said, ...quotes.map(quoteLine), ...more];
  for (const detail of [1, 0.5, 0.2, 0.1, 0]) {
    const sections = [{ overview: said }, ...(detail > 0 ? [frontierSections(detail)] : [])];
    if (tokensOf({ sections, count }) <= room) return [fixed, ...sections];
  }
  return [fixed];

  function frontierSections(detail: number): Sections {
    const most = (lines: number) => Math.ceil(lines * detail);
    const limits = {
      changed: most(300),
      read: most(300),
      done: most(30),
      open: most(30),
      commands: most(8),
      tests: most(6),
    };
    const found: Partial<Record<SectionName, string[]>> = {};
    for (const { name, title, lines } of frontierLines({ frontier, limits })) {
      const section = sectionOf[name];
      found[section] = [
        ...(found[section] ?? []),
        `${title}:`,
        ...lines.map(
          (line) => `- ${guardedItem(agentParts.has(name) ? withSource({ text: line, source: 'agent' }) : line)}`,
        ),
      ];
    }
    return found;
  }
}

/** What every summary contains: rules verbatim, the focus, the working state. */
function fixedOf({
  input: { pins, focus, focusBy, state, budget },
  count,
  mask,
}: {
  readonly input: ExtractiveInput;
  readonly count: (text: string) => number;
  readonly mask: Mask;
}): Sections {
  const rules = pins.length === 0 ? [] : [partTitles.rules, ...pinLines(pins.map(withFrom))];
  const who = focusBy === 'hook' ? 'A hook' : 'The user';
  const asked = focus === undefined ? [] : [`${who} ${partTitles.focus} ${guardedItem(brief(focus))}`];
  const lines =
    state === undefined
      ? ''
      : brief(
          stateLines(state)
            .map((line) => `- ${guardedItem(line)}`)
            .join('\n'),
        );
  const working = lines === '' ? [] : [partTitles.state, lines];
  return { overview: [...rules, ...asked], 'active work': working };

  /** Callers may pass texts of any length. */
  function brief(text: string): string {
    const note = ({ chars }: { readonly chars: number }) => `[… ${chars} characters left out …]`;
    return shorten({ text: mask(text), limit: Math.floor(budget * callerShare), count, note });
  }
}

/**
 * The complete current frontier, including what the kept messages show: a narrative is checked against all of it.
 *
 * @example
 * const { noted } = agreeWith({ narrative, frontier: wholeFrontier({ items, input }) });
 */
export function wholeFrontier({
  items,
  input,
}: {
  readonly items: readonly SourceItem[];
  readonly input: ExtractiveInput;
}): Frontier {
  const all = [...items, ...(input.later ?? [])].sort((a, b) => a.handle - b.handle);
  const known = { ...createFrontier(rootOf(input)), files: recordedFacts(input) };
  return advanceFrontier({ frontier: known, items: all });
}

/**
 * The frontier to show: current, not as of the cut, so that work finished since is not listed as open (cx#38931). Files
 * and commands whose last mention is in the kept messages are left out.
 */
export function shownFrontier({
  items,
  input,
  frontier,
}: {
  readonly items: readonly SourceItem[];
  readonly input: ExtractiveInput;
  readonly frontier: Frontier;
}): Frontier {
  const { later = [] } = input;
  const all = [...items, ...later];
  const kept = new Set(later.map(({ handle }) => handle));
  // A hash of masked content does not match the file.
  const masked = new Set(all.flatMap((item) => (isMasked(item) ? [item.handle] : [])));
  const files = frontier.files
    .filter(({ changed, read }) => !kept.has(changed ?? read ?? 0))
    .map(({ hash, ...file }) =>
      hash === undefined || masked.has(file.changed ?? file.read ?? 0) ? file : { ...file, hash },
    );
  return { ...frontier, files, commands: frontier.commands.filter(({ handle }) => !kept.has(handle)) };
}

function isMasked({ message }: SourceItem): boolean {
  return message.parts.some((part) => {
    if (part.type === 'tool_call') return part.arguments.includes('[secret:');
    if (part.type !== 'tool_result') return false;
    return part.content.some((inner) => inner.type === 'text' && inner.text.includes('[secret:'));
  });
}

/** Files recorded by earlier compactions start the file list (features D15). */
function recordedFacts({ recorded = [], root }: ExtractiveInput): FileFact[] {
  const files = fileMap({ files: [], root });
  for (const { path, handle, isChanged } of recorded) {
    if (isChanged) noteChange({ files, change: { path, op: 'write' }, root, handle });
    else noteRead({ files, path, root, handle, hash: undefined });
  }
  return [...files.values()];
}

/** The root resolves absolute and relative names of a file to one entry. */
function rootOf({ root }: ExtractiveInput): { readonly root?: string } {
  return root === undefined ? {} : { root };
}

function withFrom({ from = '', ...pin }: ExtractiveInput['pins'][number]): Parameters<typeof pinLines>[0][number] {
  return { ...pin, from };
}

function quoteLine({ handle, text }: { readonly handle: string; readonly text: string }): string {
  return `- ${handle}: ${guardedItem(text)}`;
}

function tokensOf({
  sections,
  count,
}: {
  readonly sections: readonly Sections[];
  readonly count: (text: string) => number;
}): number {
  return count(sections.flatMap((one) => Object.values(one).flat()).join('\n'));
}
