import { pinLine } from '../../analysis/index.ts';
import type { Summariser, Summary, SummaryInput } from '../../summarize/index.ts';
import type { BeforeCompactionAnswer, CompactingAnswer, HookEvent, HookFailure, Hooks } from './hooks.ts';

/** What hooks add to the summary must not become most of it. Of its budget. */
const mostContext = 0.2;

/**
 * Summarisers that listen to hooks: a replacement is taken in place of a summary where it fits; instructions and context
 * go to the model. Where no model was asked, the context stands under the summary, as what it is. `compacting` is asked
 * once for a compaction, however often its summary has to be made anew.
 *
 * @example
 * const { summariser, last } = hookedSummarisers({ summariser, last, hooks, event, before, count, tell });
 */
export function hookedSummarisers({
  summariser,
  last,
  hooks,
  event,
  before,
  count,
  tell,
}: {
  readonly summariser: Summariser;
  /** The one that needs no model. */
  readonly last: Summariser;
  readonly hooks: Pick<Hooks, 'compacting'>;
  readonly event: HookEvent;
  /** What hooks said before it was planned. */
  readonly before: Pick<BeforeCompactionAnswer, 'replace' | 'context' | 'focus'>;
  readonly count: (text: string) => number;
  readonly tell: (failure: HookFailure) => void;
}): { readonly summariser: Summariser; readonly last: Summariser } {
  let answer: Promise<CompactingAnswer> | undefined;
  let isRefused = false;
  const sure = around(last);
  return { summariser: summariser === last ? sure : around(summariser), last: sure };

  function around(inner: Summariser): Summariser {
    return { ...inner, summarise: async (input) => replacement(input) ?? (await made({ inner, input })) };
  }

  async function made(of: { readonly inner: Summariser; readonly input: SummaryInput }): Promise<Summary> {
    answer ??= ask(of.input);
    const { instructions, context = [], keep } = await answer;
    const added = [...(before.context ?? []), ...context];
    const block = blockOf({ lines: added, room: Math.floor(of.input.budget * mostContext) });
    const summary = await of.inner.summarise({
      ...of.input,
      budget: of.input.budget - count(block),
      ...(before.focus !== undefined && { focus: before.focus, focusBy: 'hook' as const }),
      ...(instructions !== undefined && { instructions }),
      ...(added.length > 0 && { context: added }),
    });
    // A model has read it; whoever chooses lines only chooses what was said.
    const isChosen = (summary.rung ?? of.inner.rung) === last.rung;
    return {
      ...summary,
      ...(isChosen && { text: `${summary.text}${block}` }),
      ...(keep !== undefined && { kept: keep }),
    };
  }

  async function ask({ items, budget, focus }: SummaryInput): Promise<CompactingAnswer> {
    const [first, newest] = [items[0]?.handle, items.at(-1)?.handle];
    const handles = first === undefined || newest === undefined ? null : { from: first, to: newest };
    const asked = { ...event, handles, budget, ...(focus !== undefined && { focus }) };
    return (await hooks.compacting?.(asked)) ?? {};
  }

  function blockOf({ lines, room }: { readonly lines: readonly string[]; readonly room: number }): string {
    const kept: string[] = [];
    for (const line of lines) if (count(block([...kept, line])) <= room) kept.push(line);
    if (kept.length < lines.length) {
      const why = `It added more than the ${room} tokens that are there; ${lines.length - kept.length} texts were left out.`;
      tell({ hook: 'compacting', kind: 'answer', why, ms: 0 });
    }
    return block(kept);
  }

  /** What a hook says is looked at like what a model says: it has to fit, and the rules have to stand in it. */
  function replacement({ pins, budget }: SummaryInput): Summary | undefined {
    if (!before.replace || isRefused) return undefined;
    const { text, short = firstLine(text) } = before.replace;
    const missing = pins.filter((pin) => !text.includes(pin.text));
    const rules = missing.map(({ from = '', ...pin }) => pinLine({ ...pin, from }));
    const whole = rules.length === 0 ? text : ['Rules that hold, word for word:', ...rules, '', text].join('\n');
    const tokens = count(whole);
    if (tokens <= budget) return { text: whole, short, rung: 'hook' };
    isRefused = true;
    const why = `Its summary has ${tokens} tokens with the rules that hold, and ${budget} are the most.`;
    tell({ hook: 'beforeCompaction', kind: 'answer', why, ms: 0 });
    return undefined;
  }
}

/** Nobody may take it for words of the user. */
function block(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `\n\n## Added by a hook\n\nThe user did not say this:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
