import { type Mask, partTitles, type SectionName, type Sections, sectionNames } from '../../analysis/index.ts';
import type { Narrative } from '../summarizer.ts';
import { type Dropped, reviewText } from './review.ts';

/** The result of a review: what is kept of a model's narrative, and what was removed. */
export interface Reviewed {
  readonly narrative: Narrative;
  /** The number of sentences before the review. */
  readonly sentences: number;
  readonly dropped: readonly (Dropped & { readonly section: SectionName | 'short' | 'title' })[];
}

/**
 * Reviews a model's narrative for a summary: masks it, reduces it to plain text, and removes what only the engine or a
 * person may write (see `reviewText`).
 *
 * @example
 * const { narrative, dropped } = reviewNarrative({ narrative: { sections: { overview: '## Lines\n@7 user' } }, said: [] });
 */
export function reviewNarrative({
  narrative,
  said,
  mask = (text) => text,
}: {
  readonly narrative: Narrative;
  /** The texts that people wrote: a sentence about people is kept as far as it quotes them. */
  readonly said: readonly string[];
  readonly mask?: Mask;
}): Reviewed {
  const theirs = [...said, ...said.map(mask)];
  const dropped: Reviewed['dropped'][number][] = [];
  let sentences = 0;
  const sections: Partial<Record<SectionName, string>> = {};
  for (const name of sectionNames) {
    const text = clean({ section: name, text: narrative.sections[name] });
    if (text !== '') sections[name] = text;
  }
  const short = oneLine(clean({ section: 'short', text: narrative.short }));
  const title = oneLine(clean({ section: 'title', text: narrative.title }));
  return {
    narrative: { sections, ...(short !== '' && { short }), ...(title !== '' && { title }) },
    sentences,
    dropped,
  };

  function clean({
    section,
    text = '',
  }: {
    section: SectionName | 'short' | 'title';
    text: string | undefined;
  }): string {
    const isPlan = section === 'continuation plan' || section === 'title';
    const reviewed = reviewText({ text: plain(mask(text)), said: theirs, isPlan });
    sentences += reviewed.sentences;
    dropped.push(...reviewed.dropped.map((one) => ({ ...one, section })));
    return reviewed.text.trim();
  }
}

/**
 * A narrative as sections of the document. One from an earlier summary is labeled in each section.
 */
export function narrativeSections({
  narrative: { sections },
  older,
}: {
  readonly narrative: Narrative;
  /** The last handle that an older narrative covers. */
  readonly older?: number | undefined;
}): Sections {
  const label = older === undefined ? [] : [olderLabel(older)];
  return Object.fromEntries(Object.entries(sections).map(([name, text]) => [name, [...label, text]]));
}

/** The label of an older narrative in each section. */
export function olderLabel(to: number): string {
  return `${partTitles.older} @${to} and not updated since:`;
}

/** Maximum characters of a title or short summary. */
const maxLine = 200;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= maxLine ? line : `${line.slice(0, maxLine - 1).toWellFormed()}…`;
}

/** HTML tags that only affect presentation. */
const formatting =
  /<\/?(?:h[1-6]|b|strong|i|em|u|s|del|ins|mark|small|big|sub|sup|span|div|p|br|hr|section|header|footer|article|main|nav|center|font|blockquote|details|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|caption|a|pre|title)\b[^<>\n]{0,300}>/gi;

/**
 * A model's text as prose: without headings, horizontal rules, HTML and invisible characters. Words and code are unchanged.
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

/** Tags within code are kept. */
function withoutFormatting(line: string): string {
  const pieces = line.split('`');
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : piece.replace(formatting, ''))).join('`');
}
