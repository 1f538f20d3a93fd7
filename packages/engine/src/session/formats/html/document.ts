import { createHash } from 'node:crypto';
import type { Json } from '../../../json.ts';
import { page } from './page.generated.ts';

/**
 * What may happen in the page: its own script and style, images that it holds. Nothing is loaded and nothing sent; a
 * script that somebody talked into a message would not be the one with this hash.
 */
const policy = [
  "default-src 'none'",
  `script-src '${hashOf(page.script)}'`,
  `style-src '${hashOf(page.style)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** All of the document before its data. */
export function openDocument({ title }: { readonly title: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="longhaul">
<link rel="icon" href="data:,">
<title>${escaped(title)}</title>
<style>${page.style}</style>
</head>
<body>
<noscript>This page shows a session with the script that is in it. It needs no network, but it needs the script.</noscript>
`;
}

/** All of the document after its data. */
export function closeDocument(): string {
  return `<script>${page.script}</script>
</body>
</html>
`;
}

/**
 * Data inside a page: nothing in it can end its element, be taken for a comment, or break a line.
 *
 * @example
 * dataBlock({ name: 'session', value: { title: '</script>' } });
 */
export function dataBlock({ name, value }: { readonly name: string; readonly value: Json }): string {
  const text = JSON.stringify(value).replace(/[<\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `<script type="application/json" data-name="${name}">${text}</script>\n`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
