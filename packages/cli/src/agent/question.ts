import type { PermissionRequest } from 'longhaul/agent';

/**
 * The question that a person is asked about a call. Of a command it shows exactly what runs: the whole line, one row for
 * each of its lines, with every character marked that a terminal would obey or not show.
 *
 * @example
 * questionFor(request); // 'Run in /p (it runs a command):\n  | npm test\n …'
 */
export function questionFor({ access, summary, reason = '' }: PermissionRequest): string {
  const choices = '  Allow it? y = yes, a = always, n or a reason = no: ';
  if (access.kind !== 'execute') return `${marked(summary)}\n${choices}`;
  const { command, cwd, sandbox } = access;
  const rows = command.split('\n');
  const width = String(rows.length).length;
  const shown = rows.map((row, at) =>
    rows.length === 1 ? `  | ${marked(row)}` : `  ${String(at + 1).padStart(width)} | ${marked(row)}`,
  );
  const place = !sandbox
    ? 'without a sandbox'
    : sandbox.isLeft
      ? `outside the sandbox (${sandbox.name})`
      : `in the sandbox (${sandbox.name}, network ${sandbox.network ? 'on' : 'off'})`;
  const count = rows.length > 1 ? `, ${rows.length} lines` : '';
  return `Run in ${marked(cwd)}, ${place}${count}${reason === '' ? '' : `; ${marked(reason)}`}:\n${shown.join('\n')}\n${choices}`;
}

/** Control and format characters, and blanks that are not the usual one. */
const unseen = /[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u27e6]|(?! )\p{Zs}/gu;

/** The same text with such characters as `⟦U+202E⟧`. The bracket is marked as well, so that no text imitates a mark. */
function marked(text: string): string {
  return text.replace(
    unseen,
    (char) => `⟦U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`,
  );
}
