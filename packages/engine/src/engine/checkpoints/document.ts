import type { Session } from '../../session/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import { fileTitle } from './title.ts';

/** The name of the list of all checkpoints. */
export const indexName = 'index.md';

/** The first line of every file that is ours, by which it is known again. */
export function markOf(session: Pick<Session, 'id'>): string {
  return `<!-- longhaul checkpoint of session ${session.id.replace(/[^\w.:-]/g, '_')}: made anew from its log, changes are lost -->`;
}

/**
 * The file of a checkpoint: `NNN-title.md`.
 *
 * @example
 * checkpointName({ number: 7, title: 'Fix the build' }); // '007-fix-the-build.md'
 */
export function checkpointName({ number, title }: Pick<Checkpoint, 'number' | 'title'>): string {
  return `${String(number).padStart(3, '0')}-${fileTitle(title)}.md`;
}

/**
 * A checkpoint as a document: what it is, then its summary.
 *
 * @example
 * await writeFile(checkpointName(checkpoint), checkpointText({ checkpoint, session }));
 */
export function checkpointText({
  checkpoint,
  session,
}: {
  readonly checkpoint: Checkpoint;
  readonly session: Pick<Session, 'id'>;
}): string {
  const { number, title, at, trigger, summary, strategy } = checkpoint;
  const facts = [
    ['when', isoTime(at)],
    ['tokens', tokensText(checkpoint)],
    ['replaced', handlesText(checkpoint)],
    ['entry', `@${checkpoint.handle}`],
    ['why', trigger],
    ['made', strategy ?? ''],
  ].filter(([, value]) => value !== '');
  const rows = facts.map(([name, value]) => `| ${name} | ${inTable(value ?? '')} |`);
  const table = ['| | |', '|---|---|', ...rows].join('\n');
  return `${markOf(session)}\n# ${number}. ${inText(title)}\n\n${table}\n\n${summary.trimEnd()}\n`;
}

/**
 * The list of all checkpoints, with links to their files.
 *
 * @example
 * await writeFile(indexName, indexText({ checkpoints, session }));
 */
export function indexText({
  checkpoints,
  session,
}: {
  readonly checkpoints: readonly Checkpoint[];
  readonly session: Pick<Session, 'id'>;
}): string {
  const count = checkpoints.length === 1 ? '1 checkpoint' : `${checkpoints.length} checkpoints`;
  const rows = checkpoints.map((checkpoint) => {
    const { number, title, at } = checkpoint;
    const link = `[${inTable(title)}](${encodeURI(checkpointName(checkpoint))})`;
    return `| ${number} | ${link} | ${isoTime(at)} | ${tokensText(checkpoint)} | ${handlesText(checkpoint)} |`;
  });
  const table = ['| # | checkpoint | when | tokens | replaced |', '|---|---|---|---|---|', ...rows].join('\n');
  return `${markOf(session)}\n# Checkpoints\n\n${count}.\n${rows.length === 0 ? '' : `\n${table}\n`}`;
}

/**
 * How much was sent before and after, for people.
 *
 * @example
 * tokensText({ tokensBefore: 120_000, tokensAfter: 31_000 }); // '120,000 → 31,000'
 */
export function tokensText({ tokensBefore, tokensAfter }: Pick<Checkpoint, 'tokensBefore' | 'tokensAfter'>): string {
  const number = (tokens: number) => tokens.toLocaleString('en-US');
  return tokensAfter === undefined ? number(tokensBefore) : `${number(tokensBefore)} → ${number(tokensAfter)}`;
}

/**
 * What was replaced, for people.
 *
 * @example
 * handlesText({ handles: { from: 3, to: 159 } }); // '@3 to @159'
 */
export function handlesText({ handles }: Pick<Checkpoint, 'handles'>): string {
  return handles ? `@${handles.from} to @${handles.to}` : '';
}

function inTable(text: string): string {
  return inText(text).replaceAll('|', '\\|');
}

/** What would be a link, a tag or an emphasis is text here. */
function inText(text: string): string {
  return text.replace(/[\\`*_[\]<>#]/g, '\\$&');
}

/** Only dates that can be written; a log may hold any number. */
function isoTime(at: number): string {
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}
