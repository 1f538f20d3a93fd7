import type { Message } from '../../message/index.ts';
import { type ModelFailure, retryDelay } from '../../models/index.ts';
import { silentOverflow } from '../../models/internal.ts';
import { goOnWords } from './continuation.ts';
import type { Effect, Happening, Step } from './event.ts';
import { ask, nudge, over, rest } from './moves.ts';
import { wordsOf } from './queued-message.ts';
import type { LoopState } from './state.ts';

type Answered = Extract<Happening, { type: 'answered' }>;

/** What an answer leads to, however it ended. */
export function answered(before: LoopState, event: Answered): Step<LoopState> {
  const { end, usage, signals } = event;
  const noted = signals.map((signal): Effect => ({ do: 'signal', signal }));
  const { requestId } = end;
  const named = requestId === undefined ? {} : { requestId };
  const paid: readonly Effect[] = [...noted, ...(usage ? [{ do: 'report', usage, ...named } as const] : [])];
  const state = spent(before, event);
  if (state.isAborted || end.reason === 'aborted') return stopped({ state, event, paid });
  if (end.reason === 'failed') return failed({ state, event, failure: end.failure, paid });
  if (end.reason === 'length' && silentOverflow({ usage, endReason: 'length', window: event.window })) {
    return failed({ state, event, failure: cutByWindow, paid });
  }
  const good = { ...state, turns: state.turns + 1, overflows: 0 };
  if (end.reason === 'refused') return refused({ state: good, event, failure: end.failure, paid });
  if (!says(end.message)) return silent({ state: good, event, paid });
  const keep: Effect = { do: 'keep', message: end.message, reason: end.reason, ...named };
  const said = { ...good, text: wordsOf(end.message) };
  if (calls(end.message)) return look({ state: { ...said, nudges: 0 }, message: end.message, before: [keep, ...paid] });
  if (end.reason === 'length') return cutOff({ state: said, before: [keep, ...paid] });
  if (end.reason === 'paused') return paused({ state: said, takesItsOwn: event.takesItsOwn, before: [keep, ...paid] });
  return rest({ state: { ...said, nudges: 0 }, effects: [keep, ...paid] });
}

interface Of {
  readonly state: LoopState;
  readonly event: Answered;
  readonly paid: readonly Effect[];
}

/** Nobody waits for it any more. Whole sentences stay as an answer; what was about to be called is only noted. */
function stopped({ state, event, paid }: Of): Step<LoopState> {
  const { message, reason } = event.end;
  const words = message.parts.filter((part) => part.type === 'text' && part.text.trim() !== '');
  const text: Message = { role: 'assistant', parts: words };
  const isWhole = words.length === message.parts.length;
  const effects: Effect[] = [];
  if (!isWhole && message.parts.length > 0)
    effects.push({ do: 'note', message, reason, why: 'The answer was broken off.' });
  if (words.length > 0) effects.push({ do: 'keep', message: text, reason: 'aborted' });
  const said = words.length > 0 ? { ...state, text: wordsOf(text) } : state;
  return over({ state: said, reason: 'aborted', effects: [...effects, ...paid] });
}

/** A failed answer is dropped from what is sent; the log notes it. Then once more, or the end. */
function failed({ state, event, failure, paid }: Of & { readonly failure: ModelFailure }): Step<LoopState> {
  const { message, reason } = event.end;
  const half: readonly Effect[] =
    message.parts.length > 0 ? [{ do: 'note', message, reason, why: failure.message }] : [];
  const effects: readonly Effect[] = [...half, ...paid, { do: 'report', failure }];
  if (failure.kind === 'overflow') {
    // Once: a second refusal in a row means that less does not help (sessions.md 12.1, overflow cascades).
    if (state.overflows > 0) return over({ state, reason: 'failed', failure, effects });
    const next = ask({ state: { ...state, overflows: state.overflows + 1 } });
    return { ...next, effects: [...effects, { do: 'overflow', failure }, ...next.effects] };
  }
  const { attempt, limits } = state;
  const ms = retryDelay({ attempt, failure, random: () => event.jitter, policy: limits.retry });
  if (ms === undefined)
    return over({ state, reason: failure.kind === 'refused' ? 'refused' : 'failed', failure, effects });
  const wait: Effect = { do: 'wait', ms, attempt, failure };
  return { state: { ...state, phase: 'waiting' }, effects: [...effects, wait] };
}

