import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { DocumentFormat } from '../format.ts';
import { readTauBench } from './read.ts';

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
