import { type Entry, type EntryId, formatHandle, type PinEntry } from '../../session/index.ts';
import { laterSystemItems, type SourceItem, sourceItems } from '../source-item.ts';
import { type Statement, statementsOf } from './document-units.ts';
import { documentsIn, type InstructionDocument } from './documents.ts';
import type { InstructionKind } from './instruction-path.ts';
import { ruleStrength } from './rule.ts';
import type { RuleStrength } from './strength.ts';
import { unitsOf } from './units.ts';

/** A rule that is kept verbatim. */
export interface Pin {
  readonly text: string;
  /** The handle of its source, such as `@12.1:3-3`. */
  readonly from: string;
  /** The pin entry or the message with the rule, which identifies it for removal. */
  readonly entry: EntryId;
  /** Who set it: a person by pinning or in a message, an instruction file, a loaded skill, or a hook. */
  readonly by: 'hand' | 'human' | InstructionKind | 'hook';
  readonly strength: RuleStrength;
  /** The name of the instruction file or skill it is part of. */
  readonly document?: string;
  /** The document is no instruction file by its path: its rules come last. */
  readonly isNamed?: true;
}

/** Maximum rules of one text; more is a specification, which is quoted as a message. */
const mostOfOne = 12;

/** In a longer message, only strong rules count. */
const longText = 4000;

/** A long message with this many rules is a protocol and may give more rules. */
const leastOfProtocol = 10;
const mostOfProtocol = 30;

/** Rules that one document may give that is no instruction file by its path. */
const mostOfNamed = 24;

/** Maximum human rules, newest first, and statements of instruction documents. */
const most = { human: 100, documents: 400 };

/**
 * The rules of a session: those pinned by hand, those that people said, found by their wording, and the statements of
 * instruction files and loaded skills. Text of a tool becomes one only where the tool read an instruction file, by its
 * path; text of a model never does, and neither does what a person only quotes: code blocks, quotations, pasted output.
 * The same rule said twice is one; `removes` of a pin entry takes off a pin, or all rules found in a message. Oldest
 * first.
 *
 * @example
 * const pins = gatherPins({ items, entries: path.filter((entry) => entry.type === 'pin') });
 */
export function gatherPins({
  items,
  entries = [],
  known = [],
  root,
}: {
  readonly items: readonly SourceItem[];
  /** The pin entries of the path, oldest first. */
  readonly entries?: readonly PinEntry[];
  /** Rules that were found before, where `items` is only what came after. */
  readonly known?: readonly Pin[];
  /** The folder that the session works in: an instruction file elsewhere is not its own. */
  readonly root?: string | undefined;
}): Pin[] {
  const removed = new Set(entries.flatMap(({ removes }) => removes ?? []));
  const documents = documentsIn({ items, root }).flatMap(rulesOfDocument);
  const found = [...known, ...handPins(entries), ...items.flatMap(rulesIn), ...documents];
  const rules = new Map<string, Pin>();
  for (const pin of found) {
    const key = keyOf(pin.text);
    const earlier = rules.get(key);
    if (removed.has(pin.entry)) continue;
    // A pin set by hand takes precedence over the same rule in a message.
    if (!earlier || (pin.by === 'hand' && earlier.by !== 'hand')) rules.set(key, pin);
  }
  const all = [...rules.values()];
  const people = all.filter(({ by }) => by === 'human');
  const written = all.filter(({ by }) => by === 'instructions' || by === 'skill');
  const dropped = new Set([
    ...people.slice(0, Math.max(0, people.length - most.human)),
    ...written.toSorted((a, b) => order(a) - order(b)).slice(most.documents),
  ]);
  return all.filter((pin) => !dropped.has(pin));
}

function order({ strength }: Pin): number {
  return ['strong', 'weak', 'stated'].indexOf(strength);
}

/**
 * The rules in force at the end of a path.
 *
 * @example
 * const { cwd: root } = session.header;
 * for (const { text, from, by } of rulesOn(await session.path(), { root })) console.log(text, from, by);
 */
export function rulesOn(path: readonly Entry[], { root }: { readonly root?: string | undefined } = {}): Pin[] {
  const items = [...sourceItems(path), ...laterSystemItems(path)];
  return gatherPins({ items, entries: path.filter((entry) => entry.type === 'pin'), root });
}

/** Pins set by hand, with their own text. */
function handPins(entries: readonly PinEntry[]): Pin[] {
  return entries.flatMap(({ id, handle, text, by = 'hand' as const }): Pin[] =>
    text === undefined || text.trim() === ''
      ? []
      : [{ text, from: formatHandle({ entry: handle }), entry: id, by, strength: 'strong' }],
  );
}

/** The rules in human parts of a message, regardless of its role. */
function rulesIn({ message, handle, id: entry }: SourceItem): Pin[] {
  return message.parts.flatMap((part, index): Pin[] => {
    if (part.type !== 'text' || part.origin !== 'human') return [];
    const { text } = part;
    const pins = unitsOf(text).flatMap((unit): Pin[] => {
      const strength = ruleStrength(unit.text);
      if (!strength) return [];
      const lines = { from: unit.line, to: unit.line };
      const from = formatHandle({ entry: handle, part: index + 1, lines });
      return [{ text: unit.text, from, entry, by: 'human', strength }];
    });
    const isProtocol = text.length > longText && pins.length >= leastOfProtocol;
    const clear = text.length <= longText || isProtocol ? pins : pins.filter(({ strength }) => strength === 'strong');
    const kept = clear.toSorted((a, b) => order(a) - order(b)).slice(0, isProtocol ? mostOfProtocol : mostOfOne);
    return clear.filter((pin) => kept.includes(pin));
  });
}

function rulesOfDocument(document: InstructionDocument): Pin[] {
  const { line, place, entry, kind, name, isNamed } = document;
  return statementsIn(document).map(({ text, lines, strength }): Pin => {
    const at = { from: lines.from + line - 1, to: lines.to + line - 1 };
    const from = formatHandle({ ...place, lines: at });
    return { text, from, entry, by: kind, strength, document: name, ...(isNamed && { isNamed }) };
  });
}

function statementsIn({ text, isReminder, isNamed }: InstructionDocument): readonly Statement[] {
  if (isReminder) return clearSentences(text);
  const all = statementsOf(text);
  // A document that was named may only describe something: what it demands is a rule, and only the first of it.
  return isNamed ? all.filter(({ strength }) => strength !== 'stated').slice(0, mostOfNamed) : all;
}

/** The explicit rules of a reminder; the rest is information. */
function clearSentences(text: string): Statement[] {
  return unitsOf(text).flatMap(({ text: sentence, line }): Statement[] => {
    const isClear = ruleStrength(sentence) === 'strong';
    return isClear ? [{ text: sentence, lines: { from: line, to: line }, strength: 'strong' }] : [];
  });
}

/** A key that ignores case, whitespace and punctuation. */
function keyOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim() || text
  );
}
