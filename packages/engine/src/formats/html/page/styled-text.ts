import { element } from '../../../page/browser/dom.ts';

/** Longer texts are logs and are not rendered as Markdown. */
const longest = 60_000;

const fence = /^ {0,3}(`{3,}|~{3,})/;
const inline = /(?<!`)(`+)(?!`)[^`\n]{1,400}\1(?!`)|\*\*[^*\n]{1,400}\*\*/g;

/**
 * Text with the Markdown in it made visible. Not a character is added or taken away: what can be selected, found and
 * copied is what was said.
 *
 * @example
 * body.append(styledText('Run `npm test` **now**.'));
 */
export function styledText(text: string): DocumentFragment {
  const all = document.createDocumentFragment();
  if (text.length > longest) {
    all.append(text);
    return all;
  }
  let code: { readonly block: HTMLElement; readonly mark: string } | undefined;
  for (const line of text.split(/(?<=\n)/)) {
    const mark = fence.exec(line)?.[1];
    if (code) {
      const isEnd = mark?.startsWith(code.mark) === true && line.trim() === mark;
      code.block.append(isEnd ? element('span', { class: 'mark' }, line) : line);
      if (isEnd) code = undefined;
    } else if (mark !== undefined) {
      const block = element('span', { class: 'code-block' }, element('span', { class: 'mark' }, line));
      all.append(block);
      code = { block, mark };
    } else {
      all.append(styledLine(line));
    }
  }
  return all;
}

function styledLine(line: string): Node {
  const heading = /^#{1,6} /.exec(line)?.[0];
  if (heading === undefined) return inlines(line);
  return element(
    'span',
    { class: 'heading' },
    element('span', { class: 'mark' }, heading),
    inlines(line.slice(heading.length)),
  );
}

function inlines(line: string): DocumentFragment {
  const all = document.createDocumentFragment();
  let end = 0;
  for (const found of line.matchAll(inline)) {
    const [whole, ticks] = found;
    const size = ticks === undefined ? 2 : ticks.length;
    all.append(line.slice(end, found.index));
    all.append(
      element(
        ticks === undefined ? 'b' : 'code',
        {},
        element('span', { class: 'mark' }, whole.slice(0, size)),
        whole.slice(size, -size),
        element('span', { class: 'mark' }, whole.slice(-size)),
      ),
    );
    end = found.index + whole.length;
  }
  all.append(line.slice(end));
  return all;
}
