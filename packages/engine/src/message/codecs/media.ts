import type { MediaSource } from '../message.ts';

const dataUrl = /^data:([^;,]+);base64,/;

/** A `data:` URL becomes its bytes, any other URL stays one; `writeUrl` gives back the same text. */
export function readUrl(url: string): MediaSource {
  const match = dataUrl.exec(url);
  if (!match?.[1]) return { kind: 'url', url };
  return { kind: 'base64', mediaType: match[1], data: url.slice(match[0].length) };
}

/** The source as a URL; `undefined` for a provider's file id, which is none. */
export function writeUrl(source: MediaSource): string | undefined {
  switch (source.kind) {
    case 'base64':
      return `data:${source.mediaType};base64,${source.data}`;
    case 'url':
      return source.url;
    case 'text':
      return `data:text/plain;base64,${toBase64(source.text)}`;
    case 'file':
      return undefined;
  }
}

/** The text of a document that is one, whether it came as text or as its bytes. */
export function textOf(source: MediaSource): string | undefined {
  if (source.kind === 'text') return source.text;
  if (source.kind !== 'base64' || !source.mediaType.startsWith('text/')) return undefined;
  try {
    const bytes = Uint8Array.from(atob(source.data), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Base64 of the UTF-8 bytes, with web-standard means only: this file is part of the root entry. */
function toBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
