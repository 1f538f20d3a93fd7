import { type Mask, partTitles, type SectionName, type Sections, sectionNames } from '../../analysis/index.ts';
import type { Narrative } from '../summarizer.ts';
import { type Dropped, reviewText } from './review.ts';

/** What a model wrote, as far as it may stand in a summary, and what may not. */
export interface Reviewed {
  readonly narrative: Narrative;
  /** How many sentences it had. */
  readonly sentences: number;
  readonly dropped: readonly (Dropped & { readonly section: SectionName | 'short' | 'title' })[];
}

/**
 * A model's narrative as it may stand in a summary: masked, as plain text, without what only the engine or a person may
 * say (see `reviewText`), and with what was left out.
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
  /** What people wrote: a sentence about them stays as far as it quotes this. */
  readonly said: readonly string[];
  readonly mask?: Mask;
}): Reviewed {
  const theirs = [...said, ...said.map(mask)];
  const dropped: Reviewed['dropped'][number][] = [];
  let sentences = 0;
  const sections: Partial<Record<SectionName, string>> = {};
  for (const name of sectionNames) {
    const text = sound({ section: name, text: narrative.sections[name] });
    if (text !== '') sections[name] = text;
  }
  const short = oneLine(sound({ section: 'short', text: narrative.short }));
  const title = oneLine(sound({ section: 'title', text: narrative.title }));
  return {
    narrative: { sections, ...(short !== '' && { short }), ...(title !== '' && { title }) },
    sentences,
    dropped,
  };

  function sound({
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
 * A narrative among what is known of the sections. One that was written for an earlier summary says so in each of them.
 */
export function narrativeSections({
  narrative: { sections },
  older,
}: {
  readonly narrative: Narrative;
  /** The handle up to which an older one tells. */
  readonly older?: number | undefined;
}): Sections {
  const label = older === undefined ? [] : [olderLabel(older)];
  return Object.fromEntries(Object.entries(sections).map(([name, text]) => [name, [...label, text]]));
}

/** What stands over an older narrative in each section. */
export function olderLabel(to: number): string {
  return `${partTitles.older} @${to} and not updated since:`;
}

/** A line for a list. */
const longestLine = 200;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1).toWellFormed()}…`;
}

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
