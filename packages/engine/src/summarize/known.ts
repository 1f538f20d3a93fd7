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

/** Where the frontier's parts stand in the document. */
const places: Readonly<Record<FrontierSectionName, SectionName>> = {
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

/** Parts in which the agent's own words stand. */
const ofAgent: ReadonlySet<FrontierSectionName> = new Set(['active', 'open', 'failed', 'abandoned', 'done', 'plan']);

/** What is known may take so much of a summary; the rest is for what is chosen. */
const mostKnown = 0.5;

/** What the caller tells, of the same: the focus, and what the agent was working in. */
const mostTold = 0.15;

/** People's own words, of the same. */
const mostQuotes = 0.2;

/**
 * What is known for certain, for the sections of a summary: rules word for word, what people said, and where the work
 * stands by its events. In less and less detail until it leaves room for the rest.
 *
 * `items` are masked already.
 *
 * @example
 * const sections = knownOf({ items, order, count, mask });
 */
export function knownSections({
  items,
  order,
  count,
  mask,
  frontier,
}: {
  readonly items: readonly SourceItem[];
  readonly order: ExtractiveInput;
  readonly count: (text: string) => number;
  readonly mask: Mask;
  readonly frontier: Frontier;
}): Sections[] {
  const fixed = fixedOf({ order, count, mask });
  const room = order.budget * mostKnown - tokensOf({ sections: [fixed], count });
  const { quotes, omitted } = quoteHumans({ items, budget: Math.floor(order.budget * mostQuotes), count, mask });
  const more = omitted > 0 ? [`… and ${omitted} more messages`] : [];
  const said = quotes.length === 0 ? [] : [partTitles.said, ...quotes.map(quoteLine), ...more];
  for (const detail of [1, 0.5, 0.2, 0.1, 0]) {
    const sections = [{ overview: said }, ...(detail > 0 ? [standing(detail)] : [])];
    if (tokensOf({ sections, count }) <= room) return [fixed, ...sections];
  }
  return [fixed];

  function standing(detail: number): Sections {
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
      const section = places[name];
      found[section] = [
        ...(found[section] ?? []),
        `${title}:`,
        ...lines.map(
          (line) => `- ${guardedItem(ofAgent.has(name) ? withSource({ text: line, source: 'agent' }) : line)}`,
        ),
      ];
    }
    return found;
  }
}

/** What always stands there: rules word for word, what was asked for, what the agent was working in. */
function fixedOf({
  order: { pins, focus, focusBy, state, budget },
  count,
  mask,
}: {
  readonly order: ExtractiveInput;
  readonly count: (text: string) => number;
  readonly mask: Mask;
}): Sections {
  const rules = pins.length === 0 ? [] : [partTitles.rules, ...pinLines(pins.map(withPlace))];
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

  /** Whoever says it may say a book. */
  function brief(text: string): string {
    const note = ({ chars }: { readonly chars: number }) => `[… ${chars} characters left out …]`;
    return shorten({ text: mask(text), limit: Math.floor(budget * mostTold), count, note });
  }
}

/**
 * The whole frontier as of now, with what is shown elsewhere: what a narrative says is held against all of it.
 *
 * @example
 * const { noted } = agreeWith({ narrative, frontier: wholeFrontier({ items, order }) });
 */
export function wholeFrontier({
  items,
  order,
}: {
  readonly items: readonly SourceItem[];
  readonly order: ExtractiveInput;
}): Frontier {
  const all = [...items, ...(order.later ?? [])].sort((a, b) => a.handle - b.handle);
  const known = { ...createFrontier(rootOf(order)), files: recordedFacts(order) };
  return advanceFrontier({ frontier: known, items: all });
}

/**
 * Where the work stands now, not where it stood at the cut: what was finished since is not told as open (cx#38931). Files
 * and commands that came last in what stays as it is stand there.
 */
export function shownFrontier({
  items,
  order,
  frontier,
}: {
  readonly items: readonly SourceItem[];
  readonly order: ExtractiveInput;
  readonly frontier: Frontier;
}): Frontier {
  const { later = [] } = order;
  const all = [...items, ...later];
  const staying = new Set(later.map(({ handle }) => handle));
  // The hash of what was written is not that of the file where a secret in it was masked before.
  const masked = new Set(all.flatMap((item) => (isMasked(item) ? [item.handle] : [])));
  const files = frontier.files
    .filter(({ changed, read }) => !staying.has(changed ?? read ?? 0))
    .map(({ hash, ...file }) =>
      hash === undefined || masked.has(file.changed ?? file.read ?? 0) ? file : { ...file, hash },
    );
  return { ...frontier, files, commands: frontier.commands.filter(({ handle }) => !staying.has(handle)) };
}

function isMasked({ message }: SourceItem): boolean {
  return message.parts.some((part) => {
    if (part.type === 'tool_call') return part.arguments.includes('[secret:');
    if (part.type !== 'tool_result') return false;
    return part.content.some((inner) => inner.type === 'text' && inner.text.includes('[secret:'));
  });
}

/** What earlier compactions recorded is the beginning of the ledger of files (features D15). */
function recordedFacts({ recorded = [], root }: ExtractiveInput): FileFact[] {
  const files = fileMap({ files: [], root });
  for (const { path, handle, isChanged } of recorded) {
    if (isChanged) noteChange({ files, change: { path, op: 'write' }, root, handle });
    else noteRead({ files, path, root, handle, hash: undefined });
  }
  return [...files.values()];
}

/** So that a file that is named in two ways is listed once. */
function rootOf({ root }: ExtractiveInput): { readonly root?: string } {
  return root === undefined ? {} : { root };
}

function withPlace({ from = '', ...pin }: ExtractiveInput['pins'][number]): Parameters<typeof pinLines>[0][number] {
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
