import { type BasePromptElementProps, PromptElement, type PromptPiece, type PromptPieceChild } from '../element.ts';
import { group } from './group.ts';

/** A tool result: a list of parts with values. */
interface ToolResultData {
  readonly content: readonly unknown[];
}

/** Props of a tool result: `data` is a `LanguageModelToolResult` of VS Code, or a compatible object. */
export interface IToolResultProps extends BasePromptElementProps {
  data: ToolResultData;
}

/**
 * A tool result: texts unchanged, elements in JSON form embedded.
 *
 * @example
 * h(ToolMessage, { toolCallId: '1' }, h(ToolResult, { data: { content: [{ value: '42 lines' }] } }));
 */
export class ToolResult extends PromptElement<IToolResultProps> {
  override render(): PromptPiece {
    return group(this.props.data.content.map(childOf));
  }
}

function childOf(part: unknown): PromptPieceChild {
  const value = (part as { readonly value?: unknown } | null | undefined)?.value;
  if (typeof value === 'string') return value;
  const node = (value as { readonly node?: unknown } | null | undefined)?.node;
  return typeof node === 'object' ? { ctor: 'elementJSON', props: { data: value }, children: [] } : undefined;
}
