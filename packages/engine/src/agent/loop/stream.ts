import type { Prepared } from '../../engine/index.ts';
import type { Message, Part } from '../../message/index.ts';
import {
  type Answer,
  type CompactionSignal,
  collect,
  cost,
  type Model,
  type ModelEnd,
  type ModelEvent,
} from '../../models/index.ts';
import type { Desk } from './effect-context.ts';
import type { Happening } from './event.ts';
import { withGrace } from './timeout.ts';

/** Sends a request and reads the answer to its end. It never throws: failures are values. */
export async function streamAnswer({
  desk,
  prepared,
}: {
  readonly desk: Desk;
  readonly prepared: Prepared;
}): Promise<Extract<Happening, { type: 'answered' }>> {
  const { signal, random, session } = desk;
  const model = desk.model();
  const { head, items, tools, report } = prepared;
  // Thoughts that are bound to a beginning that has changed must be dropped, or the request is refused.
  const { rebindsThinking } = report;
  const options = { cacheKey: session.id, ...desk.options, ...(rebindsThinking && { rebindsThinking }) };
  const said: Part[] = [];
  const signals: CompactionSignal[] = [];
  const events = model.stream({ head, items, tools, options, signal });
  const work = collect(heard({ events, said, signals, desk }));
  const { usage, end } = await withGrace({ work, desk, late: () => brokenOff(said) });
  const costUsd = usage && cost({ usage, info: model.info });
  const { window } = report.snapshot;
  const told = { usage, costUsd, window, takesItsOwn: takesItsOwn(model), signals };
  return { type: 'answered', end: owned({ end, desk }), ...told, jitter: random() };
}

/** Whether a conversation may end with an answer: only Anthropic pauses, and takes up what it paused. */
export function takesItsOwn({ dialect }: Pick<Model, 'dialect'>): boolean {
  return dialect === 'anthropic';
}

async function* heard(of: {
  readonly events: AsyncIterable<ModelEvent>;
  readonly said: Part[];
  readonly signals: CompactionSignal[];
  readonly desk: Desk;
}): AsyncGenerator<ModelEvent> {
  for await (const event of of.events) {
    if (event.type === 'text' || event.type === 'thinking') {
      of.desk.tell({ type: event.type, delta: event.delta });
      of.said.push({ type: event.type, origin: 'model', text: event.delta });
    }
    if (event.type === 'provider_compaction') of.signals.push(event.signal);
    yield event;
  }
}

/** A stream that does not end although it was told to is left to itself; what it had said counts. */
function brokenOff(said: readonly Part[]): Answer {
  const text = said.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const message: Message = { role: 'assistant', parts: text === '' ? [] : [{ type: 'text', origin: 'model', text }] };
  return { message, usage: undefined, end: { type: 'end', reason: 'aborted', message } };
}

/** An answer is the model's, whatever a client wrote on it, and no call has an id that another one had. */
function owned({ end, desk }: { readonly end: ModelEnd; readonly desk: Desk }): ModelEnd {
  const parts = end.message.parts.map((part): Part => {
    const own = part.origin === 'model' ? part : { ...part, origin: 'model' as const };
    if (own.type !== 'tool_call') return own;
    const id = freeId({ id: own.id, taken: desk.callIds });
    desk.callIds.add(id);
    return id === own.id ? own : { ...own, id };
  });
  return { ...end, message: { ...end.message, role: 'assistant', parts } };
}

function freeId({ id, taken }: { readonly id: string; readonly taken: ReadonlySet<string> }): string {
  if (id !== '' && !taken.has(id)) return id;
  // Where every call has the same id, looking for the next free number one by one would take longer and longer.
  for (let number = taken.size + 1; ; number += 1) {
    const other = `${id === '' ? 'call' : id}_${number}`;
    if (!taken.has(other)) return other;
  }
}
