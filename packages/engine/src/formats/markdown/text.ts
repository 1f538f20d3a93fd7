/** Longer lines than this hold no code span that anybody meant. */
const longestSpan = 1000;

/** A span of code, or a `<` that would open a tag. */
const spanOrTag = new RegExp(`(?<!\`)(\`+)(?!\`)[^\n]{0,${longestSpan}}?[^\`\n]\\1(?!\`)|<(?=[a-zA-Z/!?])`, 'g');

const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * What somebody wrote, so that it stays Markdown but ends where it ends: tags are shown instead of obeyed, and a block of
 * code that was never closed is.
 *
 * @example
 * prose({ text: 'Use <b> in `<i>`.' }); // 'Use &lt;b> in `<i>`.'
 */
export function prose({ text, keepLines = false }: { readonly text: string; readonly keepLines?: boolean }): string {
  let open: string | undefined;
  const lines = text.split('\n').map((line) => {
    const mark = fence.exec(line)?.[1];
    if (open !== undefined) {
      const closes = mark?.startsWith(open) === true && line.trim() === mark;
      if (closes) open = undefined;
      return line;
    }
    if (mark !== undefined) {
      open = mark;
      return line;
    }
    const shown = line.replace(spanOrTag, (found) => (found === '<' ? '&lt;' : found));
    return keepLines && shown.trim() !== '' ? `${shown.trimEnd()}  ` : shown;
  });
  return [...lines, ...(open === undefined ? [] : [open])].join('\n');
}

/**
 * Text as a quotation. What opens inside of it, closes with it.
 *
 * @example
 * quoted('Fix it.\nNow.'); // '> Fix it.\n> Now.'
 */
export function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/**
 * Text byte for byte, in a fence longer than any inside of it.
 *
 * @example
 * fenced({ text: 'a\n', language: 'json' });
 */
export function fenced({ text, language = '' }: { readonly text: string; readonly language?: string }): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${mark}`;
}

/**
 * A few words inside a line, with nothing in them that Markdown or HTML would make something of.
 *
 * @example
 * plain('a *b* <c>'); // 'a \\*b\\* &lt;c>'
 */
export function plain(text: string): string {
  return escaped(text).replace(/[\\`*_[\]#|~]/g, '\\$&');
}

/** A few words inside a tag, where Markdown is not read. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Something that is folded away until it is opened.
 *
 * @example
 * folded({ title: 'thinking', body: 'I look.' });
 */
export function folded({ title, body }: { readonly title: string; readonly body: string }): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}
