type Count = (text: string) => number | Promise<number>;

interface CutText {
  readonly text: string;
  readonly rule: RegExp | string;
  readonly budget: number;
  readonly count: Count;
  readonly keep: 'head' | 'tail' | 'both';
  readonly mark: string | undefined;
}

/** How often what was chosen by its pieces is weighed as a whole. */
const weighings = 6;

/**
 * As much of a text as the budget allows, cut at breaks. Every piece between breaks is counted once; what they make
 * together is counted a few times, not at every break (editor.md 1.19.7).
 */
export async function cutText({ text, rule, budget, count, keep, mark }: CutText): Promise<string> {
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

/** The text in pieces that each begin at a break. */
function piecesOf({ text, rule }: { readonly text: string; readonly rule: RegExp | string }): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const at of breaksOf({ text, rule })) {
    if (at > from) pieces.push(text.slice(from, at));
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
  if (!rule.global) throw new Error(`\`breakOn\` expression must have the global flag set (got ${rule})`);
  for (const match of text.matchAll(rule)) yield match.index;
}

async function oneEnd(of: {
  readonly pieces: readonly string[];
  readonly budget: number;
  readonly count: Count;
  readonly end: 'head' | 'tail';
}): Promise<string> {
  const { pieces, budget, count, end } = of;
  const at = (index: number) => pieces[end === 'head' ? index : pieces.length - 1 - index] ?? '';
  const sizes: number[] = [];
  const joined = (taken: number) =>
    (end === 'head' ? pieces.slice(0, taken) : pieces.slice(pieces.length - taken)).join('');
  let best = { taken: 0, used: 0 };
  for (let round = 0; round < weighings; round += 1) {
    let { taken, used } = best;
    for (; taken < pieces.length; taken += 1) {
      sizes[taken] ??= await count(at(taken));
      if (used + (sizes[taken] ?? 0) > budget) break;
      used += sizes[taken] ?? 0;
    }
    if (taken === best.taken) break;
    // What the pieces make together may be more than their sum, if seldom: then there is less.
    let real = await count(joined(taken));
    while (real > budget && taken > best.taken) real = await count(joined(--taken));
    if (taken === best.taken) break;
    best = { taken, used: real };
  }
  return joined(best.taken);
}
