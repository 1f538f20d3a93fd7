import type { SessionHeader } from '../../session/index.ts';
import { factsOf } from '../export/facts.ts';
import type { Survey } from '../export/survey.ts';
import { isoTime } from '../time.ts';
import { plain } from './text.ts';

/** What the document is about: a title, and the facts of the session in a table. */
export function headBlocks({ header, survey }: { readonly header: SessionHeader; readonly survey: Survey }): string[] {
  const { name, title, count, messages, updatedAt } = survey.summary;
  const facts = [
    ...factsOf(header),
    ['begun', dayAndTime(header.createdAt)],
    ['last entry', dayAndTime(updatedAt)],
    ['size', `${count} entries, ${messages} of them messages`],
  ] as const;
  const rows = facts.map(([what, value]) => `| ${what} | ${plain(value)} |`);
  return [`# ${plain(name ?? title ?? 'A session')}`, ['| | |', '|---|---|', ...rows].join('\n')];
}

/** A moment for people, in UTC: a document may be read anywhere. */
export function dayAndTime(at: number): string {
  return `${isoTime(at).slice(0, 19).replace('T', ' ')} UTC`;
}
