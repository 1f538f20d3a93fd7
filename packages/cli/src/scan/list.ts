import type { Io } from '../io/io.ts';
import { age } from '../text/age.ts';
import { bytesText } from '../text/bytes.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import type { Found, PassedOver } from './look.ts';

/** A session of another agent, for a program; the shape is described in docs/import.md. */
export function foundFacts({ session, modifiedAt, title, cwd, ...rest }: Found) {
  return {
    ...rest,
    modifiedAt: new Date(modifiedAt).toISOString(),
    title: title ?? null,
    cwd: cwd ?? null,
    sessionId: session,
  };
}

export const noneFound = 'No sessions were found where agents keep them on this machine.';

/** What was found, numbered, for a person. */
export function scanLines({
  io,
  found,
  passedOver,
  paint,
}: {
  readonly io: Pick<Io, 'now' | 'stdout'>;
  readonly found: readonly Found[];
  readonly passedOver: readonly PassedOver[];
  readonly paint: Paint;
}): string[] {
  if (found.length === 0) return [noneFound, ...passedLines()];
  const now = io.now();
  const titleLength = Math.max(20, io.stdout.columns - 60);
  const rows = found.map(({ agent, bytes, modifiedAt, tokens, status, title, path, parts }, index) => [
    String(index + 1).padStart(String(found.length).length),
    agent,
    bytesText(bytes),
    age(now - modifiedAt),
    `~${number(tokens)} tokens`,
    status === 'new' ? paint.good(status) : status === 'grown' ? paint.strong(status) : paint.faint(status),
    [
      printable(clip({ text: titleOf({ title, path }), length: titleLength })),
      parts.length === 0 ? '' : paint.faint(` +${count({ amount: parts.length, of: 'sub-agent' })}`),
    ].join(''),
  ]);
  return [...columns({ rows }), ...passedLines()];

  function passedLines(): string[] {
    if (passedOver.length === 0) return [];
    return [
      paint.faint(`${count({ amount: passedOver.length, of: 'file' })} there cannot be read as a session: --json`),
    ];
  }
}

/** A database holds the sessions of years; its title is that of the newest. */
function titleOf({ title, path }: Pick<Found, 'title' | 'path'>): string {
  if (!path.endsWith('.db')) return title ?? path;
  return `all sessions of a database${title === undefined ? '' : `, the newest: ${title}`}`;
}
