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
      return `data:text/plain;base64,${base64(source.text)}`;
    case 'file':
      return undefined;
  }
}

/** Base64 of the UTF-8 bytes, with web-standard means only: this file is part of the root entry. */
function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
