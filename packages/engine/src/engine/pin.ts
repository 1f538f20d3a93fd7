import { checkPin, rulesOn } from '../analysis/index.ts';
import type { Origin } from '../message/index.ts';
import { type Draft, type Entry, formatHandle, type PinEntry, partTexts, type Session } from '../session/index.ts';
import { notPinned } from './errors.ts';
import type { HookFailure } from './types.ts';

/** A rule in words of its own, or those that a person said at a place; `removes` takes a pin or a message's rules off. */
export type PinInput = Omit<Draft<PinEntry>, 'type' | 'by'>;

/**
 * Pins a rule where it can be carried, and takes off only what is there. Words taken from a place are stored with the
 * pin, so that no later reader has to look them up.
 */
export async function pinRule({
  session,
  count,
  ...input
}: PinInput & { readonly session: Session; readonly count: (text: string) => number }): Promise<PinEntry> {
  const rules = rulesOn(await session.path(), { root: session.header.cwd });
  const { removes } = input;
  if (removes !== undefined) {
    if (!rules.some(({ entry }) => entry === removes)) throw notPinned(await placeOf({ session, id: removes }));
    return await session.pin({ removes });
  }
  const { text, origin } = await wordsOf({ session, ...input });
  const pinned = rules.filter(({ by }) => by === 'hand').map((rule) => rule.text);
  checkPin({ text, origin, pinned, count });
  return await session.pin({ text, ...(input.from && { from: input.from }) });
}

/** The words of a pin, and whose they are. Words of a place that has none are none. */
async function wordsOf({
  session,
  text,
  from,
}: Pick<PinInput, 'text' | 'from'> & { readonly session: Session }): Promise<{
  readonly text: string;
  readonly origin: Origin;
}> {
  if (!from) return { text: text ?? '', origin: 'human' };
  const [entry] = await session.read({ ids: [from.entry] });
  const parts = partsOf(entry);
  const part = parts[(from.part ?? 1) - 1];
  const [said] = part ? partTexts([part]) : [];
  return { text: text ?? said?.text ?? '', origin: part?.origin ?? 'engine' };
}

function partsOf(entry: Entry | undefined) {
  if (entry?.type === 'message') return entry.message.parts;
  return entry?.type === 'custom_message' ? entry.parts : [];
}

async function placeOf({ session, id }: { readonly session: Session; readonly id: string }): Promise<string> {
  const [entry] = await session.read({ ids: [id] });
  return entry ? formatHandle({ entry: entry.handle }) : id;
}

/** Limits for pins of hooks, in tokens: lower than for people, since no person reviews them. */
const limits = { one: 300, all: 1000 };

/**
 * Pins rules that hooks request, marked as theirs. Rules in force are not pinned again, and rules that a person removed
 * stay removed. A rule that cannot be pinned is reported as a failure.
 *
 * @example
 * await pinByHook({ session, texts: ['Tests run with `npm test`.'], count, reportFailure });
 */
export async function pinByHook({
  session,
  texts,
  count,
  reportFailure,
}: {
  readonly session: Session;
  readonly texts: readonly string[];
  readonly count: (text: string) => number;
  readonly reportFailure: (failure: HookFailure) => void;
}): Promise<void> {
  if (texts.length === 0) return;
  const path = await session.path();
  const pins = path.filter((entry) => entry.type === 'pin');
  const removed = new Set(pins.flatMap(({ removes }) => removes ?? []));
  const takenOff = new Set(pins.flatMap(({ id, text }) => (text !== undefined && removed.has(id) ? [text] : [])));
  const rules = rulesOn(path, { root: session.header.cwd });
  const known = new Set(rules.map(({ text }) => text));
  const pinned = rules.filter(({ by }) => by === 'hook').map(({ text }) => text);
  for (const text of texts) {
    if (known.has(text) || takenOff.has(text)) continue;
    try {
      checkPin({ text, pinned, count, limits });
      await session.pin({ text, by: 'hook' });
      known.add(text);
      pinned.push(text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      reportFailure({ hook: 'beforeCompaction', kind: 'answer', why, ms: 0 });
    }
  }
}
