import type { ContentPart, Message, Part, ToolResultPart } from '../../message/index.ts';
import { estimateTokens } from '../../tokens/index.ts';
import { carrierOf } from '../conversation/carried-part.ts';
import type { BasePromptElementProps, PromptPiece, PromptPieceChild } from '../element.ts';
import { Document, Image } from '../elements/media.ts';
import { AssistantMessage, SystemMessage, type ToolCall, ToolMessage, UserMessage } from '../elements/messages.ts';
import { Chunk, TokenLimit } from '../elements/wrappers.ts';
import { Fragment, h } from '../jsx.ts';
import { ToolOutput } from './tool-output.ts';

/** Props of a conversation. */
export interface ConversationHistoryProps extends BasePromptElementProps {
  /** The messages so far, oldest first. */
  messages: readonly Message[];
  /** Token limit of each tool result. */
  resultMax?: number;
}

/**
 * The conversation so far. The oldest messages are pruned first; a call is pruned with its results; the newest user
 * message is pruned last.
 *
 * @example
 * h(ConversationHistory, { messages: session.context.items.map(({ message }) => message), resultMax: 1000, priority: 50 });
 */
export function ConversationHistory({ messages, resultMax = 2000 }: ConversationHistoryProps): PromptPiece {
  const units = unitsOf(messages);
  const newest = units.findLastIndex(([first]) => first?.role === 'user');
  return h(
    Fragment,
    null,
    ...units.map((unit, index) =>
      h(
        Chunk,
        index === newest ? {} : { priority: index + 1 },
        ...unit.map((message) => messageOf({ message, resultMax })),
      ),
    ),
  );
}

/** Units that are pruned together: a message, or one with calls and the results that follow it. */
function unitsOf(messages: readonly Message[]): Message[][] {
  const units: Message[][] = [];
  for (const message of messages) {
    const last = units.at(-1);
    if (message.role === 'tool' && last?.[0]?.parts.some(({ type }) => type === 'tool_call')) last.push(message);
    else units.push([message]);
  }
  return units;
}

function messageOf({ message, resultMax }: { readonly message: Message; readonly resultMax: number }): PromptPiece {
  const { role, parts } = message;
  const children = parts.map(childOf);
  switch (role) {
    case 'system':
      return h(SystemMessage, {}, ...children);
    case 'user':
      return h(UserMessage, parts.some(({ origin }) => origin === 'human') ? {} : { name: 'context' }, ...children);
    case 'assistant': {
      const toolCalls = parts.flatMap(callOf);
      return h(AssistantMessage, toolCalls.length > 0 ? { toolCalls } : {}, ...children);
    }
    default:
      return h(Fragment, null, ...parts.filter(isResult).map((result) => resultOf({ result, resultMax })));
  }
}

function callOf(part: Part): ToolCall[] {
  if (part.type !== 'tool_call') return [];
  const { id, name, arguments: given } = part;
  return [{ id, type: 'function', function: { name, arguments: given } }];
}

function isResult(part: Part): part is ToolResultPart {
  return part.type === 'tool_result';
}

function resultOf({ result, resultMax }: { readonly result: ToolResultPart; readonly resultMax: number }): PromptPiece {
  const { callId: toolCallId, content } = result;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length === content.length) return h(ToolOutput, { toolCallId, text: texts.join('\n'), max: resultMax });
  return h(TokenLimit, { max: resultMax }, h(ToolMessage, { toolCallId }, ...content.map(childOf)));
}

/** Calls are props of their message, results are messages. */
function childOf(part: Part | ContentPart): PromptPieceChild {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool_call':
    case 'tool_result':
      return undefined;
    case 'image': {
      const { source, detail } = part;
      if (source.kind === 'base64')
        return h(Image, { src: `data:${source.mediaType};base64,${source.data}`, ...detailOf(detail) });
      if (source.kind === 'url') return h(Image, { src: source.url, ...detailOf(detail) });
      return carried(part);
    }
    case 'document':
      return part.source.kind === 'base64'
        ? h(Document, { data: part.source.data, mediaType: part.source.mediaType })
        : carried(part);
    default:
      return carried(part);
  }
}

function detailOf(detail: string | undefined): { detail?: 'low' | 'high' | 'auto' } {
  return detail === 'low' || detail === 'high' || detail === 'auto' ? { detail } : {};
}

function carried(part: Part): PromptPiece {
  const text = part.type === 'thinking' ? part.text || part.encrypted || '' : JSON.stringify(part);
  return carrierOf({ part, tokenUsage: estimateTokens(text) });
}
