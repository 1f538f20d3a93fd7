import { type Entry, type EntryId, formatHandle, type PinEntry } from '../../session/index.ts';
import { type SourceItem, sourceItems } from '../source.ts';
import type { Strength } from './cues.ts';
import { instructionsIn } from './instructions.ts';
import { ruleStrength } from './rule.ts';
import { unitsOf } from './units.ts';

/** A rule that is carried byte for byte. */
export interface Pin {
  readonly text: string;
  /** Where it was said, as `@12.1:3-3`. */
  readonly from: string;
  /** The pin entry, or the message in which it was found: what to name to take it off. */
  readonly entry: EntryId;
  /** Who set it: a person by pinning it, a person by saying it, the owner of an instruction file, or a hook. */
  readonly by: 'hand' | 'human' | 'instructions' | 'hook';
  readonly strength: Strength;
}

/** Rules that one text may give: more is a specification, which is kept as a message, not as rules. */
const mostOfOne = 12;

/** Beyond this a message is a document; only what is said most clearly in it is a rule. */
const longText = 4000;

/** Rules that are kept in mind altogether, the newest. */
const most = 100;

/**
 * The rules of a session: those pinned by hand, and those that people said or wrote into instruction files, found by
 * their wording. Text of a tool or of a model never becomes one, and neither does what a person only quotes: code blocks,
 * quotations, pasted output. The same rule said twice is one; `removes` of a pin entry takes off a pin, or all rules found
 * in a message. Oldest first.
 *
 * @example
 * const pins = gatherPins({ items, entries: path.filter((entry) => entry.type === 'pin') });
 */
export function gatherPins({
  items,
  entries = [],
  known = [],
}: {
  readonly items: readonly SourceItem[];
  /** The pin entries of the path, oldest first. */
  readonly entries?: readonly PinEntry[];
  /** Rules that were found before, where `items` is only what came after. */
  readonly known?: readonly Pin[];
}): Pin[] {
  const removed = new Set(entries.flatMap(({ removes }) => removes ?? []));
  const found = [...known, ...handPins(entries), ...items.flatMap(rulesIn)];
  const rules = new Map<string, Pin>();
  for (const pin of found) {
    const key = keyOf(pin.text);
    const earlier = rules.get(key);
    if (removed.has(pin.entry)) continue;
    // Whoever pins by hand what was said before means to keep it whatever happens.
    if (!earlier || (pin.by === 'hand' && earlier.by !== 'hand')) rules.set(key, pin);
  }
  const all = [...rules.values()];
  const others = all.filter(({ by }) => by === 'human' || by === 'instructions');
  const dropped = new Set(others.slice(0, Math.max(0, others.length - most)));
  return all.filter((pin) => !dropped.has(pin));
}

/**
 * The rules in force at the end of a path.
 *
 * @example
 * for (const { text, from, by } of rulesOn(await session.path())) console.log(text, from, by);
 */
export function rulesOn(path: readonly Entry[]): Pin[] {
  return gatherPins({ items: sourceItems(path), entries: path.filter((entry) => entry.type === 'pin') });
}

/** Pins set by hand that say their words themselves. */
function handPins(entries: readonly PinEntry[]): Pin[] {
  return entries.flatMap(({ id, handle, text, by = 'hand' as const }): Pin[] =>
    text === undefined || text.trim() === ''
      ? []
      : [{ text, from: formatHandle({ entry: handle }), entry: id, by, strength: 'strong' }],
  );
}

/** The rules in one message. Who wrote a part decides; the role of the message does not. */
function rulesIn({ message, handle, id }: SourceItem): Pin[] {
  return message.parts.flatMap((part, index): Pin[] => {
    if (part.type !== 'text') return [];
    const place = { entry: handle, part: index + 1 };
    if (part.origin === 'human') return found({ text: part.text, line: 1, place, entry: id, by: 'human' });
    if (part.origin !== 'engine') return [];
    return instructionsIn(part.text).flatMap(({ text, line }) =>
      found({ text, line, place, entry: id, by: 'instructions' }),
    );
  });
}

function found({
  text,
  line,
  place,
  entry,
  by,
}: {
  readonly text: string;
  readonly line: number;
  readonly place: { readonly entry: number; readonly part: number };
  readonly entry: EntryId;
  readonly by: 'human' | 'instructions';
}): Pin[] {
  const pins = unitsOf(text).flatMap((unit): Pin[] => {
    const strength = ruleStrength(unit.text);
    if (!strength || (strength === 'weak' && text.length > longText)) return [];
    const at = unit.line + line - 1;
    return [{ text: unit.text, from: formatHandle({ ...place, lines: { from: at, to: at } }), entry, by, strength }];
  });
  if (pins.length <= mostOfOne) return pins;
  const strong = pins.filter(({ strength }) => strength === 'strong');
  const weak = pins.filter(({ strength }) => strength === 'weak');
  const kept = new Set([...strong, ...weak].slice(0, by === 'instructions' ? mostOfOne * 2 : mostOfOne));
  return pins.filter((pin) => kept.has(pin));
}

/** The same for rules that differ in case, spaces and signs only. */
function keyOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim() || text
  );
}
