import { shortId } from '../session/short-id.ts';

/** Flags that decide where the session is found, what model is used and what it may do. */
export interface ResumeFlags {
  readonly store?: string;
  readonly cwd?: string;
  readonly config?: string;
  readonly model?: string;
  readonly yes?: true;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/**
 * The command that resumes a session, with the flags of the run that it needs to continue in the same way.
 *
 * @example
 * resumeCommand({ session: '019b7ca9-0000-7000-8000-000000000000', flags: { store: 'my store' } });
 * // "longhaul -p --session 00000000 --store 'my store'"
 */
export function resumeCommand({ session, flags }: { readonly session: string; readonly flags: ResumeFlags }): string {
  const { store, cwd, config, model, yes, allow = [], deny = [] } = flags;
  const named = Object.entries({ store, cwd, config, model }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value)],
  );
  const rules = [...allow.map((rule) => ['--allow', rule]), ...deny.map((rule) => ['--deny', rule])];
  return [
    ...['longhaul', '-p', '--session', shortId({ id: session }), ...named],
    ...(yes ? ['--yes'] : []),
    ...rules.flatMap(([flag = '', rule = '']) => [flag, shellWord(rule)]),
  ].join(' ');
}

/** A word as a POSIX shell reads it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
