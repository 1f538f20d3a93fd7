import type { ToolCallPart } from '../../../message/index.ts';
import { briefOf } from '../../calls/brief.ts';
import { readCall } from '../../calls/call.ts';
import type { SourceItem } from '../../source-item.ts';
import type { ChosenLine } from '../chosen.ts';

/** The call that something is the result of. */
export interface QuotedCall {
  readonly handle: number;
  /** From 1. */
  readonly part: number;
  /** What it asked for, in a few words. */
  readonly brief: string;
}

/** So much of a call says what it was. */
const length = 70;

/**
 * Says of a result what was called. Calls are read on demand: few results are quoted.
 *
 * @example
 * const callOf = callsIn({ items, root: '/home/me/project' });
 */
export function callsIn({
  items,
  root,
}: {
  readonly items: readonly SourceItem[];
  /** The folder of the project: what lies in it is named from there. */
  readonly root?: string | undefined;
}): (line: ChosenLine) => QuotedCall | undefined {
  const byHandle = new Map(items.map((item) => [item.handle, item]));
  const calls = new Map<string, { readonly handle: number; readonly part: number; readonly call: ToolCallPart }>();
  for (const { handle, message } of items) {
    for (const [index, part] of message.parts.entries()) {
      if (part.type === 'tool_call') calls.set(part.id, { handle, part: index + 1, call: part });
    }
  }
  return ({ handle, part = 1 }) => {
    const source = byHandle.get(handle)?.message.parts[part - 1];
    const made = source?.type === 'tool_result' ? calls.get(source.callId) : undefined;
    if (!made) return undefined;
    const brief = briefOf({
      call: readCall({ part: made.call, directory: root }),
      length: length + (root?.length ?? 0),
    });
    return {
      handle: made.handle,
      part: made.part,
      brief: root === undefined ? brief : brief.replaceAll(`${root}/`, ''),
    };
  };
}
