type HookEnvironment = Readonly<Record<string, string | undefined>>;

/** What a shell and the programs in it need. None of these holds a key. */
const usual = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ'],
  ...['TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'],
  // Without these nothing starts on Windows.
  ...['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramFiles'],
];

/**
 * The environment of a hook: what a shell needs, and what the user named for it. A key that lies in the environment for
 * the agent's model is no business of every script.
 *
 * @example
 * hookEnvironment({ from: process.env, named: ['SLACK_TOKEN'], folder: '/repo' });
 */
export function hookEnvironment({
  from,
  named = [],
  folder,
}: {
  readonly from: HookEnvironment;
  readonly named?: readonly string[];
  readonly folder: string;
}): Record<string, string> {
  const wanted = new Set([...usual, ...named].map((name) => name.toUpperCase()));
  const kept = Object.entries(from).flatMap(([name, value]): [string, string][] =>
    value !== undefined && wanted.has(name.toUpperCase()) ? [[name, value]] : [],
  );
  // By the name under which scripts for Claude Code look for it.
  return { ...Object.fromEntries(kept), CLAUDE_PROJECT_DIR: folder };
}
