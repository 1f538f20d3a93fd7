import type { Counter } from '../count/counter.ts';
import { imageUrl } from '../elements/media.ts';
import { isPending, type Maybe } from '../layout/maybe.ts';
import type * as Raw from '../output/raw.ts';
import { forEachNode, PieceCtorKind, type PieceJSON, type PromptNodeJSON, PromptNodeType } from './types.ts';

/** What an embedded element counts: its texts, parts and messages. */
export function jsonConsumption(json: PieceJSON, counter: Counter): Maybe<number> {
  const all: Maybe<number>[] = [];
  forEachNode(json, (node) => all.push(nodeTokens(node, counter)));
  const sum = (counts: readonly number[]) => counts.reduce((total, tokens) => total + tokens, 0);
  return all.some(isPending) ? Promise.all(all).then(sum) : sum(all as number[]);
}

function nodeTokens(node: PromptNodeJSON, counter: Counter): Maybe<number> {
  if (node.type === PromptNodeType.Text) return counter.text(node.text);
  if (node.type === PromptNodeType.Opaque) return node.tokenUsage ?? 0;
  if (node.type !== PromptNodeType.Piece) return 0;
  switch (node.ctor) {
    case PieceCtorKind.BaseChatMessage: {
      const { role, name, toolCalls, toolCallId } = node.props;
      return counter.message({ role, content: [], name, toolCalls, toolCallId } as unknown as Raw.ChatMessage);
    }
    case PieceCtorKind.ImageChatMessage:
      return counter.part({ type: 0, imageUrl: { url: imageUrl(node.props.src), detail: node.props.detail } });
    case PieceCtorKind.DocumentChatMessage:
      return counter.part({ type: 4, documentData: node.props });
    default:
      return 0;
  }
}
