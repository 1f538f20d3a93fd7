import { createMask, pinLine } from '../../analysis/index.ts';
import type { EntryId, ModelName, Session } from '../../session/index.ts';
import type { Summarizer, Summary, SummaryInput } from '../../summarize/index.ts';
import type { Emit } from '../events/event.ts';
import { pinByHook } from '../pin.ts';
import type { Transcripts } from '../transcript/transcripts.ts';
import type { CompactionResult, HookFailure } from '../types.ts';
import { combineHooks } from './combine.ts';
import type { BeforeCompactionAnswer, CompactingAnswer, HookEvent, Hooks } from './hooks.ts';

/** What a compaction is asked for with. */
interface HookRequest {
  readonly trigger: string;
  readonly focus?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the hooks of one session. Their failures are reported and stop nothing. */
export interface HookRunner {
  /** The hooks with failures handled; moves use them as well. */
  readonly hooks: Hooks;
  /** The members that all events share. */
  event(of: HookRequest): HookEvent;
  /** What they say to a compaction that is about to be planned. Their pins are pinned. */
  before(
    of: HookRequest & {
      readonly tokens: number;
      readonly window: number;
      readonly messages: number;
      readonly model: ModelName;
    },
  ): Promise<BeforeCompactionAnswer>;
  /** Summarizers that listen to them. */
  around(of: {
    readonly by: { readonly summarizer: Summarizer; readonly last: Summarizer };
    readonly asked: HookRequest;
    readonly before: BeforeCompactionAnswer;
  }): { readonly summarizer: Summarizer; readonly last: Summarizer };
  /** Notifies them of an installed compaction. */
  after(of: { readonly trigger: string; readonly result: CompactionResult }): Promise<void>;
}

/**
 * Makes the hooks of an engine those of one session.
 *
 * @example
 * const runner = createHookRunner({ hooks, session, count, secrets, now: Date.now, emit });
 * const { cancel } = await runner.before({ trigger: 'manual', tokens, window, messages, model });
 */
export function createHookRunner({
  hooks,
  session,
  count,
  secrets,
  now,
  emit,
  transcripts,
}: {
  readonly hooks: Hooks;
  readonly session: Session;
  readonly count: (text: string) => number;
  /** Values that are masked in reported failures. */
  readonly secrets: readonly string[];
  readonly now: () => number;
  readonly emit: Emit;
  /** The file that the conversation can be read in, where one is written. */
  readonly transcripts?: Pick<Transcripts, 'path' | 'place'>;
}): HookRunner {
  const mask = createMask({ values: secrets, salt: session.id });
  const reportFailure = (failure: HookFailure) => emit('hookFailed', { ...failure, why: mask(failure.why) });
  const safe = combineHooks({ hooks: [hooks], onFailure: reportFailure });
  const event = ({ trigger, signal }: HookRequest): HookEvent => ({
    session: session.id,
    at: now(),
    trigger,
    onFailure: reportFailure,
    ...(session.header.cwd !== undefined && { cwd: session.header.cwd }),
    ...(transcripts?.path !== undefined && { transcript: transcripts.path }),
    ...(signal && { signal }),
  });
  return {
    hooks: safe,
    event,
    async before({ focus, tokens, window, messages, model, ...asked }) {
      const about = { tokens, window, messages, model, ...(focus !== undefined && { focus }) };
      await transcripts?.place();
      const answer = (await safe.beforeCompaction?.({ ...event(asked), ...about })) ?? {};
      if (answer.cancel === undefined) await pinByHook({ session, texts: answer.pins ?? [], count, reportFailure });
      return answer;
    },
    around: ({ by, asked, before }) =>
      hookedSummarizers({ ...by, hooks: safe, event: event(asked), before, count, reportFailure }),
    async after({ trigger, result }) {
      if (result.entry === undefined || !safe.afterCompaction) return;
      const { entry, kept } = result as CompactionResult & { readonly entry: EntryId };
      await safe.afterCompaction({ ...event({ trigger }), result, entry, ...(kept !== undefined && { kept }) });
    },
  };
}

/** What hooks add to the summary must not become most of it. Of its budget. */
const mostContext = 0.2;

/**
 * Summarizers with hooks applied: a replacement is used in place of a summary where it fits; instructions and context go
 * to the model. Without a model, the context is appended to the summary under its own heading. `compacting` runs once per
 * compaction, however often its summary is made.
 *
 * @example
 * const { summarizer, last } = hookedSummarizers({ summarizer, last, hooks, event, before, count, reportFailure });
 */
export function hookedSummarizers({
  summarizer,
  last,
  hooks,
  event,
  before,
  count,
  reportFailure,
}: {
  readonly summarizer: Summarizer;
  /** The one that needs no model. */
  readonly last: Summarizer;
  readonly hooks: Pick<Hooks, 'compacting'>;
  readonly event: HookEvent;
  /** What hooks said before it was planned. */
  readonly before: Pick<BeforeCompactionAnswer, 'replace' | 'context' | 'focus'>;
  readonly count: (text: string) => number;
  readonly reportFailure: (failure: HookFailure) => void;
}): { readonly summarizer: Summarizer; readonly last: Summarizer } {
  let answer: Promise<CompactingAnswer> | undefined;
  let isRefused = false;
  const sure = around(last);
  return { summarizer: summarizer === last ? sure : around(summarizer), last: sure };

  function around(inner: Summarizer): Summarizer {
    return { ...inner, summarize: async (input) => replacement(input) ?? (await made({ inner, input })) };
  }

  async function made(of: { readonly inner: Summarizer; readonly input: SummaryInput }): Promise<Summary> {
    answer ??= ask(of.input);
    const { instructions, context = [], keep } = await answer;
    const added = [...(before.context ?? []), ...context];
    const block = blockOf({ lines: added, room: Math.floor(of.input.budget * mostContext) });
    const summary = await of.inner.summarize({
      ...of.input,
      budget: of.input.budget - count(block),
      ...(before.focus !== undefined && { focus: before.focus, focusBy: 'hook' as const }),
      ...(instructions !== undefined && { instructions }),
      ...(added.length > 0 && { context: added }),
    });
    // A model has read the context; the extractive summarizer selects only from messages.
    const isChosen = (summary.strategy ?? of.inner.strategy) === last.strategy;
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
      reportFailure({ hook: 'compacting', kind: 'answer', why, ms: 0 });
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
    if (tokens <= budget) return { text: whole, short, strategy: 'hook' };
    isRefused = true;
    const why = `Its summary has ${tokens} tokens with the rules that hold, and ${budget} are the most.`;
    reportFailure({ hook: 'beforeCompaction', kind: 'answer', why, ms: 0 });
    return undefined;
  }
}

/** Marked, so that it is not mistaken for words of the user. */
function block(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `\n\n## Added by a hook\n\nThe user did not say this:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
