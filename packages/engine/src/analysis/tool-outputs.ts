import type { ToolCallPart, ToolResultPart } from '../message/index.ts';
import { type ParsedCall, readCall } from './calls/call.ts';
import { type CallOutcome, outcomeOf } from './calls/outcome.ts';
import { resultText } from './calls/result-text.ts';
import type { SourceItem } from './source-item.ts';

/** A tool result in the context, with its call. */
export interface ToolOutput {
  readonly item: SourceItem;
  /** The index of the item in the list. */
  readonly index: number;
  /** From 1. */
  readonly part: number;
  readonly name: string;
  readonly text: string;
  /** Whether its content was already replaced by a notice of the engine. */
  readonly isElided: boolean;
  /** Absent if the call is not in the context. */
  readonly call?: ParsedCall;
  readonly outcome: CallOutcome;
}

/** The tool results of a list with their calls, oldest first. Several calls with one id are matched in order. */
export function outputsOf({ items }: { readonly items: readonly SourceItem[] }): ToolOutput[] {
  const unanswered = new Map<string, ToolCallPart[]>();
  const outputs: ToolOutput[] = [];
  for (const [index, item] of items.entries()) {
    for (const [at, part] of item.message.parts.entries()) {
      if (part.type === 'tool_call') unanswered.set(part.id, [...(unanswered.get(part.id) ?? []), part]);
      else if (part.type === 'tool_result') outputs.push(outputOf({ item, index, at, part }));
    }
  }
  return outputs;

  function outputOf(of: {
    readonly item: SourceItem;
    readonly index: number;
    readonly at: number;
    readonly part: ToolResultPart;
  }): ToolOutput {
    const { item, index, at, part } = of;
    const asked = unanswered.get(part.callId)?.shift();
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
