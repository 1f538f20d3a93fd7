import { type Message, turns } from 'longhaul/message';

/**
 * What would be left if the window forced a cut: whole rounds of the model's older turns go first, then older turns, then
 * the older rounds of the latest turn; never the latest thing that was said to the model. As little as `fits` asks for.
 *
 * @example
 * guarded({ messages, fits: (rest) => weigh(rest) <= window });
 */
export function guarded({
  messages,
  fits,
}: {
  readonly messages: readonly Message[];
  readonly fits: (messages: readonly Message[]) => boolean;
}): readonly Message[] {
  const steps = cutOrder(messages);
  const after = (count: number) => {
    const gone = new Set(steps.slice(0, count).flat());
    return messages.filter((_, index) => !gone.has(index));
  };
  // The more goes the less is left, so the least number of steps can be halved down to.
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(after(middle))) high = middle;
    else low = middle + 1;
  }
  return after(low);
}

/** What may go, in order; each step is a list of places that go together. */
function cutOrder(messages: readonly Message[]): number[][] {
  const all = turns(messages);
  const older = all.slice(0, -1);
  const latest = all.at(-1);
  const rounds = older.flatMap((turn) => turn.rounds.map(places));
  const taken = new Set(rounds.flat());
  const rest = older.map((turn) => places(turn).filter((index) => !taken.has(index))).filter((step) => step.length > 0);
  // The newest round is what the model is in the middle of.
  const recent = (latest?.rounds ?? []).slice(0, -1).map(places);
  return [...rounds, ...rest, ...recent];
}

function places({ start, end }: { readonly start: number; readonly end: number }): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