/** The model, or a filter before it, declined. Asking the same again is of no use. */
function refused({
  state,
  event,
  failure,
  paid,
}: Of & { readonly failure?: ModelFailure | undefined }): Step<LoopState> {
  const { message } = event.end;
  const said = !calls(message) && wordsOf(message) !== '';
  const why = failure?.message ?? 'The model declined to answer.';
  const kept: readonly Effect[] = said
    ? [{ do: 'keep', message, reason: 'refused' }]
    : [{ do: 'note', message, reason: 'refused', why }];
  const text = said ? wordsOf(message) : state.text;
  return over({
    state: { ...state, text },
    reason: 'refused',
    ...(failure && { failure }),
    effects: [...kept, ...paid],
  });
}

/** An answer without words and calls cannot be sent back to most providers. It is said so, which changes the request. */
function silent({ state, event, paid }: Of): Step<LoopState> {
  const { message, reason } = event.end;
  const note: readonly Effect[] =
    message.parts.length > 0 ? [{ do: 'note', message, reason, why: 'The answer held no words and no calls.' }] : [];
  return nudge({
    state: { ...state, nudges: Math.max(state.nudges, state.limits.maxNudges - 1) },
    words:
      'Your last answer was empty. Go on with the next step, or, if everything is done, say in a sentence what was done.',
    key: `${state.id}-empty-${state.turns}`,
    giveUp: 'The model answered without words twice; the run ends here.',
    effects: [...note, ...paid],
  });
}

function cutOff({ state, before }: { readonly state: LoopState; readonly before: readonly Effect[] }): Step<LoopState> {
  return nudge({
    state,
    words: goOnWords.length,
    key: `${state.id}-length-${state.turns}`,
    giveUp: 'The answer was cut off by the limit on its length again and again; the run ends here.',
    effects: before,
  });
}

/** The provider wants the same conversation again, with what came so far at its end; where it takes that. */
function paused(of: {
  readonly state: LoopState;
  readonly takesItsOwn: boolean;
  readonly before: readonly Effect[];
}): Step<LoopState> {
  const { state, before: effects } = of;
  const giveUp = 'The provider paused the answer again and again; the run ends here.';
  const words = goOnWords.paused;
  if (!of.takesItsOwn) return nudge({ state, words, key: `${state.id}-paused-${state.turns}`, giveUp, effects });
  if (state.nudges < mostPauses) return ask({ state: { ...state, nudges: state.nudges + 1 }, effects });
  return rest({ state, effects: [...effects, { do: 'notice', text: giveUp }] });
}

/** A turn with many searches on the provider's side is paused many times. */
const mostPauses = 12;

function look({
  state,
  message,
  before,
}: {
  readonly state: LoopState;
  readonly message: Message;
  readonly before: readonly Effect[];
}): Step<LoopState> {
  return { state: { ...state, phase: 'acting' }, effects: [...before, { do: 'look', message }] };
}

function spent(state: LoopState, { usage, costUsd }: Answered): LoopState {
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

function calls({ parts }: Message): boolean {
  return parts.some(({ type }) => type === 'tool_call');
}

/** Whether anything can be sent back of it: words, a call, or something of the provider's own. */
function says({ parts }: Message): boolean {
  return parts.some(
    (part) => part.type === 'tool_call' || part.type === 'opaque' || (part.type === 'text' && part.text.trim() !== ''),
  );
}

/** MiMo cuts the prompt to its window and has no room left to answer (see `silentOverflow`). */
const cutByWindow: ModelFailure = {
  kind: 'overflow',
  message: 'The prompt filled the window, so that there was no room for an answer.',
  retryable: false,
};
