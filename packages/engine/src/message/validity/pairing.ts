import type { ToolCallPart, ToolResultPart } from '../message.ts';
import type { GroupedPart, MessageGroup } from './groups.ts';
import type { ValidityRules } from './rules.ts';

export interface PairedCall extends GroupedPart {
  readonly part: ToolCallPart;
  /** Index of its group. */
  readonly group: number;
  result?: PairedResult;
}

export interface PairedResult extends GroupedPart {
  readonly part: ToolResultPart;
  readonly call?: PairedCall;
  /** What is wrong with it; absent where all is well. */
  readonly fault?: 'orphaned-result' | 'duplicate-result' | 'misplaced-result';
}

/**
 * Who answers whom. A result belongs to the newest answer that has an open call of its id, so that ids which a model
 * numbers anew in every answer (`functions.bash:0`) still find their own.
 */
export function pair(input: { readonly groups: readonly MessageGroup[]; readonly rules: ValidityRules }): {
  readonly calls: readonly PairedCall[];
  readonly results: readonly PairedResult[];
} {
  const calls: PairedCall[] = [];
  const results: PairedResult[] = [];
  const open = createOpenCalls();
  const seen = new Set<string>();
  // The call may be stored at the provider: before the list, or behind a reference in it.
  let isElsewhere = input.rules.continues;
  for (const [index, group] of input.groups.entries()) {
    let leads = true;
    for (const entry of group.entries) {
      const { part, at } = entry;
      if (part.type === 'opaque' && part.kind === 'item_reference') isElsewhere = true;
      if (part.type === 'tool_call' && group.kind === 'assistant') {
        const call: PairedCall = { part, at, group: index };
        calls.push(call);
        seen.add(part.id);
        open.add(call);
      } else if (part.type === 'tool_result' && group.kind !== 'assistant') {
        const call = open.take(part.callId);
        const fits = call !== undefined && (input.rules.results === 'later' || (leads && call.group === index - 1));
        const lost = seen.has(part.callId) ? 'duplicate-result' : isElsewhere ? undefined : 'orphaned-result';
        const fault = call ? (fits ? undefined : 'misplaced-result') : lost;
        const result: PairedResult = { part, at, ...(call && { call }), ...(fault && { fault }) };
        if (call) call.result = result;
        results.push(result);
      } else {
        leads = false;
      }
    }
  }
  return { calls, results };
}

/** Calls without a result, by id: a stack of answers, each with its calls in order. Constant time, also for one id over and over. */
function createOpenCalls(): { add(call: PairedCall): void; take(id: string): PairedCall | undefined } {
  const stacks = new Map<string, { readonly group: number; readonly calls: PairedCall[]; next: number }[]>();
  return {
    add(call) {
      const stack = stacks.get(call.part.id) ?? [];
      stacks.set(call.part.id, stack);
      const top = stack.at(-1);
      if (top?.group === call.group) top.calls.push(call);
      else stack.push({ group: call.group, calls: [call], next: 0 });
    },
    /** The first open call of the id in the newest answer that has one. */
    take(id) {
      const stack = stacks.get(id);
      const top = stack?.at(-1);
      const call = top?.calls[top.next];
      if (top) top.next += 1;
      if (top && top.next >= top.calls.length) stack?.pop();
      return call;
    },
  };
}
