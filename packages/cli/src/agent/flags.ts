import { type Command, Option } from 'commander';
import { LonghaulError } from 'longhaul';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { shortId } from '../session/short-id.ts';
import type { Settings } from '../settings/schema.ts';
import type { ConsentFlags } from './consent.ts';

/** Command-line options for permissions and the working directory. */
export interface ConsentOptions {
  readonly yes?: true;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly addDir?: readonly string[];
  readonly cwd?: string;
}

/** Adds the flags for permissions and the working directory to a command. */
export function addConsentFlags({ command }: { readonly command: Command }): void {
  const gather = (rule: string, rules: readonly string[] = []) => [...rules, rule];
  command
    .option('--yes', 'the same as --mode yes: write here and run commands; dangerous calls still need a rule')
    .addOption(
      new Option('--allow <rule>', "what it may do, e.g. write or 'bash(npm test:*)'; repeatable").argParser(gather),
    )
    .addOption(new Option('--deny <rule>', 'what it may never do; repeatable').argParser(gather))
    .addOption(
      new Option('--add-dir <dir>', 'another folder that belongs to the workspace; repeatable').argParser(gather),
    )
    .option('--cwd <dir>', 'the folder to work in and read settings from; default: the current one');
}

/**
 * Permissions from the flags and the settings. Flags add rules and folders; `--yes` is the mode `yes`.
 *
 * @example
 * const flags = await consentFlags({ options, values, io });
 */
export async function consentFlags({
  options: { yes, allow = [], deny = [], addDir = [] },
  values: { permissions },
  io,
}: {
  readonly options: ConsentOptions;
  readonly values: Pick<Settings, 'permissions'>;
  readonly io: Pick<Io, 'cwd' | 'home' | 'platform' | 'files'>;
}): Promise<ConsentFlags> {
  const { mode } = permissions;
  if (yes && mode !== 'yes' && mode !== 'ask') throw contradiction(mode);
  const { join, resolve } = pathOf(io);
  const folders = [...permissions.folders, ...addDir].map((text) =>
    /^~(?=$|[\\/])/.test(text) ? join(io.home, text.slice(1)) : resolve(io.cwd, text),
  );
  for (const folder of folders) {
    const facts = await io.files.stat(folder).catch(() => undefined);
    if (facts?.kind !== 'folder') throw noFolder(folder);
  }
  return {
    mode: yes ? 'yes' : mode,
    allow: [...permissions.allow, ...allow],
    deny: [...permissions.deny, ...deny],
    folders,
  };
}

function noFolder(folder: string): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: `The folder ${folder} does not exist, so it cannot be added to the workspace.`,
    hint: 'Correct --add-dir or the setting permissions.folders.',
  });
}

function contradiction(mode: string): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: `--yes and the mode ${mode} contradict each other.`,
    hint: 'Use one of them; --yes is the same as --mode yes.',
  });
}

/** Flags that decide where the session is found, what model is used and what it may do. */
export interface ResumeFlags extends ConsentOptions {
  readonly store?: string;
  readonly config?: string;
  readonly model?: string;
  readonly mode?: string;
}

/**
 * The command that resumes a session, with the flags of the run that it needs to continue in the same way.
 *
 * @example
 * resumeCommand({ session: '019b7ca9-0000-7000-8000-000000000000', flags: { store: 'my store' } });
 * // "longhaul -p --session 00000000 --store 'my store'"
 */
export function resumeCommand({ session, flags }: { readonly session: string; readonly flags: ResumeFlags }): string {
  const { store, cwd, config, model, mode, yes, allow = [], deny = [], addDir = [] } = flags;
  const named = Object.entries({ store, cwd, config, model, mode }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value)],
  );
  const rules = [
    ...allow.map((rule) => ['--allow', rule]),
    ...deny.map((rule) => ['--deny', rule]),
    ...addDir.map((folder) => ['--add-dir', folder]),
  ];
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
