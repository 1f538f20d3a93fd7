import type { ContentPart, Part } from '../../message/index.ts';

/** What filters of secrets leave where a secret was, or where they took base64 for one. */
const mark = 'REDACTED';

/** Whether a text that only a machine reads (encrypted, signed, base64) was changed, so that no provider takes it. */
export function isSpoilt(text: string): boolean {
  return text.includes(mark);
}

/** Says that an image was here, instead of sending bytes that are none. */
export function withoutSpoiltImage<P extends Part | ContentPart>(part: P): P | ContentPart {
  if (part.type !== 'image' || part.source.kind !== 'base64' || !isSpoilt(part.source.data)) return part;
  return { type: 'text', origin: 'engine', text: '[An image was here. Its data was redacted.]' };
}
