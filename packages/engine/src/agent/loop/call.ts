import type { JsonObject, ToolCallPart } from '../../message/index.ts';
import type { Access } from '../permission.ts';

/** A tool call and what is known before it runs. */
export interface PlannedCall {
  readonly call: ToolCallPart;
  /** Position among the calls of its answer: results are recorded in this order. */
  readonly index: number;
  readonly input: JsonObject;
  readonly access: Access;
  /** Why it cannot run: unknown tool, or arguments that are not a JSON object. */
  readonly problem?: string;
  /** Must not run twice, although it has no direct effects. */
  readonly isOnce?: boolean;
  /** Called before the process ended, without a result. */
  readonly interrupted?: 'started' | 'unstarted';
}

/** Whether the call has no side effects. */
export function isSafe({ access, problem }: Pick<PlannedCall, 'access' | 'problem'>): boolean {
  return problem !== undefined || access.kind === 'none' || access.kind === 'read' || access.kind === 'fetch';
}

/**
 * Calls in the order of the answer, grouped into batches that may run concurrently: adjacent calls without side
 * effects. A call with side effects runs alone.
 */
export function batchesOf(calls: readonly PlannedCall[]): readonly (readonly PlannedCall[])[] {
  const batches: PlannedCall[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (last && isSafe(call) && last.every(isSafe)) last.push(call);
    else batches.push([call]);
  }
  return batches;
}
