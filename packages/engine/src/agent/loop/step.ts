import type { Message } from '../../message/index.ts';
import { type ModelFailure, retryDelay } from '../../models/index.ts';
import { silentOverflow } from '../../models/internal.ts';
import { batchesOf, isSafe, type PlannedCall } from './call.ts';
import { continuationPrompts } from './continuation.ts';
import type { Effect, LoopEvent, LoopStep } from './event.ts';
import { engineMessage, type QueuedMessage, textContent } from './queued-message.ts';
import type { LoopState } from './state.ts';

/**
 * The loop as a pure function: an event and the state lead to a new state and effects. It knows no clock, model or
 * file; the results of effects come back as events.
 */
export function step(state: LoopState, event: LoopEvent): LoopStep<LoopState> {
  if (state.phase === 'over') return { state, effects: [] };
  switch (event.type) {
    case 'started':
      return onStarted(state, event);
    case 'steered':
      return { state: { ...state, steered: [...state.steered, event.queued] }, effects: [] };
    case 'queued':
      return { state: { ...state, queued: [...state.queued, event.queued] }, effects: [] };
    case 'withdrawn':
      return { state: withoutKeys(state, event.keys), effects: [] };
    case 'aborted':
      return { state: { ...state, isAborted: true }, effects: state.isAborted ? [] : [{ do: 'cancel' }] };
    case 'memory_pressure':
      return { state: { ...state, hasMemoryPressure: true }, effects: [] };
    case 'prepared':
      return onPrepared(state, event);
    case 'answered':
      return onAnswered(state, event);
    case 'calls_planned':
      return nextBatch({ ...state, batches: batchesOf(event.calls) });
    case 'calls_done':
      return nextBatch(state);
    case 'waited':
      return retryRequest(state);
    case 'thinking_dropped':
      return event.isChanged
        ? nextRequest({ state })
        : endRun({ state, reason: state.isAborted ? 'aborted' : 'failed', failure: event.failure });
    case 'stopping':
      return onStopping(state, event);
    case 'failed':
      return endRun({
        state,
        ...(state.isAborted ? { reason: 'aborted' } : { reason: 'failed', failure: event.failure }),
        // Cancel work that runs in parallel: its results cannot be used anymore.
        effects: [{ do: 'cancel' }],
      });
  }
}

function onStarted(
  state: LoopState,
  { messages, open, needsAnswer }: Extract<LoopEvent, { type: 'started' }>,
): LoopStep<LoopState> {
  const opening = { ...state, opening: messages };
  if (open.length > 0) return resumeCalls({ state: opening, open, isNew: messages.length > 0 });
  if (messages.length > 0 || needsAnswer) return nextRequest({ state, messages });
  const nothing: Effect = {
    do: 'notice',
    text: 'Nothing to do: no prompt was given, and no work was interrupted.',
  };
  return endRun({ state, reason: 'done', effects: [nothing] });
}

/**
 * Interrupted calls. Calls without side effects may run again; others are never repeated automatically. With a new
 * message of the user none is repeated.
 */
function resumeCalls(of: {
  readonly state: LoopState;
  readonly open: readonly PlannedCall[];
  readonly isNew: boolean;
}): LoopStep<LoopState> {
  const again = (call: PlannedCall) => !of.isNew && isSafe(call) && !call.isOnce;
  const groups: PlannedCall[][] = [];
  for (const call of of.open) {
    const last = groups.at(-1)?.at(-1);
    if (last && again(last) === again(call)) groups.at(-1)?.push(call);
    else groups.push([call]);
  }
  const state: LoopState = { ...of.state, phase: 'running_calls', batches: groups };
  return nextBatch(state);
}

/** The next batch, or the next request if none is left. */
function nextBatch(state: LoopState): LoopStep<LoopState> {
  const [batch, ...batches] = state.batches;
  if (!batch) return nextRequest({ state: { ...state, opening: [] }, messages: state.opening });
  if (state.isAborted) {
    const calls = state.batches.flat();
    return endRun({
      state: { ...state, batches: [] },
      reason: 'aborted',
      effects: [{ do: 'close_calls', calls, why: 'aborted' }],
    });
  }
  const isSettled = batch.some(
    (call) => call.interrupted && (state.opening.length > 0 || !isSafe(call) || call.isOnce),
  );
  const effect: Effect = isSettled
    ? { do: 'close_calls', calls: batch, why: 'interrupted' }
    : { do: 'run_calls', calls: batch };
  return { state: { ...state, phase: 'running_calls', batches }, effects: [effect] };
}

