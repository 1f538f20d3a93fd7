import { type Approver, createPermissions, type PermissionRequest, type Permissions, parseRule } from 'longhaul/agent';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { questionFor } from './question.ts';

/** What was said about permissions on the command line. */
export interface ConsentFlags {
  readonly yes: boolean;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Who may do what, and which calls were denied because nobody was there to ask. */
export interface Consent {
  readonly permissions: Permissions;
  readonly missed: readonly PermissionRequest[];
}

/**
 * Permissions by the flags. On a terminal a person is asked for the rest; elsewhere it is denied with a sentence that
 * names the flag.
 *
 * @example
 * const { permissions, missed } = consentOf({ io, flags: { yes: false, allow: ['bash(npm test:*)'], deny: [] }, cwd });
 */
export function consentOf({
  io,
  flags,
  cwd,
  isAsking,
  shown,
}: {
  readonly io: Pick<Io, 'ask' | 'home' | 'platform'>;
  readonly flags: ConsentFlags;
  readonly cwd: string;
  /** Whether there may be a person to ask. */
  readonly isAsking: boolean;
  /** Resolves when a person can see which call it is about. */
  readonly shown?: (callId: string) => Promise<void>;
}): Consent {
  const missed: PermissionRequest[] = [];
  const approver: Approver = async (request, signal) => {
    await shown?.(request.callId);
    const answer = isAsking ? await io.ask(questionFor(request), { signal }) : undefined;
    if (signal.aborted) throw new Error('the run was ended while they were asked');
    if (answer === undefined) {
      missed.push(request);
      throw new Error(
        `nobody is there to ask; whoever starts this can allow it with ${flagFor({ request, cwd, io, yes: flags.yes })}`,
      );
    }
    if (/^\s*(?:y|yes)\s*$/i.test(answer)) return 'allow';
    if (/^\s*(?:a|always)\s*$/i.test(answer)) return 'always';
    return { deny: /^\s*(?:n|no)?\s*$/i.test(answer) ? 'they said no' : answer.trim() };
  };
  const mode = flags.yes ? 'yes' : 'ask';
  return {
    missed,
    permissions: createPermissions({
      ...{ mode, allow: flags.allow, deny: flags.deny, approver, cwd, home: io.home },
    }),
  };
}

/**
 * The flag that would allow a call: a rule where one can say it, else `--yes`.
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
  /** Whether it was given and did not suffice. */
  readonly yes: boolean;
}): string {
  // Neither --yes nor a rule covers what is not understood.
  if (access.kind === 'execute' && /^it (?:is not understood|leaves the sandbox)/.test(reason))
    return 'an answer on a terminal only';
  const rule = ruleFor({ access, cwd, io });
  const own = rule !== undefined && isRule({ rule, cwd, io }) ? `--allow '${rule}'` : '--allow and rules for its parts';
  // What is outside of the workspace has to be named.
  return yes || (access.kind !== 'execute' && access.kind !== 'none' && access.isOutside) ? own : `--yes or ${own}`;
}

function isRule(of: { readonly rule: string; readonly cwd: string; readonly io: Pick<Io, 'home'> }): boolean {
  const { rule, cwd, io } = of;
  try {
    // It has to stand between the quotes of a shell.
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
  const [path, second] = access.paths;
  if (path === undefined || second !== undefined) return undefined;
  return `${access.kind}(${access.isOutside ? path : pathOf(io).relative(cwd, path)})`;
}
