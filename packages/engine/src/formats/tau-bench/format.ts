import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { codecs } from '../../message/index.ts';
import type { DocumentFormat } from '../format.ts';
import { digestOf } from '../ids.ts';
import type { ParsedSession } from '../parsed-session.ts';
import { readRuns, type SessionRun } from '../session-runs.ts';
import type { WarningList } from '../warnings.ts';

/** What a run of tau-bench recorded: one task, or the list of them that the benchmark writes. */
export const tauBench: DocumentFormat = {
  kind: 'document',
  name: 'tau-bench',
  isDocument: (value) => tasksOf(value) !== undefined,
  read: ({ value, warnings }) => readTauBench({ tasks: tasksOf(value) ?? [], warnings }),
};

function tasksOf(value: Json): readonly JsonObject[] | undefined {
  const list = isArray(value) ? value : [value];
  const tasks = list.filter((item): item is JsonObject => isObject(item) && isTask(item));
  return tasks.length > 0 && tasks.length === list.length ? tasks : undefined;
}

function isTask({ task_id, traj, reward }: JsonObject): boolean {
  return task_id !== undefined && reward !== undefined && isArray(traj);
}

/**
 * Trials of tau-bench, each a session. Their messages are those of OpenAI's chat. Everything else, above all `info.task`
 * with the goal that the model must not know, is in the header, which no model sees.
 *
 * @example
 * const reading = readTauBench({ tasks: [JSON.parse(text)], warnings });
 */
function readTauBench({
  tasks,
  warnings,
}: {
  readonly tasks: readonly JsonObject[];
  readonly warnings: WarningList;
}): ParsedSession {
  const runs = tasks.map(runOf);
  const { key = '', header = {} } = runs[0] ?? {};
  const silent = tasks.filter(({ traj }) => isArray(traj) && traj.length === 0).length;
  if (silent > 0) {
    // A trial that failed before the first message is recorded with its error only.
    const message = `Trials without a message, of which only the main session keeps a header: ${silent}.`;
    warnings.add({ code: 'empty-run', message });
  }
  return {
    format: 'tau-bench',
    key,
    header,
    entries: ({ createdAt }) => readRuns({ format: 'tau-bench', runs, createdAt, warnings }),
  };
}

function runOf(task: JsonObject): SessionRun {
  const messages = isArray(task.traj) ? task.traj : [];
  return {
    // Neither model nor domain is named in the file, so task and trial alone do not tell two trials apart.
    key: `${task.task_id}/${task.trial}/${digestOf(messages)}`,
    header: {
      name: `task ${task.task_id}, trial ${task.trial ?? 0}`,
      details: { 'tau-bench': without(task, ['traj']) ?? {} },
    },
    *build({ builder, createdAt: at }) {
      for (const message of codecs['openai-chat'].decode(messages)) {
        yield* builder.append({ draft: { type: 'message', message }, at });
      }
    },
  };
}
