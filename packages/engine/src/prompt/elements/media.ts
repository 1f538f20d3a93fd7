import type { BasePromptElementProps } from '../element.ts';
import { GroupElement } from './group.ts';

/** Props of an image. */
export interface ImageProps extends BasePromptElementProps {
  /** The image in base64, or its URL. */
  src: string;
  detail?: 'low' | 'high' | 'auto';
  /** For URLs; for base64 the first bytes determine it. */
  mimeType?: string;
}

/**
 * An image in a message.
 *
 * @example
 * h(UserMessage, {}, 'What is this?', h(Image, { src: base64, detail: 'low' }));
 */
export class Image extends GroupElement<ImageProps> {}

/** Props of a document. */
export interface DocumentProps extends BasePromptElementProps {
  /** The document in base64. */
  data: string;
  mediaType: string;
}

/**
 * A document in a message, such as a PDF.
 *
 * @example
 * h(UserMessage, {}, h(Document, { data: base64, mediaType: 'application/pdf' }));
 */
export class Document extends GroupElement<DocumentProps> {}

const magic: readonly (readonly [prefix: string, type: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBOR', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** A URL for the `src` of an image. */
export function imageUrl(src: string): string {
  const known = magic.find(([prefix]) => src.startsWith(prefix));
  return known ? `data:${known[1]};base64,${src}` : src;
}