function onPrepared(state: LoopState, event: Extract<LoopEvent, { type: 'prepared' }>): LoopStep<LoopState> {
  const { continuation, tokens, bound, window, projectedUsd = 0 } = event;
  if (state.isAborted) return endRun({ state, reason: 'aborted' });
  if (continuation) return { state, effects: [{ do: 'prepare', messages: [continuation] }] };
  const { maxCostUsd } = state.limits;
  if (projectedUsd > maxCostUsd) {
    const text = `Stopped before the next request, which would bring the cost of this run to about ${dollars(projectedUsd)}; the limit is ${dollars(maxCostUsd)}.`;
    return endRun({ state, reason: 'max_cost', effects: [{ do: 'notice', text }] });
  }
  const stream: Effect = { do: 'stream', turn: state.turns + 1, attempt: state.attempt, tokens, bound, window };
  return { state: { ...state, phase: 'streaming' }, effects: [stream] };
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}

/** Retries the same request. Messages steered meanwhile wait for the next boundary, so the request stays identical. */
function retryRequest(state: LoopState): LoopStep<LoopState> {
  if (state.isAborted) return endRun({ state, reason: 'aborted' });
  return {
    state: { ...state, phase: 'preparing', attempt: state.attempt + 1 },
    effects: [{ do: 'prepare', messages: [] }],
  };
}

function onStopping(state: LoopState, { continueWith }: Extract<LoopEvent, { type: 'stopping' }>): LoopStep<LoopState> {
  if (state.isAborted) return endRun({ state, reason: 'aborted' });
  // Messages may have arrived while the hooks ran.
  if (state.steered.length > 0 || state.queued.length > 0) return onIdle({ state });
  if (continueWith && state.stops < state.limits.maxStops) {
    return nextRequest({ state: { ...state, stops: state.stops + 1 }, messages: [continueWith] });
  }
  return endRun({ state, reason: 'done' });
}

function withoutKeys(state: LoopState, keys: readonly string[]): LoopState {
  const stays = ({ key }: { readonly key: string }) => !keys.includes(key);
  return { ...state, steered: state.steered.filter(stays), queued: state.queued.filter(stays) };
}

type AnswerEvent = Extract<LoopEvent, { type: 'answered' }>;

/** Handles an answer, however it ended. */
function onAnswered(before: LoopState, event: AnswerEvent): LoopStep<LoopState> {
  const { end, usage, costUsd, signals } = event;
  const noted = signals.map((signal): Effect => ({ do: 'signal', signal }));
  const { requestId } = end;
  const named = requestId === undefined ? {} : { requestId };
  const paid: readonly Effect[] = [...noted, ...(usage ? [{ do: 'report', usage, costUsd, ...named } as const] : [])];
  const state = withUsage(before, event);
  if (state.isAborted || end.reason === 'aborted') return onAborted({ state, event, paid });
  if (end.reason === 'failed') return onFailed({ state, event, failure: end.failure, paid });
  if (end.reason === 'length' && silentOverflow({ usage, endReason: 'length', window: event.window })) {
    return onFailed({ state, event, failure: windowFilled, paid });
  }
  const good = { ...state, turns: state.turns + 1, overflows: 0, hasDroppedThinking: false };
  if (end.reason === 'refused') return onRefused({ state: good, event, failure: end.failure, paid });
  if (!hasContent(end.message)) return onEmpty({ state: good, event, paid });
  const keep: Effect = { do: 'append_answer', message: end.message, reason: end.reason, ...named };
  const said = { ...good, text: textContent(end.message) };
  if (hasToolCall(end.message))
    return planCalls({ state: { ...said, nudges: 0 }, message: end.message, before: [keep, ...paid] });
  if (end.reason === 'length') return onLengthLimit({ state: said, before: [keep, ...paid] });
  if (end.reason === 'paused')
    return onPaused({ state: said, takesItsOwn: event.takesItsOwn, before: [keep, ...paid] });
  return onIdle({ state: { ...said, nudges: 0 }, effects: [keep, ...paid] });
}

interface AnswerContext {
  readonly state: LoopState;
  readonly event: AnswerEvent;
  readonly paid: readonly Effect[];
}

/**
 * The run was aborted. The text so far stays as an answer, marked as unfinished unless the model had ended it; calls
 * that were not made are only noted.
 */
function onAborted({ state, event, paid }: AnswerContext): LoopStep<LoopState> {
  const { message, reason } = event.end;
  const words = message.parts.filter((part) => part.type === 'text' && part.text.trim() !== '');
  const text: Message = { role: 'assistant', parts: words };
  const isWhole = words.length === message.parts.length;
  const effects: Effect[] = [];
  if (!isWhole && message.parts.length > 0)
    effects.push({ do: 'append_partial', message, reason, why: 'The answer was aborted.' });
  const isEnded = reason !== 'failed' && !hasToolCall(message);
  if (words.length > 0) effects.push({ do: 'append_answer', message: text, reason: isEnded ? reason : 'aborted' });
  const said = words.length > 0 ? { ...state, text: textContent(text) } : state;
  return endRun({ state: said, reason: 'aborted', effects: [...effects, ...paid] });
}

