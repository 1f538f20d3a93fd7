import {
  type Approver,
  createPermissions,
  type PermissionMode,
  type PermissionRequest,
  type Permissions,
  parseRule,
} from 'longhaul/agent';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import type { RememberedRules } from './remembered-rules.ts';

/** Permissions given by flags and settings. */
export interface ConsentFlags {
  readonly mode: PermissionMode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Further folders of the workspace, absolute. */
  readonly folders: readonly string[];
}

/** The permissions of a run, and the calls that were denied because there was no terminal to ask on. */
export interface Consent {
  readonly permissions: Permissions;
  readonly missed: readonly PermissionRequest[];
}

/**
 * Creates permissions from the flags. Other calls need the user's approval: on a terminal the user is asked; without one
 * they are denied, and the reason names the flag that allows them.
 *
 * @example
 * const { permissions, missed } = consentOf({ io, flags, cwd, isAsking: io.stdinIsTerminal, remembered });
 */
export function consentOf({
  io,
  flags,
  cwd,
  isAsking,
  shown,
  remembered,
  approver: given,
}: {
  readonly io: Pick<Io, 'ask' | 'home' | 'platform'>;
  readonly flags: ConsentFlags;
  readonly cwd: string;
  /** Whether the user can be asked. */
  readonly isAsking: boolean;
  /** Resolves when the line about the call has been printed. */
  readonly shown?: (callId: string) => Promise<void>;
  /** The rules that the user saved for this folder. */
  readonly remembered?: RememberedRules;
  /** Answers instead of the user of the terminal. */
  readonly approver?: Approver | undefined;
}): Consent {
  const missed: PermissionRequest[] = [];
  const approver: Approver = async (request, signal) => {
    await shown?.(request.callId);
    const rule = remembered && savedRule({ request, cwd, io });
    const answer = isAsking
      ? await io.ask(questionFor({ request, isSavable: rule !== undefined }), { signal })
      : undefined;
    if (signal.aborted) throw new Error('the run ended before the question was answered');
    if (answer === undefined) {
      if (!request.isOptional) missed.push(request);
      const flag = flagFor({ request, cwd, io, yes: flags.mode === 'yes' });
      throw new Error(`there is no terminal to ask for approval; it can be allowed with ${flag}`);
    }
    if (/^\s*(?:y|yes)\s*$/i.test(answer)) return 'allow';
    if (/^\s*(?:a|always)\s*$/i.test(answer)) return 'always';
    if (rule !== undefined && /^\s*(?:f|folder)\s*$/i.test(answer)) {
      await remembered?.add(rule);
      return 'always';
    }
    return { deny: /^\s*(?:n|no)?\s*$/i.test(answer) ? 'the user said no' : answer.trim() };
  };
  const { mode, allow, deny, folders } = flags;
  return {
    missed,
    permissions: createPermissions({
      mode,
      allow: [...(remembered?.rules ?? []), ...allow],
      deny,
      approver: given ?? approver,
      cwd,
      folders,
      home: io.home,
    }),
  };
}

/**
 * The rule that allows exactly this call in the next run as well; `undefined` if no rule can.
 *
 * @example
 * savedRule({ request, cwd: '/p', io }); // 'bash(npm test)'
 */
export function savedRule({
  request: { access, reason = '' },
  cwd,
  io,
}: {
  readonly request: Pick<PermissionRequest, 'access' | 'reason'>;
  readonly cwd: string;
  readonly io: Pick<Io, 'home' | 'platform'>;
}): string | undefined {
  if (access.kind === 'execute' && isOnTerminalOnly(reason)) return undefined;
  const rule = ruleFor({ access, cwd, io });
  // The consent holds for the tool as it was shown.
  const bound = access.kind === 'remote' ? `${rule}(#${access.fingerprint})` : rule;
  return bound !== undefined && isRule({ rule: bound, cwd, io }) ? bound : undefined;
}

/** Neither `--yes` nor a rule covers a command that cannot be analyzed or leaves the sandbox. */
function isOnTerminalOnly(reason: string): boolean {
  return /^it (?:could not be analyzed|runs outside)/.test(reason);
}

/**
 * The flag that would allow a call: a rule if one can express it, otherwise `--yes`.
 *
 * @example
 * flagFor({ request, cwd: '/p', io, yes: false }); // --yes or --allow 'bash(npm test)'
 */
