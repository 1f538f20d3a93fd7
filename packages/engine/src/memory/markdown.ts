import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { BoardState } from './board.ts';
import { entryOf, factId, type MemoryEntry, type MemoryKind, memoryKinds, memoryText, mergeEntries } from './entry.ts';

const titles: Readonly<Record<MemoryKind, string>> = {
  command: 'Commands',
  convention: 'Conventions',
  decision: 'Decisions',
  pitfall: 'Pitfalls',
  preference: 'Preferences',
  location: 'Locations',
};
const archiveTitle = 'Archive';

const introduction = `# Project memory

What earlier sessions with agents learned about this repository, one fact per line. Edit, add or delete lines as you like;
the comments at the end of the lines are read by \`longhaul memory\`.
`;

const entryLine = /^- (.*?) <!-- longhaul ([0-9a-f]{8}) (\{.*\}) -->$/s;
const plainLine = /^[-*] (?!\[[ xX]\])(\S.*)$/;
const removedLine = /^<!-- longhaul removed ([0-9a-f]{8}) -->$/;
const heading = /^## (.+)$/;
/** A merge that was not finished: both sides are read. */
const conflictMarker = /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/;

/**
 * Reads a board from Markdown. A line without a comment is an entry that a person wrote; a text that was changed by hand
 * becomes a person's. The same fact twice, as after a merge, is one.
 *
 * @example
 * readBoard('## Commands\n\n- Run tests with `npm test`.\n').entries.length; // 1
 */
