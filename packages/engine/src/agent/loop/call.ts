import type { JsonObject, ToolCallPart } from '../../message/index.ts';
import type { Access } from '../permission.ts';

/** A call, and what is known of it before it runs. */
export interface PlannedCall {
  readonly call: ToolCallPart;
  /** Its place among the calls of its answer: results come in this order. */
  readonly index: number;
  readonly input: JsonObject;
  readonly access: Access;
  /** Why it cannot run: nobody knows the tool, or what the model wrote is no JSON. */
  readonly problem?: string;
  /** It must not run a second time, although it touches nothing itself. */
  readonly isOnce?: boolean;
  /** It had been called before the process ended, and has no result. */
  readonly interrupted?: 'started' | 'unstarted';
}

/** Whether nothing can happen by it that another call would notice. */
export function isSafe({ access, problem }: Pick<PlannedCall, 'access' | 'problem'>): boolean {
  return problem !== undefined || access.kind === 'none' || access.kind === 'read';
}

/**
 * Calls in the order of the answer, those that may run at once in one batch: neighbors that only look. A call that
 * changes something is alone.
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
