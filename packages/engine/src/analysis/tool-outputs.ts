import type { ToolCallPart, ToolResultPart } from '../message/index.ts';
import { type Call, readCall } from './calls/call.ts';
import { type Outcome, outcomeOf } from './calls/outcome.ts';
import { resultText } from './calls/result-text.ts';
import type { SourceItem } from './source-item.ts';

/** One tool result of what is sent, with the call it answers. */
export interface Output {
  readonly item: SourceItem;
  /** The place of the item in the list. */
  readonly index: number;
  /** From 1. */
  readonly part: number;
  readonly name: string;
  readonly text: string;
  /** Its content is a notice of the engine already. */
  readonly isElided: boolean;
  /** Absent where the call is not among what is sent. */
  readonly call?: Call;
  readonly outcome: Outcome;
}

/** The tool results of a list with their calls, oldest first. Calls under one id are answered in order. */
export function outputsOf({ items }: { readonly items: readonly SourceItem[] }): Output[] {
  const waiting = new Map<string, ToolCallPart[]>();
  const outputs: Output[] = [];
  for (const [index, item] of items.entries()) {
    for (const [at, part] of item.message.parts.entries()) {
      if (part.type === 'tool_call') waiting.set(part.id, [...(waiting.get(part.id) ?? []), part]);
      else if (part.type === 'tool_result') outputs.push(outputOf({ item, index, at, part }));
    }
  }
  return outputs;

  function outputOf(of: {
    readonly item: SourceItem;
    readonly index: number;
    readonly at: number;
    readonly part: ToolResultPart;
  }): Output {
    const { item, index, at, part } = of;
    const asked = waiting.get(part.callId)?.shift();
    const call = asked && readCall({ part: asked });
    const text = resultText(part);
    const isMarked = part.wire?.fields?.is_error === false || call?.shell?.isMarking === true;
    return {
      item,
      index,
      part: at + 1,
      name: part.name ?? asked?.name ?? '',
      text,
      isElided: part.content.length > 0 && part.content.every(({ origin }) => origin === 'engine'),
      ...(call && { call }),
      outcome: outcomeOf({ text, isError: part.isError === true, isMarked, exit: part.exit, kind: call?.kind }),
    };
  }
}
