import { isArray, isObject, type Json, type JsonObject, parseJson, without } from '../../json.ts';
import type { Draft, UsageEntry } from '../../session/index.ts';
import { digestOf } from '../digest.ts';
import { liteLlmName } from '../litellm-name.ts';
import type { Reading } from '../reading.ts';
import type { WarningList } from '../report.ts';
import { type Run, weaveRuns } from '../runs.ts';
import { createTally, type Tally } from '../tally.ts';
import { usageNote } from '../usage.ts';
import { createTurns, isTask } from './turn.ts';

/**
 * Attempts of SWE-agent, each a session. The file has no times, so every entry has that of the first import, and is
 * written anew after each step, so an attempt is known by what it began with.
 *
 * @example
 * const reading = readSweAgent({ attempts: [JSON.parse(text)], warnings });
 */
export function readSweAgent({
  attempts,
  warnings,
}: {
  readonly attempts: readonly JsonObject[];
  readonly warnings: WarningList;
}): Reading {
  const tally = createTally({ warnings });
  const runs = attempts.map((attempt, index) => runOf({ attempt, index, tally, warnings }));
  const { key = '', header = {} } = runs[0] ?? {};
  return {
    format: 'swe-agent',
    key,
    header,
    async *entries({ createdAt }) {
      yield* weaveRuns({ format: 'swe-agent', runs, createdAt, warnings });
      tally.report();
    },
  };
}

function runOf(of: {
  readonly attempt: JsonObject;
  readonly index: number;
  readonly tally: Tally;
  readonly warnings: WarningList;
}): Run {
  const { attempt, index, tally, warnings } = of;
  const history = isArray(attempt.history) ? attempt.history : [];
  const steps = isArray(attempt.trajectory) ? attempt.trajectory : [];
  const config = typeof attempt.replay_config === 'string' ? parseJson(attempt.replay_config) : undefined;
  const name = textAt({ value: config, path: ['problem_statement', 'id'] });
  const by = liteLlmName(textAt({ value: config, path: ['agent', 'model', 'name'] }));
  const used = usageOf(attempt.info);
  return {
    key: `${index}/${digestOf([attempt.environment ?? null, attempt.replay_config ?? null, opening(history)])}`,
    header: {
      ...(name !== undefined && { name }),
      details: { 'swe-agent': without(attempt, ['history', 'trajectory']) ?? {} },
    },
    *weave({ weaver, createdAt: at }) {
      const turnOf = createTurns();
      for (const item of history) {
        const message = turnOf(item);
        if (!message) {
          warnings.add({
            code: 'unknown-kind',
            message: 'An item of the history is no message; it was kept as it is.',
          });
          yield* weaver.append({ draft: { type: 'unknown', kind: 'swe-agent:history', value: { item } }, at });
          continue;
        }
        const isAnswer = message.role === 'assistant' && !(isObject(item) && item.is_demo === true);
        yield* weaver.append({ draft: { type: 'message', message, ...(isAnswer && by && { by }) }, at });
      }
      for (const _ of steps) tally.leftOut('steps of the trajectory, which repeats the history');
      if (used) yield* weaver.append({ draft: { ...used, ...(by && { model: by }) }, at });
    },
  };
}

/** What an attempt begins with: everything up to the task. */
function opening(history: readonly Json[]): Json {
  return history.slice(0, history.findIndex(isTask) + 1);
}

/** What the whole attempt consumed, once it has ended; until then the numbers still grow. */
function usageOf(info: Json | undefined): Draft<UsageEntry> | undefined {
  if (!isObject(info) || !isObject(info.model_stats) || typeof info.exit_status !== 'string') return undefined;
  const { tokens_sent: input, tokens_received: output, ...rest } = info.model_stats;
  const note = usageNote({ input, output });
  return note && { ...note, purpose: 'session', details: { 'swe-agent': rest } };
}

function textAt({ value, path }: { readonly value: Json | undefined; readonly path: readonly string[] }) {
  const found = path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