export function readBoard(text: string): BoardState {
  const entries = new Map<string, MemoryEntry>();
  const removed: string[] = [];
  for (const { entry, hash } of linesOf(text)) {
    if (hash !== undefined) removed.push(hash);
    if (!entry) continue;
    const known = entries.get(entry.id);
    entries.set(entry.id, known ? mergeEntries(known, entry) : entry);
  }
  return {
    entries: [...entries.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    removed: [...new Set(removed)].toSorted(),
  };
}

/**
 * Writes a board as Markdown: one line per entry, ordered by id within its section, so that two people who add entries
 * rarely conflict. Other text of the previous file is kept.
 *
 * @example
 * writeBoard({ state: readBoard(text), previous: text }) === text; // true
 */
export function writeBoard({
  state,
  previous = introduction,
}: {
  readonly state: BoardState;
  /** The text of the file so far. */
  readonly previous?: string;
}): string {
  const pending = new Map(state.entries.map((entry) => [entry.id, entry]));
  const hashes = new Set(state.removed);
  const out: { readonly text: string; readonly section: string; readonly id?: string }[] = [];
  for (const { text, section, entry, hash, isMarker } of linesOf(previous)) {
    if (isMarker) continue;
    if (hash !== undefined) {
      if (hashes.delete(hash)) out.push({ text, section });
      continue;
    }
    if (!entry) {
      out.push({ text, section });
      continue;
    }
    const now = pending.get(entry.id);
    if (!now || sectionOf(now) !== section) continue;
    pending.delete(entry.id);
    out.push({ text: lineOf(now), section, id: entry.id });
  }
  const wanted = [...pending.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const title of [...memoryKinds.map((kind) => titles[kind]), archiveTitle]) {
    const added = wanted.filter((entry) => sectionOf(entry) === title);
    if (added.length === 0) continue;
    if (!out.some(({ section }) => section === title)) {
      while (out.length > 0 && out.at(-1)?.text === '') out.pop();
      out.push({ text: '', section: '' }, { text: `## ${title}`, section: title }, { text: '', section: title });
    }
    for (const entry of added) insert({ entry, title });
  }
  while (out.at(-1)?.text === '') out.pop();
  const body = out.map(({ text }) => `${text}\n`).join('');
  return [body, ...[...hashes].toSorted().map((hash) => `<!-- longhaul removed ${hash} -->\n`)].join('');

  /** Before the next larger id of the section, otherwise after its last entry or its heading. */
  function insert({ entry, title }: { readonly entry: MemoryEntry; readonly title: string }): void {
    const next = out.findIndex(({ section, id }) => section === title && id !== undefined && id > entry.id);
    const last = out.findLastIndex(({ section, id }) => section === title && id !== undefined);
    const end = out.findLastIndex(
      ({ section, text }) =>
        section === title &&
        (text !== '' ||
          !out.some((other) => other.section === title && other.text !== '' && !heading.test(other.text))),
    );
    const at = next >= 0 ? next : (last >= 0 ? last : end) + 1;
    out.splice(at, 0, { text: lineOf(entry), section: title, id: entry.id });
  }
}

interface FileLine {
  readonly text: string;
  /** The title of the section it is in; `''` before the first. */
  readonly section: string;
  readonly entry?: MemoryEntry;
  readonly hash?: string;
  readonly isMarker: boolean;
}

function linesOf(text: string): FileLine[] {
  let section = '';
  let isCode = false;
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((raw): FileLine => {
      const line = raw.replace(/\r$/, '');
      if (/^\s{0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
      if (isCode) return { text: raw, section, isMarker: false };
      section = heading.exec(line)?.[1]?.trim() ?? section;
      const hash = removedLine.exec(line)?.[1];
      if (hash !== undefined) return { text: raw, section, hash, isMarker: false };
      const entry = entryIn({ line, section });
      return { text: raw, section, isMarker: conflictMarker.test(line), ...(entry && { entry }) };
    });
}

function entryIn({ line, section }: { readonly line: string; readonly section: string }): MemoryEntry | undefined {
  const kind = memoryKinds.find((one) => titles[one] === section);
  if (kind === undefined && section !== archiveTitle) return undefined;
  const [, shown, id, json] = entryLine.exec(line) ?? [];
  const facts = json === undefined ? undefined : parseJson(json);
  if (shown !== undefined && id !== undefined && isObject(facts)) return readEntry({ shown, id, facts, kind });
  const written = plainLine.exec(line)?.[1];
  if (written === undefined || kind === undefined) return undefined;
  return entryOf({ kind, text: written, author: 'person', authority: 'person', at: 0 });
}

/** The fields after the text; unknown ones of newer versions are dropped. */
function readEntry({
  shown,
  id,
  facts,
  kind: fromSection,
}: {
  readonly shown: string;
  readonly id: string;
  readonly facts: JsonObject;
  readonly kind: MemoryKind | undefined;
}): MemoryEntry | undefined {
  const kind = memoryKinds.find((one) => one === facts.kind) ?? fromSection;
  if (kind === undefined) return undefined;
  const exact = typeof facts.text === 'string' && displayed(facts.text) === shown ? facts.text : undefined;
  const text = memoryText(exact ?? shown);
  const subject = isObject(facts.subject)
    ? {
        ...(typeof facts.subject.file === 'string' && { file: facts.subject.file }),
        ...(typeof facts.subject.command === 'string' && { command: facts.subject.command }),
        ...(typeof facts.subject.symbol === 'string' && { symbol: facts.subject.symbol }),
      }
    : undefined;
  const isEdited = facts.edited === undefined && factId({ kind, text, ...(subject && { subject }) }) !== id;
  const isByHand = isEdited || facts.author === 'person';
  const author = isByHand ? 'person' : facts.author === 'agent' ? 'agent' : 'consolidation';
  const authority = (['person', 'file', 'event', 'agent'] as const).find((one) => one === facts.authority) ?? 'agent';
  const archived = isObject(facts.archived) ? facts.archived : undefined;
  const why = (['full', 'pruned', 'superseded'] as const).find((one) => one === archived?.why);
  const branch = typeof facts.branch === 'string' ? facts.branch : undefined;
  const created = numberOf(facts.created);
  return {
    id,
    kind,
    text,
    author,
    authority: isEdited ? 'person' : authority,
    ...(branch !== undefined && { branch }),
    createdAt: created,
    confirmedAt: Math.max(created, numberOf(facts.confirmed)),
    ...(typeof facts.edited === 'number' && { editedAt: facts.edited }),
    evidence: listOf(facts.evidence).flatMap((one) =>
      typeof one.session === 'string' && typeof one.handle === 'string' && typeof one.quotation === 'string'
        ? [{ session: one.session, handle: one.handle, quotation: one.quotation, at: numberOf(one.at) }]
        : [],
    ),
    confirmations: Object.fromEntries(
      Object.entries(isObject(facts.confirmations) ? facts.confirmations : {}).flatMap(([session, one]) =>
        Array.isArray(one) ? [[session, { at: numberOf(one[0]), weight: numberOf(one[1]) }]] : [],
      ),
    ),
    votes: Object.fromEntries(
      Object.entries(isObject(facts.votes) ? facts.votes : {}).flatMap(([voter, vote]) =>
        typeof vote === 'number' ? [[voter, vote]] : [],
      ),
    ),
    ...(subject && { subject }),
    ...(typeof facts.stale === 'string' && { stale: facts.stale }),
    ...(why && {
      archived: {
        why,
        ...(typeof archived?.at === 'number' && { at: archived.at }),
        ...(typeof archived?.by === 'string' && { by: archived.by }),
      },
    }),
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function sectionOf({ kind, archived }: MemoryEntry): string {
  return archived ? archiveTitle : titles[kind];
}

/** A text that cannot be taken for the comment behind it. */
function displayed(text: string): string {
  return text.replaceAll('<!--', '‹!--').replaceAll('-->', '--›');
}

function lineOf(entry: MemoryEntry): string {
  const { id, kind, text, author, authority, branch, createdAt, confirmedAt, editedAt, stale, archived } = entry;
  const shown = displayed(text);
  const facts = {
    ...(archived && { kind }),
    ...(shown !== text && { text }),
    author,
    authority,
    ...(branch !== undefined && { branch }),
    created: createdAt,
    ...(confirmedAt !== createdAt && { confirmed: confirmedAt }),
    ...(editedAt !== undefined && { edited: editedAt }),
    ...(entry.subject && { subject: entry.subject }),
    ...(entry.evidence.length > 0 && { evidence: entry.evidence }),
    ...(Object.keys(entry.confirmations).length > 0 && {
      confirmations: Object.fromEntries(
        Object.entries(entry.confirmations).map(([session, { at, weight }]) => [session, [at, weight]]),
      ),
    }),
    ...(Object.keys(entry.votes).length > 0 && { votes: entry.votes }),
    ...(stale !== undefined && { stale }),
    ...(archived && { archived }),
  };
  // Line separators of Unicode would break the line in some editors.
  const json = JSON.stringify(facts)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return `- ${shown} <!-- longhaul ${id} ${json} -->`;
}
