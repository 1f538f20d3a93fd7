import type { Prepared } from '../../engine/index.ts';
import type { Usage } from '../../models/index.ts';
import { visible } from '../plain-text.ts';
import type { PlannedCall } from './call.ts';
import { isUnfinished, unfinishedKey } from './continuation.ts';
import type { EffectContext } from './effect-context.ts';
import type { Effect, LoopEvent } from './event.ts';
import { planCalls, sentDefinitions } from './plan-calls.ts';
import { engineMessage, type QueuedMessage, textContent } from './queued-message.ts';
import { engineResult, unrunText } from './results.ts';
import { type CallResult, runCall } from './run-call.ts';
import { requestCost, withSideCosts } from './side-costs.ts';
import { streamAnswer } from './stream.ts';

/** Performs an effect; returns the event that follows, if any. */
export type PerformEffect = (effect: Effect) => Promise<LoopEvent | undefined>;

/** Performs effects on the session, the model and the tools. */
export function createPerform(context: EffectContext): PerformEffect {
  const { session, emit, clock, signal } = context;
  let request: Prepared | undefined;
  let last: Usage | undefined;
  let spent = 0;
  return async (effect) => {
    switch (effect.do) {
      case 'prepare': {
        const { prepared, event } = await prepareRequest({ context, messages: effect.messages });
        request = prepared;
        const next = requestCost({ prepared, model: context.model(), last });
        if (next === undefined) return event;
        return { ...event, projectedUsd: spent + (context.sideCosts().costUsd ?? 0) + next };
      }
      case 'stream': {
        if (!request) throw new Error('No request has been prepared.');
        const { do: _, attempt, ...start } = effect;
        if (attempt === 1) emit({ type: 'turn_start', ...start, messageCount: messageCount(request) });
        return await streamAnswer({ context, prepared: request });
      }
      case 'append_answer': {
        const { message, reason, requestId } = effect;
        const why = isUnfinished(reason) ? reason : undefined;
        const key = why && { key: unfinishedKey({ why, id: context.nextKey() }) };
        const { id: entry } = await session.append({ type: 'message', message, by: context.model().id, ...key });
        emit({ type: 'answer', message, reason, entry, ...(requestId !== undefined && { requestId }) });
        return undefined;
      }
      case 'append_partial': {
        const { message, reason, why } = effect;
        await session.append({ type: 'partial_answer', reason, why, message });
        return undefined;
      }
      case 'signal': {
        // The compaction itself is part of the answer; the note holds its metadata.
        const { value, ...about } = effect.signal;
        await session.append({ type: 'provider_compaction', ...about, ...(about.kind === 'edits' && { value }) });
        emit({ type: 'provider_compaction', ...about });
        return undefined;
      }
      case 'report':
        if ('usage' in effect) {
          const { usage, costUsd, requestId } = effect;
          last = usage;
          spent += costUsd ?? 0;
          const named = {
            ...(costUsd !== undefined && { costUsd }),
            ...(requestId !== undefined && { requestId }),
          };
          await session.report({ usage, ...(requestId !== undefined && { requestId }) });
          emit({ type: 'usage', usage, messageCount: request ? messageCount(request) : 0, ...named });
        } else await session.report({ failure: effect.failure });
        return undefined;
      case 'plan_calls':
        return { type: 'calls_planned', calls: await planCalls({ message: effect.message, tools: context.tools }) };
      case 'run_calls':
        await runCalls({ context, calls: effect.calls });
        return { type: 'calls_done' };
      case 'close_calls':
        await recordUnrun({ context, calls: effect.calls, why: effect.why });
        return { type: 'calls_done' };
      case 'wait': {
        const { attempt, ms: delayMs, failure } = effect;
        emit({ type: 'retry', attempt, delayMs, failure });
        await clock.sleep(delayMs, signal).catch(() => undefined);
        return { type: 'waited' };
      }
      case 'overflow':
        emit({ type: 'overflow', failure: effect.failure });
        return undefined;
      case 'drop_thinking': {
        const { failure } = effect;
        const isChanged = await session.dropThinking({ model: context.model() });
        if (isChanged) emit({ type: 'notice', text: thinkingDropped });
        return { type: 'thinking_dropped', isChanged, failure };
      }
      case 'compact':
        await context.compactForMemory();
        return undefined;
      case 'notice':
        emit({ type: 'notice', text: effect.text });
        return undefined;
      case 'stop': {
        const { continueWith } = await context.runHooks('stop', { text: effect.text, turns: effect.turns }, signal);
        if (continueWith === undefined) return { type: 'stopping' };
        return {
          type: 'stopping',
          continueWith: { message: engineMessage(continueWith), key: context.nextKey(), how: 'continuation' },
        };
      }
      case 'end': {
        const { do: _, ...end } = effect;
        if (end.failure) await context.runHooks('errorOccurred', { failure: end.failure, reason: end.reason });
        emit({ type: 'run_end', ...withSideCosts(end, context.sideCosts()) });
        await context.runHooks('notification', { kind: 'idle', text: end.text });
        return undefined;
      }
      case 'cancel':
        return undefined;
    }
  };
}

