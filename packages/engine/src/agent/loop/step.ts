import { answered } from './answered.ts';
import { batchesOf, isSafe, type PlannedCall } from './call.ts';
import type { Effect, Happening, Step } from './event.ts';
import { ask, over, rest } from './moves.ts';
import type { LoopState } from './state.ts';

/**
 * The loop: what a happening makes of the state, and what is to be done because of it. It knows no clock, no model and no
 * file; whoever performs the effects tells it what came of them.
 */
export function step(state: LoopState, event: Happening): Step<LoopState> {
  if (state.phase === 'over') return { state, effects: [] };
  switch (event.type) {
    case 'started':
      return started(state, event);
    case 'steered':
      return { state: { ...state, steered: [...state.steered, event.saying] }, effects: [] };
    case 'queued':
      return { state: { ...state, queued: [...state.queued, event.saying] }, effects: [] };
    case 'withdrawn':
      return { state: without(state, event.keys), effects: [] };
    case 'aborted':
      return { state: { ...state, isAborted: true }, effects: state.isAborted ? [] : [{ do: 'cancel' }] };
    case 'short':
      return { state: { ...state, isShort: true }, effects: [] };
    case 'prepared':
      return prepared(state, event);
    case 'answered':
      return answered(state, event);
    case 'looked':
      return act({ ...state, batches: batchesOf(event.calls) });
    case 'acted':
      return act(state);
    case 'waited':
      return repeat(state);
    case 'stopping':
      return stopping(state, event);
    case 'broke':
      return over({
        state,
        ...(state.isAborted ? { reason: 'aborted' } : { reason: 'failed', failure: event.failure }),
        // What runs beside what broke has nobody left who could take its result.
        effects: [{ do: 'cancel' }],
      });
  }
}

function started(state: LoopState, { say, open, isAsked }: Extract<Happening, { type: 'started' }>): Step<LoopState> {
  const opening = { ...state, opening: say };
  if (open.length > 0) return resumed({ state: opening, open, isNew: say.length > 0 });
  if (say.length > 0 || isAsked) return ask({ state, say });
  const nothing: Effect = {
    do: 'notice',
    text: 'Nothing was interrupted, and nothing was said: there is nothing to do.',
  };
  return over({ state, reason: 'done', effects: [nothing] });
}

/**
 * Calls that were interrupted. What only looks may be looked at again; what may have changed something is never repeated
 * by itself. Where somebody has said something since, nothing is.
 */
function resumed(of: {
  readonly state: LoopState;
  readonly open: readonly PlannedCall[];
  readonly isNew: boolean;
}): Step<LoopState> {
  const again = (call: PlannedCall) => !of.isNew && isSafe(call) && !call.isOnce;
  const groups: PlannedCall[][] = [];
  for (const call of of.open) {
    const last = groups.at(-1)?.at(-1);
    if (last && again(last) === again(call)) groups.at(-1)?.push(call);
    else groups.push([call]);
  }
  const state: LoopState = { ...of.state, phase: 'acting', batches: groups };
  return act(state);
}

/** The next batch, or the next request where none is left. */
function act(state: LoopState): Step<LoopState> {
  const [batch, ...batches] = state.batches;
  if (!batch) return ask({ state: { ...state, opening: [] }, say: state.opening });
  if (state.isAborted) {
    const calls = state.batches.flat();
    return over({
      state: { ...state, batches: [] },
      reason: 'aborted',
      effects: [{ do: 'settle', calls, why: 'aborted' }],
    });
  }
  const isSettled = batch.some(
    (call) => call.interrupted && (state.opening.length > 0 || !isSafe(call) || call.isOnce),
  );
  const effect: Effect = isSettled ? { do: 'settle', calls: batch, why: 'interrupted' } : { do: 'act', calls: batch };
  return { state: { ...state, phase: 'acting', batches }, effects: [effect] };
}

function prepared(state: LoopState, event: Extract<Happening, { type: 'prepared' }>): Step<LoopState> {
  const { continuation, tokens, bound, window } = event;
  if (state.isAborted) return over({ state, reason: 'aborted' });
  if (continuation) return { state, effects: [{ do: 'prepare', say: [continuation] }] };
  const stream: Effect = { do: 'stream', turn: state.turns + 1, attempt: state.attempt, tokens, bound, window };
  return { state: { ...state, phase: 'streaming' }, effects: [stream] };
}

/** The same request once more. What was steered meanwhile waits for the next boundary, or it would not be the same. */
function repeat(state: LoopState): Step<LoopState> {
  if (state.isAborted) return over({ state, reason: 'aborted' });
  return { state: { ...state, phase: 'preparing', attempt: state.attempt + 1 }, effects: [{ do: 'prepare', say: [] }] };
}

function stopping(state: LoopState, { goOn }: Extract<Happening, { type: 'stopping' }>): Step<LoopState> {
  if (state.isAborted) return over({ state, reason: 'aborted' });
  // Something may have been said while the hooks were asked.
  if (state.steered.length > 0 || state.queued.length > 0) return rest({ state });
  if (goOn && state.stops < state.limits.maxStops) {
    return ask({ state: { ...state, stops: state.stops + 1 }, say: [goOn] });
  }
  return over({ state, reason: 'done' });
}

function without(state: LoopState, keys: readonly string[]): LoopState {
  const stays = ({ key }: { readonly key: string }) => !keys.includes(key);
  return { ...state, steered: state.steered.filter(stays), queued: state.queued.filter(stays) };
}