/** A failed answer is noted in the log but not sent again. Then retry, or end the run. */
function onFailed({
  state,
  event,
  failure,
  paid,
}: AnswerContext & { readonly failure: ModelFailure }): LoopStep<LoopState> {
  const { message, reason } = event.end;
  const half: readonly Effect[] =
    message.parts.length > 0 ? [{ do: 'append_partial', message, reason, why: failure.message }] : [];
  const effects: readonly Effect[] = [...half, ...paid, { do: 'report', failure }];
  if (failure.kind === 'overflow') {
    // Only once: after a second overflow in a row, a smaller request does not help (sessions.md 12.1, overflow
    // cascades).
    if (state.overflows > 0) return endRun({ state, reason: 'failed', failure, effects });
    const next = nextRequest({ state: { ...state, overflows: state.overflows + 1 } });
    return { ...next, effects: [...effects, { do: 'overflow', failure }, ...next.effects] };
  }
  // Once per answer: a request without earlier reasoning cannot be rejected for it again.
  if (failure.kind === 'invalid' && failure.rejectsThinking && !state.hasDroppedThinking) {
    return {
      state: { ...state, phase: 'preparing', hasDroppedThinking: true },
      effects: [...effects, { do: 'drop_thinking', failure }],
    };
  }
  const { attempt, limits } = state;
  // `step` is pure and the delay is an effect, so `retryAttempts` cannot drive it. The decision is the same function.
  const ms = retryDelay({ attempt, failure, random: () => event.jitter, policy: limits.retry });
  if (ms === undefined)
    return endRun({ state, reason: failure.kind === 'refused' ? 'refused' : 'failed', failure, effects });
  const wait: Effect = { do: 'wait', ms, attempt, failure };
  return { state: { ...state, phase: 'waiting' }, effects: [...effects, wait] };
}

/** The model or a filter refused; a retry would not help. */
function onRefused({
  state,
  event,
  failure,
  paid,
}: AnswerContext & { readonly failure?: ModelFailure | undefined }): LoopStep<LoopState> {
  const { message } = event.end;
  const said = !hasToolCall(message) && textContent(message) !== '';
  const why = failure?.message ?? 'The model declined to answer.';
  const kept: readonly Effect[] = said
    ? [{ do: 'append_answer', message, reason: 'refused' }]
    : [{ do: 'append_partial', message, reason: 'refused', why }];
  const text = said ? textContent(message) : state.text;
  return endRun({
    state: { ...state, text },
    reason: 'refused',
    ...(failure && { failure }),
    effects: [...kept, ...paid],
  });
}

/**
 * Most providers reject an answer without text and calls, so the engine adds a message, which also changes the request.
 */
function onEmpty({ state, event, paid }: AnswerContext): LoopStep<LoopState> {
  const { message, reason } = event.end;
  const note: readonly Effect[] =
    message.parts.length > 0
      ? [{ do: 'append_partial', message, reason, why: 'The answer had no text and no tool calls.' }]
      : [];
  return nudge({
    state: { ...state, nudges: Math.max(state.nudges, state.limits.maxNudges - 1) },
    words:
      'Your last answer was empty. Continue with the next step, or, if everything is done, say in one sentence what was done.',
    key: `${state.id}-empty-${state.turns}`,
    giveUp: 'The model gave two empty answers; the run ends.',
    effects: [...note, ...paid],
  });
}

function onLengthLimit({
  state,
  before,
}: {
  readonly state: LoopState;
  readonly before: readonly Effect[];
}): LoopStep<LoopState> {
  return nudge({
    state,
    words: continuationPrompts.length,
    key: `${state.id}-length-${state.turns}`,
    giveUp: 'The answer hit the output limit repeatedly; the run ends.',
    effects: before,
  });
}

/** The provider expects the same conversation again, ending with the paused answer; others get a prompt to continue. */
function onPaused(of: {
  readonly state: LoopState;
  readonly takesItsOwn: boolean;
  readonly before: readonly Effect[];
}): LoopStep<LoopState> {
  const { state, before: effects } = of;
  const giveUp = 'The provider paused the answer repeatedly; the run ends.';
  const words = continuationPrompts.paused;
  if (!of.takesItsOwn) return nudge({ state, words, key: `${state.id}-paused-${state.turns}`, giveUp, effects });
  if (state.nudges < maxPauses) return nextRequest({ state: { ...state, nudges: state.nudges + 1 }, effects });
  return onIdle({ state, effects: [...effects, { do: 'notice', text: giveUp }] });
}

