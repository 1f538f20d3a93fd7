import type { Json } from '../json.ts';

/** The code and style of a page, as `scripts/make-page.ts` makes it. */
export interface PageCode {
  readonly script: string;
  readonly style: string;
  readonly hashes: { readonly script: string; readonly style: string };
}

/**
 * What may happen in a page: its own script and style, images that it holds. Nothing is loaded, and nothing sent but to
 * where it says; a script that somebody talked into a message would not be the one with this hash.
 */
function policyOf({ code, asks }: { readonly code: PageCode; readonly asks: boolean }): string {
  return [
    "default-src 'none'",
    `script-src '${code.hashes.script}'`,
    `style-src '${code.hashes.style}'`,
    'img-src data:',
    ...(asks ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** All of a document before its data. */
export function openDocument({
  title,
  code,
  noscript,
  asks = false,
}: {
  readonly title: string;
  readonly code: PageCode;
  /** What is said where scripts are off. */
  readonly noscript: string;
  /** Whether the page may ask the server that it comes from. */
  readonly asks?: boolean;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf({ code, asks })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="longhaul">
<link rel="icon" href="data:,">
<title>${escaped(title)}</title>
<style>${code.style}</style>
</head>
<body>
<noscript>${escaped(noscript)}</noscript>
`;
}

/** All of a document after its data. */
export function closeDocument({ code }: { readonly code: PageCode }): string {
  return `<script>${code.script}</script>
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

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
