import type { MediaSource, Part } from '../../message/index.ts';
import type { Entry } from '../entry/entry.ts';

/** One part of an entry as text. */
export interface PartText {
  /** From 1, as in the handle `@12.2`. */
  readonly part: number;
  readonly text: string;
  /** Whether it was written to be read: not the bytes of an image, nor what only its provider understands. */
  readonly isProse: boolean;
}

/**
 * The parts of an entry as text, exactly as they were said. A summary counts as one part. Kinds that say nothing have
 * none. The full-text index is made from those that are prose.
 *
 * @example
 * const words = textsOf(entry).filter(({ isProse }) => isProse);
 */
export function textsOf(entry: Entry): PartText[] {
  switch (entry.type) {
    case 'message':
      return partTexts(entry.message.parts);
    case 'custom_message':
      return partTexts(entry.parts);
    case 'context_edit':
      return partTexts(entry.replacement ?? []);
    case 'compaction':
    case 'branch_summary':
      return [{ part: 1, text: entry.summary, isProse: true }];
    case 'pin':
      return entry.text === undefined ? [] : [{ part: 1, text: entry.text, isProse: true }];
    default:
      return [];
  }
}

/**
 * Parts as text, as they stand under the handles of the entry they are parts of.
 *
 * @example
 * const [first] = partTexts(message.parts);
 */
export function partTexts(parts: readonly Part[]): PartText[] {
  return parts.map(partText);
}

function partText(part: Part, index: number): PartText {
  const number = index + 1;
  switch (part.type) {
    case 'text':
    case 'thinking':
      return { part: number, text: part.text, isProse: true };
    case 'tool_call':
      return { part: number, text: `${part.name} ${part.arguments}`, isProse: true };
    case 'tool_result': {
      const inner = part.content.map(partText);
      const prose = inner.filter(({ isProse }) => isProse);
      return {
        part: number,
        text: (prose.length > 0 ? prose : inner).map(({ text }) => text).join('\n'),
        isProse: prose.length > 0 || inner.length === 0,
      };
    }
    case 'image':
    case 'document':
      return { part: number, text: mediaText(part.source), isProse: part.source.kind === 'text' };
    case 'opaque':
      return { part: number, text: JSON.stringify(part.value), isProse: false };
  }
}

function mediaText(source: MediaSource): string {
  switch (source.kind) {
    case 'base64':
      return `data:${source.mediaType};base64,${source.data}`;
    case 'url':
      return source.url;
    case 'file':
      return source.id;
    case 'text':
      return source.text;
  }
}
