import type { PermissionRequest } from '../permission.ts';
import { decideCommand } from './decide-command.ts';
import type { Rule } from './rule.ts';
import { guardedName, isGuardedFile, isSecretFile } from './secret-files.ts';

/** How much is allowed without asking. */
export type PermissionMode = 'ask' | 'auto-edit' | 'yes' | 'read-only';

/** What is known when somebody decides. */
export interface Standing {
  readonly mode: PermissionMode;
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  /** The workspace, real. */
  readonly root: string;
  readonly home: string;
  /** Where a path leads after all links; left out, links are not followed. */
  readonly follow?: (path: string) => string;
}

/** `ask` says what there is to think about. */
export interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly why: string;
}

/**
 * What is to happen with a call. Pure: the same call in the same standing is decided in the same way, and nothing that a
 * model or a tool wrote is looked at but the call itself.
 *
 * @example
 * decide({ request, standing: { mode: 'ask', allow: [], deny: [], root: '/p', home: '/home/me' } }).verdict; // 'ask'
 */
export function decide({
  request,
  standing,
}: {
  readonly request: PermissionRequest;
  readonly standing: Standing;
}): Verdict {
  const found = byRules({ request, standing });
  const { mustAsk } = request;
  return found.verdict === 'allow' && mustAsk !== undefined
    ? { verdict: 'ask', why: `a hook wants it: ${mustAsk}` }
    : found;
}

function byRules({ request, standing }: { readonly request: PermissionRequest; readonly standing: Standing }): Verdict {
  const { access } = request;
  const ofCommands = (rules: readonly Rule[]) =>
    rules.filter(({ tool }) => tool === nameIn(request) || tool === 'bash');
  switch (access.kind) {
    case 'none': {
      const rule = standing.deny.find(({ tool, command, paths }) => tool === nameIn(request) && !command && !paths);
      return rule ? denied(rule) : { verdict: 'allow', why: 'it touches nothing' };
    }
    case 'read':
    case 'write':
      return aboutFiles({ request, access, standing });
    case 'execute':
      return decideCommand({
        ...{ access, mode: standing.mode, root: standing.root, follow: standing.follow ?? ((path) => path) },
        ...{ allow: ofCommands(standing.allow), deny: ofCommands(standing.deny) },
      });
  }
}

/** As rules write it. */
function nameIn({ tool }: PermissionRequest): string {
  return tool.toLowerCase();
}

type Files = Extract<PermissionRequest['access'], { readonly paths: readonly string[] }>;

function aboutFiles(of: {
  readonly request: PermissionRequest;
  readonly access: Files;
  readonly standing: Standing;
}): Verdict {
  const { request, access, standing } = of;
  const { mode, allow, deny } = standing;
  const { kind, paths, isOutside } = access;
  const names = [nameIn(request), kind];
  const fits = (rule: Rule, path: string) =>
    names.includes(rule.tool) && !rule.command && (!rule.paths || rule.paths.some((pattern) => pattern.test(path)));
  const forbidden = deny.find((rule) => paths.some((path) => fits(rule, path)));
  if (forbidden) return denied(forbidden);
  if (kind === 'write' && mode === 'read-only') return { verdict: 'deny', why: 'this agent may only look at things' };
  // A rule for all paths means all of the workspace; what is elsewhere or secret has to be named.
  const isNamed = (path: string) => {
    // `write(**)` means the work, not the instructions, hooks and settings in it.
    const name = kind === 'write' ? guardedName(path) : undefined;
    const isClear = ({ text }: Rule) => name === undefined || text.toLowerCase().includes(name);
    return allow.some((rule) => fits(rule, path) && rule.paths !== undefined && isClear(rule));
  };
  const isAllowed = (path: string) => allow.some((rule) => fits(rule, path));
  if (paths.length > 0 && paths.every(isNamed)) return { verdict: 'allow', why: 'a rule allows it' };
  if (isOutside) return { verdict: 'ask', why: 'it is outside the workspace' };
  if (paths.some(isSecretFile)) return { verdict: 'ask', why: 'secrets are kept in it' };
  if (kind === 'write' && paths.some(isGuardedFile))
    return { verdict: 'ask', why: 'it decides what an agent is told or what runs later' };
  if (kind === 'read') return { verdict: 'allow', why: 'it is in the workspace' };
  if (mode !== 'ask' || paths.every(isAllowed)) return { verdict: 'allow', why: 'it is in the workspace' };
  return { verdict: 'ask', why: 'it changes a file' };
}

function denied({ text }: Rule): Verdict {
  return { verdict: 'deny', why: `the rule ${text} forbids it` };
}
