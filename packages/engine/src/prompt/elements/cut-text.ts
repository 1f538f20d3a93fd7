type CountText = (text: string) => number | Promise<number>;

interface CutText {
  readonly text: string;
  readonly rule: RegExp | string;
  readonly budget: number;
  readonly count: CountText;
  readonly keep: 'head' | 'tail' | 'both';
  readonly mark: string | undefined;
}

/** How often a selection is counted as a whole. */
const weighings = 6;

/**
 * As much of a text as the budget allows, cut at breaks. Every piece between breaks is counted once; the selection as a
 * whole is counted a few times, not at every break (editor.md 1.19.7).
 */
export async function cutText({ text, rule, budget, count, keep, mark }: CutText): Promise<string> {
  // Fail early, not when a text is too long for the first time.
  if (typeof rule !== 'string' && !rule.global)
    throw new Error(`\`breakOn\` expression must have the global flag set (got ${rule})`);
  if ((await count(text)) <= budget) return text;
  const pieces = piecesOf({ text, rule });
  if (keep !== 'both') {
    const end = keep === 'tail' ? 'tail' : 'head';
    const sign = mark ?? '';
    const room = budget - (sign ? await count(sign) : 0);
    const kept = await oneEnd({ pieces, budget: room, count, end });
    return end === 'head' ? kept + sign : sign + kept;
  }
  const sign = mark ?? '\n…\n';
  const room = Math.max(0, budget - (await count(sign)));
  const head = await oneEnd({ pieces, budget: Math.floor(room / 2), count, end: 'head' });
  const rest = room - (await count(head));
  return (
    head +
    sign +
    (await oneEnd({ pieces: piecesOf({ text: text.slice(head.length), rule }), budget: rest, count, end: 'tail' }))
  );
}

/** Splits the text into pieces that start at breaks. */
function piecesOf({ text, rule }: { readonly text: string; readonly rule: RegExp | string }): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const at of breaksOf({ text, rule })) {
    if (at === from || isInPair(text, at)) continue;
    pieces.push(text.slice(from, at));
    from = at;
  }
  pieces.push(text.slice(from));
  return pieces;
}

function* breaksOf({ text, rule }: { readonly text: string; readonly rule: RegExp | string }): Generator<number> {
  if (typeof rule === 'string') {
    for (let at = text.indexOf(rule); at !== -1 && rule; at = text.indexOf(rule, at + rule.length)) yield at;
    return;
  }
  for (const match of text.matchAll(rule)) yield match.index;
}

/** Whether an index is inside a surrogate pair; expressions without `u` may match there. */
export function isInPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

async function oneEnd(of: {
  readonly pieces: readonly string[];
  readonly budget: number;
  readonly count: CountText;
  readonly end: 'head' | 'tail';
}): Promise<string> {
  const { pieces, budget, count, end } = of;
  const at = (index: number) => pieces[end === 'head' ? index : pieces.length - 1 - index] ?? '';
  const sizes: number[] = [];
  const joined = (taken: number) =>
    (end === 'head' ? pieces.slice(0, taken) : pieces.slice(pieces.length - taken)).join('');
  let best: TakenText = { taken: 0, used: 0 };
  for (let round = 0; round < weighings; round += 1) {
    let { taken, used } = best;
    for (; taken < pieces.length; taken += 1) {
      sizes[taken] ??= await count(at(taken));
      if (used + (sizes[taken] ?? 0) > budget) break;
      used += sizes[taken] ?? 0;
    }
    if (taken === best.taken) break;
    const real = await count(joined(taken));
    if (real > budget) {
      // The pieces together count more than their sum: take fewer, and stop.
      const high = { taken, used: real };
      return joined(await mostThatFit({ low: best, high, budget, count: (some) => count(joined(some)) }));
    }
    best = { taken, used: real };
  }
  return joined(best.taken);
}

/** A number of pieces and their total count. */
interface TakenText {
  readonly taken: number;
  readonly used: number;
}

/**
 * The largest number of pieces that fits, between a known lower and upper bound. Interpolates first, then grows the
 * step from there, and bisects the rest: few counts, at most logarithmic.
 */
async function mostThatFit(of: {
  readonly low: TakenText;
  readonly high: TakenText;
  readonly budget: number;
  readonly count: (taken: number) => number | Promise<number>;
}): Promise<number> {
  const { budget, count } = of;
  let low = of.low.taken;
  let high = of.high.taken;
  const share = (budget - of.low.used) / (of.high.used - of.low.used);
  let next = low + Math.floor((high - low) * share);
  let goesUp: boolean | undefined;
  for (let step = 1; high - low > 1; step *= 2) {
    const at = Math.min(Math.max(next, low + 1), high - 1);
    const fits = (await count(at)) <= budget;
    if (fits) low = at;
    else high = at;
    goesUp ??= fits;
    if (goesUp !== fits) step = Number.POSITIVE_INFINITY;
    next = step === Number.POSITIVE_INFINITY ? Math.floor((low + high) / 2) : goesUp ? low + step : high - step;
  }
  return low;
}
