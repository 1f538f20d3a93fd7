import type { Prepared } from '../../engine/index.ts';
import type { Message, Part } from '../../message/index.ts';
import {
  type CollectedAnswer,
  type CompactionSignal,
  collect,
  cost,
  type Model,
  type ModelEnd,
  type ModelEvent,
} from '../../models/index.ts';
import { withGracePeriod } from '../../time.ts';
import type { EffectContext } from './effect-context.ts';
import type { LoopEvent } from './event.ts';

/** Sends a request and reads the answer to its end. Never throws: failures are values. */
export async function streamAnswer({
  context,
  prepared,
}: {
  readonly context: EffectContext;
  readonly prepared: Prepared;
}): Promise<Extract<LoopEvent, { type: 'answered' }>> {
  const { signal, random, session } = context;
  const model = context.model();
  const { head, items, tools, report } = prepared;
  // Thinking that is bound to a changed prefix must be dropped, or the provider rejects the request.
  const { rebindsThinking } = report;
  const options = { cacheKey: session.id, ...context.options, ...(rebindsThinking && { rebindsThinking }) };
  const parts: Part[] = [];
  const signals: CompactionSignal[] = [];
  const events = model.stream({ head, items, tools, options, signal });
  const work = collect(forwardDeltas({ events, parts, signals, context }));
  const { usage, end } = await withGracePeriod({ ...context, work, fallback: () => partialAnswer(parts) });
  const costUsd = usage && cost({ usage, info: model.info });
  const { window } = report.snapshot;
  const data = { usage, costUsd, window, takesItsOwn: acceptsTrailingAnswer(model), signals };
  return { type: 'answered', end: sanitizeAnswer({ end, context }), ...data, jitter: random() };
}

/** Whether a conversation may end with an answer: only Anthropic pauses answers and continues them. */
export function acceptsTrailingAnswer({ dialect }: Pick<Model, 'dialect'>): boolean {
  return dialect === 'anthropic';
}

async function* forwardDeltas(of: {
  readonly events: AsyncIterable<ModelEvent>;
  readonly parts: Part[];
  readonly signals: CompactionSignal[];
  readonly context: EffectContext;
}): AsyncGenerator<ModelEvent> {
  for await (const event of of.events) {
    if (event.type === 'text' || event.type === 'thinking') {
      of.context.emit({ type: event.type, delta: event.delta });
      of.parts.push({ type: event.type, origin: 'model', text: event.delta });
    }
    if (event.type === 'provider_compaction') of.signals.push(event.signal);
    yield event;
  }
}

/** A stream that does not end after an abort is abandoned; its text so far is kept. */
function partialAnswer(parts: readonly Part[]): CollectedAnswer {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const message: Message = { role: 'assistant', parts: text === '' ? [] : [{ type: 'text', origin: 'model', text }] };
  return { message, usage: undefined, end: { type: 'end', reason: 'aborted', message } };
}

/** Sets the origin of all parts to the model and makes call ids unique. */
function sanitizeAnswer({ end, context }: { readonly end: ModelEnd; readonly context: EffectContext }): ModelEnd {
  const parts = end.message.parts.map((part): Part => {
    const own = part.origin === 'model' ? part : { ...part, origin: 'model' as const };
    if (own.type !== 'tool_call') return own;
    const id = freeId({ id: own.id, taken: context.callIds });
    context.callIds.add(id);
    return id === own.id ? own : { ...own, id };
  });
  return { ...end, message: { ...end.message, role: 'assistant', parts } };
}

function freeId({ id, taken }: { readonly id: string; readonly taken: ReadonlySet<string> }): string {
  if (id !== '' && !taken.has(id)) return id;
  // Start at the set size: with identical ids, counting up from 1 would be quadratic.
  for (let number = taken.size + 1; ; number += 1) {
    const other = `${id === '' ? 'call' : id}_${number}`;
    if (!taken.has(other)) return other;
  }
}
