import type { ModelFailure } from '../../models/index.ts';
import type { Effect, Step } from './event.ts';
import { remark, type Saying } from './queued-message.ts';
import type { LoopState } from './state.ts';

type End = Extract<Effect, { do: 'end' }>['reason'];

/** The run is over. */
export function over({
  state,
  reason,
  failure,
  effects = [],
}: {
  readonly state: LoopState;
  readonly reason: End;
  readonly failure?: ModelFailure;
  readonly effects?: readonly Effect[];
}): Step<LoopState> {
  const { turns, usage, costUsd, text } = state;
  const price = costUsd === undefined ? {} : { costUsd };
  const end: Effect = { do: 'end', reason, ...(failure && { failure }), turns, usage, ...price, text };
  return { state: { ...state, phase: 'over' }, effects: [...effects, end] };
}

/** The next request, with all that is to be said before it. What was steered is said here, whatever else is. */
export function ask({
  state,
  say = [],
  effects = [],
}: {
  readonly state: LoopState;
  readonly say?: readonly Saying[];
  readonly effects?: readonly Effect[];
}): Step<LoopState> {
  if (state.isAborted) return over({ state, reason: 'aborted', effects });
  if (state.turns >= state.limits.maxTurns) return over({ state, reason: 'max_turns', effects });
  const saying = [...say, ...state.steered];
  const makeRoom: readonly Effect[] = state.isShort ? [{ do: 'compact' }] : [];
  return {
    state: { ...state, phase: 'preparing', attempt: 1, steered: [], isShort: false },
    effects: [...effects, ...makeRoom, { do: 'prepare', say: saying }],
  };
}

/** The model has nothing more to do: what waits is said, one after the other; else the hooks are asked. */
export function rest({
  state,
  effects = [],
}: {
  readonly state: LoopState;
  readonly effects?: readonly Effect[];
}): Step<LoopState> {
  if (state.isAborted) return over({ state, reason: 'aborted', effects });
  if (state.steered.length > 0) return ask({ state: fresh(state), effects });
  const [next, ...queued] = state.queued;
  if (next) return ask({ state: { ...fresh(state), queued }, say: [next], effects });
  return {
    state: { ...state, phase: 'stopping' },
    effects: [...effects, { do: 'stop', text: state.text, turns: state.turns }],
  };
}

/** Says something by itself to keep an answer going, a few times in a row. */
export function nudge({
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
}): Step<LoopState> {
  if (state.nudges >= state.limits.maxNudges) {
    return rest({ state, effects: [...effects, { do: 'notice', text: giveUp }] });
  }
  // Whatever a person says instead keeps it going as well.
  const saying: Saying = { message: remark(words), key, how: 'continuation' };
  const say = state.steered.length > 0 ? [] : [saying];
  return ask({ state: { ...state, nudges: state.nudges + 1 }, say, effects });
}

/** Somebody spoke: what was tried in vain may be tried again. */
function fresh(state: LoopState): LoopState {
  return { ...state, nudges: 0, stops: 0, overflows: 0 };
}
