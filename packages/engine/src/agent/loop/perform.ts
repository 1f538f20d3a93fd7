import type { Prepared } from '../../engine/index.ts';
import type { Json } from '../../message/index.ts';
import { visible } from '../plain-text.ts';
import type { PlannedCall } from './call.ts';
import { unfinishedKey } from './continuation.ts';
import type { Desk } from './effect-context.ts';
import type { Effect, Happening } from './event.ts';
import { lookAt } from './plan-calls.ts';
import { remark, type Saying, wordsOf } from './queued-message.ts';
import { madeUp, unsettled } from './results.ts';
import { type CallEnd, runCall } from './run-call.ts';
import { streamAnswer } from './stream.ts';

/** Performs an effect; returns the event that follows, if any. */
export type Perform = (effect: Effect) => Promise<Happening | undefined>;

/** Performs effects on the session, the model and the tools. */
export function createPerform(desk: Desk): Perform {
  const { session, tell, clock, signal } = desk;
  let request: Prepared | undefined;
  return async (effect) => {
    switch (effect.do) {
      case 'prepare': {
        const { prepared, happening } = await prepareRequest({ desk, say: effect.say });
        request = prepared;
        return happening;
      }
      case 'stream': {
        if (!request) throw new Error('No request has been prepared.');
        const { do: _, attempt, ...start } = effect;
        if (attempt === 1) tell({ type: 'turn_start', ...start, messageCount: messagesIn(request) });
        return await streamAnswer({ desk, prepared: request });
      }
      case 'keep': {
        const { message, reason, requestId } = effect;
        const why = reason === 'length' || reason === 'paused' ? reason : undefined;
        const key = why && { key: unfinishedKey({ why, id: desk.nextKey() }) };
        const { id: entry } = await session.append({ type: 'message', message, by: desk.model().id, ...key });
        tell({ type: 'answer', message, reason, entry, ...(requestId !== undefined && { requestId }) });
        return undefined;
      }
      case 'note': {
        const { message, reason, why } = effect;
        const data: Json = { reason, why, message: message as unknown as Json };
        await session.append({ type: 'custom', customType: 'longhaul:partial', data });
        return undefined;
      }
      case 'signal': {
        // The compaction itself is part of the answer; the note holds its metadata.
        const { value, ...about } = effect.signal;
        const data: Json = { ...about, ...(about.kind === 'edits' && { value }) };
        await session.append({ type: 'custom', customType: 'longhaul:provider-compaction', data });
        tell({ type: 'provider_compaction', ...about });
        return undefined;
      }
      case 'report':
        if ('usage' in effect) {
          const { usage, requestId } = effect;
          const named = requestId === undefined ? {} : { requestId };
          await session.report({ usage, ...named });
          tell({ type: 'usage', usage, messageCount: request ? messagesIn(request) : 0, ...named });
        } else await session.report({ failure: effect.failure });
        return undefined;
      case 'look':
        return { type: 'looked', calls: await lookAt({ message: effect.message, tools: desk.tools }) };
      case 'act':
        await actOn({ desk, calls: effect.calls });
        return { type: 'acted' };
      case 'settle':
        await settle({ desk, calls: effect.calls, why: effect.why });
        return { type: 'acted' };
      case 'wait': {
        const { attempt, ms: delayMs, failure } = effect;
        tell({ type: 'retry', attempt, delayMs, failure });
        await clock.sleep(delayMs, signal).catch(() => undefined);
        return { type: 'waited' };
      }
      case 'overflow':
        tell({ type: 'overflow', failure: effect.failure });
        return undefined;
      case 'compact':
        await desk.relieve();
        return undefined;
      case 'notice':
        tell({ type: 'notice', text: effect.text });
        return undefined;
      case 'stop': {
        const { goOn } = await desk.ask('stop', { text: effect.text, turns: effect.turns }, signal);
        if (goOn === undefined) return { type: 'stopping' };
        return { type: 'stopping', goOn: { message: remark(goOn), key: desk.nextKey(), how: 'continuation' } };
      }
      case 'end': {
        const { do: _, ...end } = effect;
        if (end.failure) await desk.ask('errorOccurred', { failure: end.failure, reason: end.reason });
        tell({ type: 'run_end', ...end });
        await desk.ask('notification', { kind: 'idle', text: end.text });
        return undefined;
      }
      case 'cancel':
        return undefined;
    }
  };
}

function messagesIn({ head, items }: Prepared): number {
  return head.length + items.length;
}

/** Appends the messages and prepares the next request. Messages are durable before their events are emitted. */
async function prepareRequest({
  desk,
  say,
}: {
  readonly desk: Desk;
  readonly say: readonly Saying[];
}): Promise<{ readonly prepared: Prepared; readonly happening: Extract<Happening, { type: 'prepared' }> }> {
  const { session, signal, options } = desk;
  await desk.beforePrepare();
  if (say.length > 0) for (const tool of desk.tools) tool.beginTurn?.();
  for (const { message, key } of say.slice(0, -1)) await session.append({ type: 'message', message, key: `${key}:0` });
  const last = say.at(-1);
  const head = await desk.head();
  const prepared = await session.prepare({
    ...{ model: desk.model(), tools: desk.tools.map(({ definition }) => definition), signal },
    ...(head !== undefined && { head }),
    ...(options && { options }),
    ...(last && { turn: { messages: [last.message], key: last.key } }),
  });
  for (const saying of say) {
    desk.onSaid(saying);
    desk.tell({ type: 'said', how: saying.how, text: wordsOf(saying.message) });
  }
  const { tokens, bound, report } = prepared;
  // Earlier lookups were compacted away, so tools get a fresh budget.
  if (report.compaction?.installed) for (const tool of desk.tools) tool.beginTurn?.();
  const continuation = report.continuation && {
    continuation: { message: report.continuation, key: desk.nextKey(), how: 'continuation' as const },
  };
  const { window } = report.snapshot;
  return { prepared, happening: { type: 'prepared', tokens, bound, window, ...continuation } };
}

/** Runs the calls of a batch concurrently. Results are logged in the order of the calls, each as early as possible. */
async function actOn({ desk, calls }: { readonly desk: Desk; readonly calls: readonly PlannedCall[] }): Promise<void> {
  const ends = calls.map((planned) => runCall({ desk, planned }));
  // Avoids an unhandled rejection while another call is awaited; the error is rethrown at its own await.
  for (const end of ends) end.catch(() => undefined);
  for (const [index, planned] of calls.entries()) {
    const end = await ends[index];
    if (end) await record({ desk, planned, end });
  }
}

/** Records a result for calls that did not run. */
async function settle({
  desk,
  calls,
  why,
}: {
  readonly desk: Desk;
  readonly calls: readonly PlannedCall[];
  readonly why: 'aborted' | 'interrupted';
}): Promise<void> {
  for (const planned of calls) {
    const { call, input } = planned;
    const text = unsettled({ planned, why });
    desk.tell({
      type: 'tool_start',
      callId: call.id,
      tool: call.name,
      input,
      summary: visible(`${call.name} (${why})`),
    });
    await record({ desk, planned, end: { message: madeUp({ call, text }), isError: true, text, ms: 0 } });
  }
}

async function record(of: {
  readonly desk: Desk;
  readonly planned: PlannedCall;
  readonly end: CallEnd;
}): Promise<void> {
  const { desk, planned, end } = of;
  const { message, ...told } = end;
  const { id: entry } = await desk.session.append({ type: 'message', message });
  const { call } = planned;
  desk.tell({ type: 'tool_end', callId: call.id, tool: call.name, ...told, entry });
}
