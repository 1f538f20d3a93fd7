import { isObject } from '../json.ts';
import type { ContentPart, Message, Part } from '../message/index.ts';
import type { Draft } from '../session/index.ts';

/** What filters of secrets leave where a secret was, or where they took base64 for one. */
const mark = 'REDACTED';

/** Whether a text that only a machine reads (encrypted, signed, base64) was changed, so that no provider takes it. */
export function isRedacted(text: string): boolean {
  return text.includes(mark);
}

/**
 * An entry without what a filter has spoilt: signatures and encrypted reasoning prove nothing any more, and images are
 * none. Sent, they would be refused. What is taken out of a message stays in its details.
 *
 * @example
 * unspoilt({ type: 'message', message: { role: 'assistant', parts: [{ type: 'thinking', … , signature: 'REDACTED' }] } });
 */
export function sanitizeText(draft: Draft): Draft {
  switch (draft.type) {
    case 'message': {
      const { message, spoilt } = sanitizeMessage(draft.message);
      if (spoilt.length === 0) return draft;
      const details = draft.details;
      return {
        ...draft,
        message,
        details: isObject(details) || details === undefined ? { ...details, spoilt } : details,
      };
    }
    case 'epoch': {
      if (!('list' in draft.items)) return draft;
      const list = draft.items.list.map((item) =>
        'made' in item ? { ...item, made: sanitizeMessage(item.made).message } : item,
      );
      return { ...draft, items: { list } };
    }
    default:
      return draft;
  }
}

function sanitizeMessage(message: Message): { readonly message: Message; readonly spoilt: readonly string[] } {
  const spoilt: string[] = [];
  const take = (text: string | undefined) => {
    const isOut = text !== undefined && isRedacted(text);
    if (isOut) spoilt.push(text);
    return isOut;
  };
  const parts = message.parts.map((part): Part => {
    if (part.type === 'tool_result')
      return { ...part, content: part.content.map((inner) => sanitizeContent(inner, take)) };
    if (part.type === 'thinking') return sanitizeThinking(part, take);
    if ((part.type === 'text' || part.type === 'tool_call') && take(part.signature)) {
      const { signature, ...rest } = part;
      return rest;
    }
    return part.type === 'tool_call' ? part : sanitizeContent(part, take);
  });
  return spoilt.length === 0 ? { message, spoilt } : { message: { ...message, parts }, spoilt };
}

type TakeRedacted = (text: string | undefined) => boolean;

/** A signature is bound to its provider, so the provider's fields are removed with it. */
function sanitizeThinking(part: Extract<Part, { type: 'thinking' }>, take: TakeRedacted): Part {
  const isOut = [part.signature, part.encrypted].filter(take).length > 0;
  return isOut ? { type: 'thinking', origin: part.origin, text: part.text } : part;
}

function sanitizeContent(part: ContentPart, take: TakeRedacted): ContentPart {
  if (part.type !== 'image' || part.source.kind !== 'base64' || !take(part.source.data)) return part;
  return { type: 'text', origin: 'engine', text: '[An image was here. Its data was redacted.]' };
}