/** A turn with many server-side searches is paused many times. */
const maxPauses = 12;

function planCalls({
  state,
  message,
  before,
}: {
  readonly state: LoopState;
  readonly message: Message;
  readonly before: readonly Effect[];
}): LoopStep<LoopState> {
  return { state: { ...state, phase: 'running_calls' }, effects: [...before, { do: 'plan_calls', message }] };
}

function withUsage(state: LoopState, { usage, costUsd }: AnswerEvent): LoopState {
  if (!usage) return state;
  const sum = (name: 'input' | 'output' | 'cacheRead' | 'cacheWrite') => state.usage[name] + usage[name];
  const total = {
    input: sum('input'),
    output: sum('output'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
  };
  return { ...state, usage: total, ...(costUsd !== undefined && { costUsd: (state.costUsd ?? 0) + costUsd }) };
}

function hasToolCall({ parts }: Message): boolean {
  return parts.some(({ type }) => type === 'tool_call');
}

/** Whether the answer can be sent back: text, a call, or a provider-specific part. */
function hasContent({ parts }: Message): boolean {
  return parts.some(
    (part) => part.type === 'tool_call' || part.type === 'opaque' || (part.type === 'text' && part.text.trim() !== ''),
  );
}

/** MiMo truncates the prompt to its window and leaves no room for an answer (see `silentOverflow`). */
const windowFilled: ModelFailure = {
  kind: 'overflow',
  message: 'The prompt filled the context window and left no room for an answer.',
  retryable: false,
};

type RunEndReason = Extract<Effect, { do: 'end' }>['reason'];

/** Ends the run. */
function endRun({
  state,
  reason,
  failure,
  effects = [],
}: {
  readonly state: LoopState;
  readonly reason: RunEndReason;
  readonly failure?: ModelFailure;
  readonly effects?: readonly Effect[];
}): LoopStep<LoopState> {
  const { turns, usage, costUsd, text } = state;
  const price = costUsd === undefined ? {} : { costUsd };
  const end: Effect = { do: 'end', reason, ...(failure && { failure }), turns, usage, ...price, text };
  return { state: { ...state, phase: 'over' }, effects: [...effects, end] };
}

/** The next request, with the messages that precede it. Steered messages are always sent here. */
function nextRequest({
  state,
  messages = [],
  effects = [],
}: {
  readonly state: LoopState;
  readonly messages?: readonly QueuedMessage[];
  readonly effects?: readonly Effect[];
}): LoopStep<LoopState> {
  if (state.isAborted) return endRun({ state, reason: 'aborted', effects });
  if (state.turns >= state.limits.maxTurns) return endRun({ state, reason: 'max_turns', effects });
  const queued = [...messages, ...state.steered];
  const makeRoom: readonly Effect[] = state.hasMemoryPressure ? [{ do: 'compact' }] : [];
  return {
    state: { ...state, phase: 'preparing', attempt: 1, steered: [], hasMemoryPressure: false },
    effects: [...effects, ...makeRoom, { do: 'prepare', messages: queued }],
  };
}

/** The model has finished: queued messages are sent one at a time; without any, the `stop` hooks run. */
function onIdle({
  state,
  effects = [],
}: {
  readonly state: LoopState;
  readonly effects?: readonly Effect[];
}): LoopStep<LoopState> {
  if (state.isAborted) return endRun({ state, reason: 'aborted', effects });
  if (state.steered.length > 0) return nextRequest({ state: resetCounters(state), effects });
  const [next, ...queued] = state.queued;
  if (next) return nextRequest({ state: { ...resetCounters(state), queued }, messages: [next], effects });
  return {
    state: { ...state, phase: 'stopping' },
    effects: [...effects, { do: 'stop', text: state.text, turns: state.turns }],
  };
}

/** Sends an engine message to continue an answer, a limited number of times in a row. */
function nudge({
  state,
  words,
  key,
  giveUp,
  effects = [],
}: {
  readonly state: LoopState;
  readonly words: string;
  readonly key: string;
  readonly giveUp: string;
  readonly effects?: readonly Effect[];
}): LoopStep<LoopState> {
  if (state.nudges >= state.limits.maxNudges) {
    return onIdle({ state, effects: [...effects, { do: 'notice', text: giveUp }] });
  }
  // A message of the user continues the answer as well.
  const queued: QueuedMessage = { message: engineMessage(words), key, how: 'continuation' };
  const messages = state.steered.length > 0 ? [] : [queued];
  return nextRequest({ state: { ...state, nudges: state.nudges + 1 }, messages, effects });
}

/** A message of the user resets the counters of failed attempts. */
function resetCounters(state: LoopState): LoopState {
  return { ...state, nudges: 0, stops: 0, overflows: 0 };
}
