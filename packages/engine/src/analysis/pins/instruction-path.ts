import { pathKey, resolvePath } from '../calls/paths.ts';

/** The kind of an instruction file: project instructions or a skill. */
export type InstructionKind = 'instructions' | 'skill';

/** Names of instruction files, in any directory. */
const names =
  /^(?:agents?(?:\.(?:local|override))?\.md|claude(?:\.local)?\.md|gemini\.md|qwen\.md|warp\.md|codex\.md|copilot-instructions\.md|.{1,100}\.instructions\.md|contributing(?:\.md|\.rst|\.txt)?|conventions\.md|\.(?:cursor|windsurf|cline|roo)rules(?:-\w{1,30})?|\.goosehints)$/i;

/** Directories in which every text file is an instruction file. */
const folders =
  /(?:^|\/)(?:\.cursor\/rules|\.windsurf\/rules|\.clinerules|\.roo\/rules(?:-\w{1,30})?|\.github\/instructions|\.claude\/rules|\.kiro\/steering|\.continue\/rules|\.amazonq\/rules)\/(?:[^/]{1,100}\/){0,3}[^/]{1,100}\.(?:mdc?|txt)$/i;

const skills =
  /(?:^|\/)skill\.md$|(?:^|\/)\.[a-z][\w-]{1,40}\/(?:[^/]{1,100}\/){0,6}skills\/[^/]{1,100}\/(?:[^/]{1,100}\/){0,3}[^/]{1,100}\.md$/i;

/** Directories of other projects, whose instructions do not apply. */
const foreign =
  /(?:^|\/)(?:node_modules|vendor|third[_-]?party|site-packages|\.?venv|fixtures?|testdata|__\w{1,30}__|te?mp|downloads?)\//i;

/** Configuration directories of agents in a home directory. */
const configuration = /^(?:~|\/(?:home|users)\/[^/]{1,100}|\/root|[a-z]:\/users\/[^/]{1,100})\/\.[a-z][\w-]{0,40}\//i;

/**
 * Whether a file is an instruction file by its path: by its name, inside the project, above it, or in an agent's own
 * configuration. Of files elsewhere nothing is known, so they are none.
 *
 * @example
 * instructionKind({ path: '/srv/app/AGENTS.md', root: '/srv/app' }); // 'instructions'
 * instructionKind({ path: '/srv/app/node_modules/x/AGENTS.md', root: '/srv/app' }); // undefined
 */
export function instructionKind({
  path,
  root,
}: {
  readonly path: string;
  /** The working directory of the session. */
  readonly root?: string | undefined;
}): InstructionKind | undefined {
  const kind = kindOf(pathKey({ path: resolvePath({ path, base: root }) }));
  return kind !== undefined && isOwnFile({ path, root }) ? kind : undefined;
}

/**
 * Whether a file belongs to the project or to the configuration of its owner's agents, and not to a dependency.
 *
 * @example
 * isOwnFile({ path: '/srv/app/docs/plan.md', root: '/srv/app' }); // true
 */
export function isOwnFile({ path, root }: { readonly path: string; readonly root?: string | undefined }): boolean {
  const key = pathKey({ path: resolvePath({ path, base: root }) });
  const base = root === undefined ? undefined : pathKey({ path: root });
  if (!isOwned({ key, base })) return false;
  const inside = base !== undefined && key.startsWith(`${base}/`) ? key.slice(base.length + 1) : key;
  const isConfigured = configuration.test(key);
  return isConfigured || !foreign.test(inside) || (base !== undefined && inside === key);
}

function kindOf(key: string): InstructionKind | undefined {
  if (skills.test(key)) return 'skill';
  return names.test(key.slice(key.lastIndexOf('/') + 1)) || folders.test(key) ? 'instructions' : undefined;
}

function isOwned({ key, base }: { readonly key: string; readonly base: string | undefined }): boolean {
  const isAbsolute = /^(?:[/~]|[a-z]:\/)/i.test(key);
  if (!isAbsolute) return !key.startsWith('../');
  if (base === undefined || key.startsWith(`${base}/`) || configuration.test(key)) return true;
  const folder = key.slice(0, key.lastIndexOf('/'));
  return folder.length > 1 && base.startsWith(`${folder}/`);
}
