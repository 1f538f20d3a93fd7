import { type BasePromptElementProps, PromptElement, type PromptPiece, type PromptPieceChild } from '../element.ts';
import { group } from './group.ts';

/** What a tool answered: a list of parts, each with a value. */
interface ToolResultData {
  readonly content: readonly unknown[];
}

/** The props of a tool's answer: `data` is a `LanguageModelToolResult` of VS Code, or what looks like one. */
export interface IToolResultProps extends BasePromptElementProps {
  data: ToolResultData;
}

/**
 * The answer of a tool: texts as they are, elements that came as JSON embedded.
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
