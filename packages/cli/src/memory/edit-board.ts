import { LonghaulError } from 'longhaul';
import {
  addToBoard,
  type BoardChange,
  type Memory,
  type MemoryEntry,
  type MemoryKind,
  memoryKinds,
  removeEntry,
  voteFor,
} from 'longhaul/memory';
import { printable } from '../text/printable.ts';

/** Adds an entry in a person's own words, even one that was removed before. */
export function addEntry({
  memory,
  text,
  kind = 'convention',
  branch,
  at,
  isDry = false,
}: {
  readonly memory: Memory;
  readonly text: string;
  readonly kind?: MemoryKind | undefined;
  readonly branch?: string | undefined;
  readonly at: number;
  readonly isDry?: boolean;
}): BoardChange {
  const candidate = { kind, text: checkedText(text), author: 'person', authority: 'person', at } as const;
  return memory.change({
    isDry,
    work: (state) => {
      const added = addToBoard({
        state: { ...state, removed: [] },
        candidates: [{ ...candidate, ...(branch !== undefined && { branch }) }],
      });
      const ids = new Set(added.entries.map(({ id }) => id));
      return { entries: added.entries, removed: state.removed.filter((id) => !ids.has(id)) };
    },
  });
}

/** The text of an entry, without blanks around it. */
export function checkedText(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= 300) return trimmed;
  throw new LonghaulError({
    code: 'bad-usage',
    message:
      trimmed === ''
        ? 'The text is empty.'
        : `The text has ${trimmed.length} characters; an entry is one fact of at most 300.`,
    hint: 'Give one sentence.',
  });
}

/** Deletes entries permanently, from the archive too. All ids are checked first. */
export function removeEntries({
  memory,
  ids,
  isDry = false,
}: {
  readonly memory: Memory;
  readonly ids: readonly string[];
  readonly isDry?: boolean;
}): MemoryEntry[] {
  const { entries } = memory.read();
  const found = ids.map((wanted) => entryFor({ entries, wanted }));
  if (!isDry)
    memory.change({ work: (state) => found.reduce((board, { id }) => removeEntry({ state: board, id }), state) });
  return found;
}

const votes: ReadonlyMap<string, number> = new Map([
  ['up', 1],
  ['down', -2],
  ['none', 0],
]);

/** A person's vote; `down` dismisses the entry. */
export function voteOn({
  memory,
  wanted,
  word,
}: {
  readonly memory: Memory;
  readonly wanted: string;
  readonly word: string;
}): MemoryEntry {
  const vote = votes.get(word);
  if (vote === undefined) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: `${JSON.stringify(word)} is not a vote.`,
      hint: 'Use up, down or none.',
    });
  }
  const entry = entryFor({ entries: memory.read().entries, wanted });
  memory.change({ work: (state) => voteFor({ state, id: entry.id, voter: 'person', vote }) });
  return entry;
}

/** Entries of board and archive whose text or quotations contain all words. */
export function searchEntries({ memory, text }: { readonly memory: Memory; readonly text: string }): MemoryEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return memory.read().entries.filter((entry) => {
    const all = [entry.text, ...entry.evidence.map(({ quotation }) => quotation)].join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The entry with this id, or with the only id that begins so. */
export function entryFor({
  entries,
  wanted,
}: {
  readonly entries: readonly MemoryEntry[];
  readonly wanted: string;
}): MemoryEntry {
  const found = wanted === '' ? [] : entries.filter(({ id }) => id.startsWith(wanted.toLowerCase()));
  const [first] = found;
  if (first && found.length === 1) return first;
  throw new LonghaulError({
    code: first ? 'entry-ambiguous' : 'entry-missing',
    message: first
      ? `${JSON.stringify(wanted)} matches ${found.length} entries.`
      : `There is no entry ${JSON.stringify(wanted)}.`,
    hint: '`longhaul memory list` and `longhaul memory archive` show the ids.',
  });
}

/** A kind by its name. */
export function kindOf(wanted: string | undefined): MemoryKind | undefined {
  const kind = memoryKinds.find((one) => one === wanted);
  if (wanted === undefined || kind) return kind;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `${JSON.stringify(wanted)} is not a kind of memory.`,
    hint: `Use one of ${memoryKinds.join(', ')}.`,
  });
}

