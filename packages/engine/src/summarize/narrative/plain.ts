/** Markup that only shows a text differently. */
const formatting =
  /<\/?(?:h[1-6]|b|strong|i|em|u|s|del|ins|mark|small|big|sub|sup|span|div|p|br|hr|section|header|footer|article|main|nav|center|font|blockquote|details|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|caption|a|pre|title)\b[^<>\n]{0,300}>/gi;

/**
 * The text of a model as prose: no headings, no rules between paragraphs, no HTML, no invisible characters. Words stay as
 * they are; code stays code.
 *
 * @example
 * plain('## Lines\n<b>All</b> of it'); // 'Lines\nAll of it'
 */
export function plain(text: string): string {
  return withoutComments(text.toWellFormed())
    .replace(/\p{Cf}|\u034f|[\u115f\u1160]/gu, '')
    .split(/\r\n?|[\n\u2028\u2029\u0085\v\f]/)
    .map((line) => withoutFormatting(line).trimEnd())
    .filter((line) => !/^\s*(?:[-=_*~#]\s*){3,}$/.test(line))
    .map((line) =>
      line
        .replace(/^(\s*(?:[-*•+]\s+)?#{1,6}\s.*(?<!\s))\s+#{1,20}$/, '$1')
        .replace(/^(\s*(?:[-*•+]\s+)?)#{1,6}\s+/, '$1')
        .replace(/^\s*(?:\*\*|__)([^*_\n]{1,200})(?:\*\*|__)\s*$/, '$1'),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function withoutComments(text: string): string {
  let kept = '';
  for (let at = 0; ; ) {
    const start = text.indexOf('<!--', at);
    if (start < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    const end = text.indexOf('-->', start);
    if (end < 0) return kept;
    at = end + 3;
  }
}

/** Tags in code are what the code says. */
function withoutFormatting(line: string): string {
  const pieces = line.split('`');
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : piece.replace(formatting, ''))).join('`');
}
