import { checkPin, rulesOn } from '../../analysis/index.ts';
import type { Session } from '../../session/index.ts';
import type { HookFailure } from './hooks.ts';

/** What hooks may pin: less than people, since nobody reads along. Tokens. */
const limits = { one: 300, all: 1000 };

/**
 * Pins what hooks ask for, marked as theirs. What holds already is not pinned again, and what a person took off stays off.
 * What cannot be carried is told as a failure.
 *
 * @example
 * await pinByHook({ session, texts: ['Tests run with `npm test`.'], count, tell });
 */
export async function pinByHook({
  session,
  texts,
  count,
  tell,
}: {
  readonly session: Session;
  readonly texts: readonly string[];
  readonly count: (text: string) => number;
  readonly tell: (failure: HookFailure) => void;
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
      tell({ hook: 'beforeCompaction', kind: 'answer', why, ms: 0 });
    }
  }
}