/** The words of `/memory`, each with what it does; for help and completion. */
export const memoryWords: Readonly<Record<string, string>> = {
  list: 'the board; entries that this session got are marked with *',
  add: 'add a fact in your own words: /memory add [KIND:] TEXT',
  remove: 'delete entries permanently: /memory remove ID…',
  vote: 'rate an entry: /memory vote ID up, down or none',
  dismiss: 'entries that are not to be delivered any more: /memory dismiss ID…',
  search: 'find entries on the board and in the archive: /memory search TEXT',
  archive: 'what left the board',
};

/**
 * Performs the rest of a line `/memory …` and returns what to show, one string per line and safe for a terminal. Bad
 * input is a `LonghaulError` with a hint.
 */
export function performMemoryLine({
  memory,
  line,
  now,
  delivered = [],
}: {
  readonly memory: Memory;
  /** What follows `/memory`; empty for the list. */
  readonly line: string;
  readonly now: () => number;
  /** Ids of the entries that the session got. */
  readonly delivered?: readonly string[];
}): string[] {
  const trimmed = line.trim();
  const [word = ''] = trimmed.split(/\s/, 1);
  const rest = trimmed.slice(word.length).trim();
  const ids = rest.split(/\s+/).filter(Boolean);
  const isDelivered = new Set(delivered);
  const show = (entries: readonly MemoryEntry[], empty: string) =>
    entries.length === 0 ? [empty] : entries.map((entry) => entryLine({ entry, isMarked: isDelivered.has(entry.id) }));
  switch (word) {
    case '':
    case 'list':
      return show(memory.list(), 'The board is empty. Fill it with `longhaul memory consolidate` or /memory add.');
    case 'archive':
      return show(
        memory.read().entries.filter(({ archived }) => archived),
        'The archive is empty.',
      );
    case 'search':
      return show(searchEntries({ memory, text: rest }), 'No entry contains these words.');
    case 'add': {
      const name = memoryKinds.find((kind) => rest.toLowerCase().startsWith(`${kind}:`));
      const fact = name === undefined ? rest : rest.slice(name.length + 1);
      const { added, restored, changed } = addEntry({
        memory,
        text: fact,
        kind: name,
        at: now(),
      });
      return [...added, ...restored, ...changed].slice(0, 1).map((entry) => `added: ${entryLine({ entry })}`);
    }
    case 'remove':
      return removeEntries({ memory, ids: someOf(ids) }).map((entry) => `removed: ${entryLine({ entry })}`);
    case 'dismiss':
      return someOf(ids).map(
        (wanted) => `dismissed: ${entryLine({ entry: voteOn({ memory, wanted, word: 'down' }) })}`,
      );
    case 'vote': {
      const [wanted = '', vote = ''] = ids;
      return [`${vote}: ${entryLine({ entry: voteOn({ memory, wanted, word: vote }) })}`];
    }
    default:
      throw new LonghaulError({
        code: 'bad-usage',
        message: `/memory does not know ${JSON.stringify(word)}.`,
        hint: `Use one of ${Object.keys(memoryWords).join(', ')}.`,
      });
  }
}

function someOf(ids: readonly string[]): readonly string[] {
  if (ids.length > 0) return ids;
  throw new LonghaulError({ code: 'bad-usage', message: 'No id was given.', hint: '/memory list shows the ids.' });
}

function entryLine({ entry, isMarked = false }: { readonly entry: MemoryEntry; readonly isMarked?: boolean }): string {
  const { id, kind, text, stale, archived } = entry;
  const notes = [stale, archived?.why].filter((note) => note !== undefined);
  return printable(
    `${isMarked ? '*' : ' '} ${id}  ${kind}: ${text}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`,
  );
}
