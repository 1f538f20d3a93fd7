import { readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { LonghaulError } from '../../errors.ts';
import type { Approver, PermissionRequest, Permissions } from '../permission.ts';
import { plain } from '../plain-text.ts';
import { decide, type PermissionContext, type PermissionMode } from './decide.ts';
import { parseRule } from './rule.ts';

/** Settings of permissions. */
export interface PermissionsInput {
  /** Default: `ask`. */
  readonly mode?: PermissionMode;
  /** Rules such as `bash(npm test:*)`, `write(src/**)`, `read(~/notes/**)`. */
  readonly allow?: readonly string[];
  /** Deny rules take precedence over everything else. */
  readonly deny?: readonly string[];
  /** Without an approver, what would need approval is denied. */
  readonly approver?: Approver;
  /** The workspace. */
  readonly cwd: string;
  /** Further folders that count as part of the workspace. */
  readonly folders?: readonly string[];
  readonly home?: string;
}

/**
 * Decides about calls by mode and rules, and asks the approver otherwise, one question at a time. `always` covers
 * exactly the same call: the same command in the same folder, the same files with the same access.
 *
 * @example
 * const permissions = createPermissions({ mode: 'ask', allow: ['bash(npm test:*)'], cwd: process.cwd() });
 * await permissions.decide({ callId: 'c1', tool: 'ls', input: {}, access: { kind: 'none' }, summary: 'ls' }, signal);
 */
export function createPermissions({
  mode = 'ask',
  allow = [],
  deny = [],
  approver,
  cwd,
  folders = [],
  home = homedir(),
}: PermissionsInput): Permissions {
  const root = real(cwd);
  const read = (text: string) => parseRule({ text, cwd: root, home, real });
  const context: PermissionContext = {
    mode: known(mode),
    allow: allow.map(read),
    deny: deny.map(read),
    root,
    folders: folders.map(real),
    home,
    follow,
  };
  const remembered = new Set<string>();
  let line: Promise<unknown> = Promise.resolve();
  return {
    async decide(request, signal, preview) {
      const { verdict, why } = decide({ request, context });
      if (verdict === 'deny') return refused(`${why}.`);
      if (verdict === 'allow' || request.isApproved) return { allowed: true };
      if (!approver) return refused(`${why}, and no approver is available.`);
      const asked = line.then(() => ask({ request, why, approver, signal, preview }));
      line = asked.catch(() => undefined);
      return await asked;
    },
  };

  async function ask(of: {
    readonly request: PermissionRequest;
    readonly why: string;
    readonly approver: Approver;
    readonly signal: AbortSignal;
    readonly preview: (() => Promise<string | undefined>) | undefined;
  }): ReturnType<Permissions['decide']> {
    const { request, why, approver, signal } = of;
    const key = keyOf(request);
    // The same call may have been answered while this one waited.
    if (remembered.has(key) && request.mustAsk === undefined) return { allowed: true };
    if (signal.aborted) return refused('the work was stopped before the user was asked.');
    try {
      const preview = await of.preview?.();
      const reason = plain(request.reason === undefined ? why : `${why}; ${request.reason}`);
      const summary = plain(`${request.summary} (${why})`);
      const answer = await approver({ ...request, summary, reason, ...(preview !== undefined && { preview }) }, signal);
      if (answer === 'always') remembered.add(key);
      if (answer === 'allow' || answer === 'always') return { allowed: true };
      return refused(`the user denied it: ${plain(answer.deny) || 'no reason was given'}.`);
    } catch (error) {
      return refused(`${why}, and the approval failed (${error instanceof Error ? error.message : String(error)}).`);
    }
  }
}

function refused(why: string): { readonly allowed: false; readonly why: string } {
  return { allowed: false, why: `${why} Do not work around it; continue without it, or ask the user.` };
}

/** Deliberately narrow: this call, not the whole tool. */
function keyOf({ tool, access }: PermissionRequest): string {
  switch (access.kind) {
    case 'none':
      return JSON.stringify(['none', tool]);
    case 'fetch':
      return JSON.stringify(['fetch', access.host]);
    case 'remote':
      return JSON.stringify(['remote', access.tool, access.fingerprint]);
    case 'execute':
      return JSON.stringify(['execute', access.cwd, access.command, access.sandbox?.isLeft === true]);
    default:
      return JSON.stringify([access.kind, access.paths.toSorted()]);
  }
}

/** More links in a row are treated as a cycle. */
const mostLinks = 40;

/** Resolves all links of a path, even if its end does not exist yet. A cycle of links resolves to nothing. */
function follow(path: string): string {
  let [at, rest, links] = [path, '', 0];
  for (;;) {
    try {
      return join(realpathSync.native(at), rest);
    } catch {
      const target = linkAt(at);
      if (target !== undefined && links < mostLinks) {
        links += 1;
        at = resolve(dirname(at), target);
      } else if (at === dirname(at) || links >= mostLinks) return '/dev/null/unknown';
      else {
        rest = join(basename(at), rest);
        at = dirname(at);
      }
    }
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** The real path; the path itself if it does not exist. */
export function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

const modes: readonly string[] = ['ask', 'auto-edit', 'yes', 'read-only', 'plan'] satisfies readonly PermissionMode[];

/** The mode may come from files and flags, so it is validated. */
function known(mode: PermissionMode): PermissionMode {
  if (modes.includes(mode)) return mode;
  const message = `Unknown permission mode ${JSON.stringify(mode)}.`;
  throw new LonghaulError({ code: 'bad-mode', message, hint: `Use one of ${modes.join(', ')}.` });
}
