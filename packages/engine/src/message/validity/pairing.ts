import type { ToolCallPart, ToolResultPart } from '../message.ts';
import type { Entry, Group } from './groups.ts';
import type { Rules } from './rules.ts';

export interface Call extends Entry {
  readonly part: ToolCallPart;
  /** Index of its group. */
  readonly group: number;
  result?: Result;
}

export interface Result extends Entry {
  readonly part: ToolResultPart;
  readonly call?: Call;
  /** What is wrong with it; absent where all is well. */
  readonly fault?: 'orphaned-result' | 'duplicate-result' | 'misplaced-result';
}

/**
 * Who answers whom. A result belongs to the newest answer that has an open call of its id, so that ids which a model
 * numbers anew in every answer (`functions.bash:0`) still find their own.
 */
export function pair(input: { readonly groups: readonly Group[]; readonly rules: Rules }): {
  readonly calls: readonly Call[];
  readonly results: readonly Result[];
} {
  const calls: Call[] = [];
  const results: Result[] = [];
  const open = new Map<string, Call[]>();
  const seen = new Set<string>();
  for (const [index, group] of input.groups.entries()) {
    let leads = true;
    for (const entry of group.entries) {
      const { part, at } = entry;
      if (part.type === 'tool_call' && group.kind === 'assistant') {
        const call: Call = { part, at, group: index };
        calls.push(call);
        seen.add(part.id);
        open.set(part.id, [...(open.get(part.id) ?? []), call]);
      } else if (part.type === 'tool_result' && group.kind !== 'assistant') {
        const call = takeNewest(open, part.callId);
        const fits = call !== undefined && (input.rules.results === 'later' || (leads && call.group === index - 1));
        const lost = seen.has(part.callId) ? 'duplicate-result' : 'orphaned-result';
        const fault = call ? (fits ? undefined : 'misplaced-result') : lost;
        const result: Result = { part, at, ...(call && { call }), ...(fault && { fault }) };
        if (call) call.result = result;
        results.push(result);
      } else {
        leads = false;
      }
    }
  }
  return { calls, results };
}

/** The first open call of the id in the newest group that has one. */
function takeNewest(open: Map<string, Call[]>, id: string): Call | undefined {
  const list = open.get(id);
  const newest = list?.at(-1)?.group;
  const at = list?.findIndex((call) => call.group === newest) ?? -1;
  const [call] = at < 0 || !list ? [] : list.splice(at, 1);
  return call;
}
