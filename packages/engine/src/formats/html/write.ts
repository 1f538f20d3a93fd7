import type { Json } from '../../json.ts';
import { closeDocument, dataBlock, openDocument } from '../../page/document.ts';
import type { SessionHeader } from '../../session/index.ts';
import { factsOf } from '../export/facts.ts';
import type { Source } from '../export/source.ts';
import { type Survey, surveyOf } from '../export/survey.ts';
import { traced } from '../export/trace.ts';
import { createPageEntries } from './entry.ts';
import { page as code } from './page.generated.ts';
import type { PageEntry, PageSession } from './shape.ts';

const noscript =
  'This page shows a session with the script that is in it. It needs no network, but it needs the script.';

/** So many entries, or so many characters, stand in one block of data: a page of any size is written in pieces. */
const block = { entries: 200, chars: 1_000_000 };

/**
 * A session as one HTML file with everything in it: the timeline of every branch, what was compacted and by what it was
 * replaced, how much was sent when. It works from the disk and asks nobody for anything.
 *
 * @example
 * for await (const piece of writeHtml(source)) stream.write(piece);
 */
export async function* writeHtml(source: Source): AsyncGenerator<string> {
  const survey = await surveyOf(source);
  const session = sessionOf({ header: source.header, survey, leaf: source.head.leaf });
  const toPage = createPageEntries({ survey });

  yield openDocument({ title: session.title, code, noscript });
  yield dataBlock({ name: 'session', value: session as unknown as Json });
  let entries: PageEntry[] = [];
  let chars = 0;
  for await (const step of traced(source.entries())) {
    const entry = toPage(step);
    entries.push(entry);
    chars += entry.parts.reduce((sum, part) => sum + (part.type === 'image' ? part.source : part.text).length, 0);
    if (entries.length < block.entries && chars < block.chars) continue;
    yield dataBlock({ name: 'entries', value: entries as unknown as Json });
    entries = [];
    chars = 0;
  }
  if (entries.length > 0) yield dataBlock({ name: 'entries', value: entries as unknown as Json });
  yield closeDocument({ code });
}

function sessionOf({
  header,
  survey,
  leaf,
}: {
  readonly header: SessionHeader;
  readonly survey: Survey;
  readonly leaf: string | null;
}): PageSession {
  const { name, title } = survey.summary;
  return {
    title: name ?? title ?? 'A session',
    facts: factsOf(header),
    leaf: leaf === null ? null : (survey.handleOf(leaf) ?? null),
  };
}
