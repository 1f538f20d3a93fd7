import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelEnd } from '../../models/index.ts';
import { runs } from '../../testing/runs.ts';
import { batchesOf, type PlannedCall } from './call.ts';
import type { Effect, LoopEvent } from './event.ts';
import { engineMessage } from './queued-message.ts';
import { defaultLimits, initialState, type LoopState } from './state.ts';
import { step } from './step.ts';

const kinds = ['none', 'read', 'write', 'execute'] as const;
const planned = ({ index, kind }: { readonly index: number; readonly kind: (typeof kinds)[number] }): PlannedCall => ({
  call: { type: 'tool_call', origin: 'model', id: `c${index}`, name: kind, arguments: '{}' },
  index,
  input: {},
  access:
    kind === 'none'
      ? { kind }
      : kind === 'execute'
        ? { kind, command: 'ls', cwd: '/' }
        : { kind, paths: ['/a'], isOutside: false },
});
const calls = fc
  .array(fc.constantFrom(...kinds), { maxLength: 8 })
  .map((all) => all.map((kind, index) => planned({ index, kind })));

test('batches keep the order of the calls, and nothing runs in parallel to side effects', () => {
  fc.assert(
    fc.property(calls, (all) => {
      const batches = batchesOf(all);
      expect(batches.flat()).toEqual(all);
      for (const batch of batches) {
        const changes = batch.filter(({ access }) => access.kind === 'write' || access.kind === 'execute');
        expect(batch.length === 1 || changes.length === 0).toBe(true);
      }
    }),
    runs(200),
  );
});

describe('the reducer', () => {
  const message = {
    role: 'assistant' as const,
    parts: [{ type: 'text' as const, origin: 'model' as const, text: 'words' }],
  };
  const called = { ...message, parts: [...message.parts, planned({ index: 0, kind: 'write' }).call] };
  const ends: ModelEnd[] = [
    ...(['stop', 'length', 'paused', 'tool_calls', 'refused', 'aborted'] as const).flatMap((reason): ModelEnd[] => [
      { type: 'end', reason, message },
      { type: 'end', reason, message: { ...message, parts: [] } },
      { type: 'end', reason, message: called },
    ]),
    ...(['overflow', 'rate', 'network', 'quota', 'refused'] as const).map(
      (kind): ModelEnd => ({
        type: 'end',
        reason: 'failed',
        message,
        failure: { kind, message: kind, retryable: kind === 'rate' || kind === 'network' },
      }),
    ),
  ];
  let number = 0;
  const queued = (name: string) => {
    number += 1;
    return { message: engineMessage(name), key: `${name}-${number}`, how: 'steered' as const };
  };

  /** Possible events after an effect that is awaited. */
  const outcome = (effect: Effect, choice: number): LoopEvent | undefined => {
    const cases: Partial<Record<Effect['do'], LoopEvent>> = {
      prepare: {
        type: 'prepared',
        tokens: 1,
        bound: 2,
        window: 100,
        ...(choice % 5 === 0 && { continuation: queued('go') }),
      },
      plan_calls: { type: 'calls_planned', calls: [planned({ index: 0, kind: kinds[choice % 4] ?? 'none' })] },
      run_calls: { type: 'calls_done' },
      wait: { type: 'waited' },
      stop: { type: 'stopping', ...(choice % 2 === 0 && { continueWith: queued('stop') }) },
    };
    if (effect.do === 'stream') {
      const end = ends[choice % ends.length] ?? ends[0];
      return (
        end && {
          type: 'answered',
          end,
          usage: undefined,
          costUsd: undefined,
          window: 100,
          takesItsOwn: choice % 2 === 0,
          signals: [],
          jitter: 0,
        }
      );
    }
    return choice % 29 === 28
      ? { type: 'failed', failure: { kind: 'unknown', message: 'broken', retryable: false } }
      : cases[effect.do];
  };

  test('ends exactly once, whatever happens, and has one effect in progress at a time', () => {
    const choices = fc.array(
      fc.record({
        choice: fc.nat(1_000),
        aside: fc.constantFrom('none', 'none', 'none', 'steered', 'queued', 'aborted', 'memory_pressure'),
      }),
      { minLength: 5, maxLength: 60 },
    );
    fc.assert(
      fc.property(choices, (all) => {
        let state: LoopState = initialState({ id: 'r', limits: { ...defaultLimits, maxTurns: 40 } });
        const messages = [queued('prompt')];
        const effects: Effect[] = [];
        const waited = new Set<Effect['do']>(['prepare', 'stream', 'plan_calls', 'run_calls', 'wait', 'stop', 'end']);
        const dispatch = (event: LoopEvent) => {
          const next = step(state, event);
          state = next.state;
          effects.push(...next.effects);
          // Two effects in progress would each continue the run.
          expect(next.effects.filter((effect) => waited.has(effect.do)).length).toBeLessThanOrEqual(1);
        };
        dispatch({ type: 'started', messages, open: [], needsAnswer: false });
        for (const { choice, aside } of all) {
          if (aside === 'aborted' || aside === 'memory_pressure') dispatch({ type: aside });
          else if (aside !== 'none') dispatch({ type: aside, queued: queued(aside) });
          const under = effects.findLast((effect) => waited.has(effect.do));
          const event = under && under.do !== 'end' ? outcome(under, choice) : undefined;
          if (event) dispatch(event);
        }
        expect(effects.filter((effect) => effect.do === 'end').length).toBe(state.phase === 'over' ? 1 : 0);
        const sent = effects.flatMap((effect) =>
          effect.do === 'prepare' ? effect.messages.map(({ key }) => key) : [],
        );
        expect(new Set(sent).size, `sent twice: ${sent}`).toBe(sent.length);
        const after = effects.slice(effects.findIndex((effect) => effect.do === 'cancel') + 1);
        if (state.isAborted) expect(after.filter((effect) => effect.do === 'stream')).toEqual([]);
      }),
      runs(500),
    );
  });

  test('does nothing after the end', () => {
    const over = step(initialState({ id: 'r', limits: defaultLimits }), {
      type: 'started',
      messages: [],
      open: [],
      needsAnswer: false,
    });
    expect(over.state.phase).toBe('over');
    expect(step(over.state, { type: 'calls_done' })).toEqual({ state: over.state, effects: [] });
  });
});