const thinkingDropped =
  'The provider rejected the reasoning of earlier answers (it is signed for another account, gateway or model); sending the request again without it.';

function messageCount({ head, items }: Prepared): number {
  return head.length + items.length;
}

/** Appends the messages and prepares the next request. Messages are durable before their events are emitted. */
async function prepareRequest({
  context,
  messages,
}: {
  readonly context: EffectContext;
  readonly messages: readonly QueuedMessage[];
}): Promise<{ readonly prepared: Prepared; readonly event: Extract<LoopEvent, { type: 'prepared' }> }> {
  const { session, signal, options } = context;
  await context.beforePrepare();
  if (messages.length > 0) for (const tool of context.tools) tool.beginTurn?.();
  for (const { message, key } of messages.slice(0, -1))
    await session.append({ type: 'message', message, key: `${key}:0` });
  const last = messages.at(-1);
  const head = await context.head();
  const prepared = await session.prepare({
    model: context.model(),
    tools: sentDefinitions(context.tools),
    signal,
    ...(head !== undefined && { head }),
    ...(options && { options }),
    ...(last && { turn: { messages: [last.message], key: last.key } }),
  });
  for (const queued of messages) {
    context.onSent(queued);
    context.emit({ type: 'said', how: queued.how, text: textContent(queued.message) });
  }
  const { tokens, bound, report } = prepared;
  // Earlier lookups were compacted away, so tools get a fresh budget.
  if (report.compaction?.installed) for (const tool of context.tools) tool.beginTurn?.();
  const continuation = report.continuation && {
    continuation: { message: report.continuation, key: context.nextKey(), how: 'continuation' as const },
  };
  const { window } = report.snapshot;
  return { prepared, event: { type: 'prepared', tokens, bound, window, ...continuation } };
}

/** Runs the calls of a batch concurrently. Results are logged in the order of the calls, each as early as possible. */
async function runCalls({
  context,
  calls,
}: {
  readonly context: EffectContext;
  readonly calls: readonly PlannedCall[];
}): Promise<void> {
  const ends = calls.map((planned) => runCall({ context, planned }));
  // Avoids an unhandled rejection while another call is awaited; the error is rethrown at its own await.
  for (const end of ends) end.catch(() => undefined);
  for (const [index, planned] of calls.entries()) {
    const end = await ends[index];
    if (end) await recordResult({ context, planned, end });
  }
}

/** Records a result for calls that did not run. */
async function recordUnrun({
  context,
  calls,
  why,
}: {
  readonly context: EffectContext;
  readonly calls: readonly PlannedCall[];
  readonly why: 'aborted' | 'interrupted';
}): Promise<void> {
  for (const planned of calls) {
    const { call, input } = planned;
    const text = unrunText({ planned, why });
    context.emit({
      type: 'tool_start',
      callId: call.id,
      tool: call.name,
      input,
      summary: visible(`${call.name} (${why})`),
    });
    await recordResult({
      context,
      planned,
      end: { message: engineResult({ call, text }), isError: true, text, ms: 0 },
    });
  }
}

async function recordResult(of: {
  readonly context: EffectContext;
  readonly planned: PlannedCall;
  readonly end: CallResult;
}): Promise<void> {
  const { context, planned, end } = of;
  const { message, ...data } = end;
  const { id: entry } = await context.session.append({ type: 'message', message });
  const { call } = planned;
  context.emit({ type: 'tool_end', callId: call.id, tool: call.name, ...data, entry });
}
