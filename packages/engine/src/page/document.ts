import type { Json } from '../json.ts';

/** Code and style of a page, from `scripts/make-page.ts`. */
export interface PageCode {
  readonly script: string;
  readonly style: string;
  readonly hashes: { readonly script: string; readonly style: string };
}

/**
 * Content security policy: only the page's own script, style and embedded images. Nothing is loaded or sent elsewhere;
 * a script injected through session content would not match the hash.
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

/** The document before its data. */
export function openDocument({
  title,
  code,
  noscript,
  asks = false,
}: {
  readonly title: string;
  readonly code: PageCode;
  /** Text for browsers without scripts. */
  readonly noscript: string;
  /** Whether the page may send requests to its server. */
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

/** The document after its data. */
export function closeDocument({ code }: { readonly code: PageCode }): string {
  return `<script>${code.script}</script>
</body>
</html>
`;
}

/**
 * Embedded data: nothing in it can end its element, be parsed as a comment, or break a line.
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