export function flagFor({
  request: { access, reason = '' },
  cwd,
  io,
  yes,
}: {
  readonly request: Pick<PermissionRequest, 'access' | 'reason'>;
  readonly cwd: string;
  readonly io: Pick<Io, 'home' | 'platform'>;
  /** Whether `--yes` was given and was not enough. */
  readonly yes: boolean;
}): string {
  if (access.kind === 'execute' && isOnTerminalOnly(reason)) return 'an answer on a terminal only';
  const rule = ruleFor({ access, cwd, io });
  const own = rule !== undefined && isRule({ rule, cwd, io }) ? `--allow '${rule}'` : '--allow and rules for its parts';
  // Paths outside the workspace must be named by a rule.
  return yes || ('isOutside' in access && access.isOutside) ? own : `--yes or ${own}`;
}

function isRule(of: { readonly rule: string; readonly cwd: string; readonly io: Pick<Io, 'home'> }): boolean {
  const { rule, cwd, io } = of;
  try {
    // The rule is printed inside single quotes.
    return !/['\n]/.test(rule) && parseRule({ text: rule, cwd, home: io.home }) !== undefined;
  } catch {
    return false;
  }
}

function ruleFor({
  access,
  cwd,
  io,
}: {
  readonly access: PermissionRequest['access'];
  readonly cwd: string;
  readonly io: Pick<Io, 'platform'>;
}): string | undefined {
  if (access.kind === 'none') return undefined;
  if (access.kind === 'execute') return `bash(${access.command})`;
  if (access.kind === 'fetch') return `fetch(${access.host})`;
  if (access.kind === 'remote') return access.tool;
  const [path, second] = access.paths;
  if (path === undefined || second !== undefined) return undefined;
  return `${access.kind}(${access.isOutside ? path : pathOf(io).relative(cwd, path)})`;
}

/** Longer previews are cut; the file itself can be read in another window. */
const mostLines = 60;
const widest = 200;

/**
 * The question about a call. For a command it shows exactly what would run, line by line; for a file what would change.
 * Control and invisible characters are made visible.
 *
 * @example
 * questionFor({ request, isSavable: false }); // 'Run in /p (it runs a command):\n  | npm test\n …'
 */
export function questionFor({
  request: { access, summary, preview, reason = '' },
  isSavable,
}: {
  readonly request: PermissionRequest;
  /** Whether the answer can be saved for this folder. */
  readonly isSavable: boolean;
}): string {
  const folder = isSavable ? ', f = always in this folder' : '';
  const choices = `  Allow it? y = yes, a = always in this run${folder}, n or a reason = no: `;
  if (access.kind !== 'execute') return `${marked(summary)}\n${previewLines(preview)}${choices}`;
  const { command, cwd } = access;
  const rows = command.split('\n');
  const width = String(rows.length).length;
  const shown = rows.map((row, at) =>
    rows.length === 1 ? `  | ${marked(row)}` : `  ${String(at + 1).padStart(width)} | ${marked(row)}`,
  );
  const place = placeText(access);
  const count = rows.length > 1 ? `, ${rows.length} lines` : '';
  return `Run in ${marked(cwd)}, ${place}${count}${reason === '' ? '' : `; ${marked(reason)}`}:\n${shown.join('\n')}\n${choices}`;
}

/**
 * Where a command would run, in words.
 *
 * @example
 * placeText({ kind: 'execute', command: 'ls', cwd: '/p' }); // 'without a sandbox'
 */
export function placeText({ sandbox }: Extract<PermissionRequest['access'], { kind: 'execute' }>): string {
  if (!sandbox) return 'without a sandbox';
  if (sandbox.isLeft) return `outside the sandbox (${sandbox.name})`;
  return `in the sandbox (${sandbox.name}, network ${sandbox.network ? 'on' : 'off'})`;
}

function previewLines(preview: string | undefined): string {
  if (preview === undefined) return '';
  const lines = preview.trimEnd().split('\n');
  const shown = lines.slice(0, mostLines).map((line) => {
    const text = marked(line.replaceAll('\t', '  '));
    return `  | ${text.length > widest ? `${text.slice(0, widest)}…` : text}\n`;
  });
  const rest = lines.length - shown.length;
  return `${shown.join('')}${rest > 0 ? `  | … ${rest} more lines\n` : ''}`;
}

/** Control and format characters, and spaces other than U+0020. */
const unseen = /[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u27e6]|(?! )\p{Zs}/gu;

/**
 * Shows such characters as `⟦U+202E⟧`. The bracket itself is escaped too, so that no text can imitate the escape.
 *
 * @example
 * marked('rm \u202e -rf'); // 'rm ⟦U+202E⟧ -rf'
 */
export function marked(text: string): string {
  return text.replace(
    unseen,
    (char) => `⟦U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`,
  );
}
