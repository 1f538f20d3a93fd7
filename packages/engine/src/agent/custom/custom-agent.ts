import { readFrontmatter, readList } from '../skills/frontmatter.ts';
import type { AgentProfile } from '../types.ts';
import { type CustomFolders, findCustomFiles, toolNames } from './custom-files.ts';

/** A custom agent that tasks can be delegated to. */
export interface CustomAgent extends AgentProfile {
  /** Real path of its file. */
  readonly file: string;
  /** Whether it belongs to the project, whose files are not trusted. */
  readonly isProject: boolean;
  /** The whole file, for trust that is bound to the content. */
  readonly text: string;
}

/**
 * Reads a custom agent from a Markdown file in the format of Claude Code, Copilot and opencode: `name`, `description`,
 * `tools`, `disallowedTools`, `model`, `maxTurns` and `isolation` in the front matter, instructions in the body.
 *
 * @example
 * readProfile({ text: '---\nname: reviewer\n---\nLook for bugs only.', name: 'reviewer' }).instructions; // 'Look for bugs only.'
 */
export function readProfile({
  text,
  name,
}: {
  readonly text: string;
  /** Used if the front matter has no name. */
  readonly name: string;
}): AgentProfile {
  const { fields, body } = readFrontmatter(text);
  const instructions = body.trim();
  const tools = readList(fields.tools);
  const without = readList(fields.disallowedTools);
  const model = fields.model?.trim();
  const maxTurns = Number(fields.maxTurns ?? '');
  return {
    name: fields.name || name,
    ...(fields.description && { description: fields.description }),
    ...(instructions !== '' && { instructions }),
    ...(tools.length > 0 && !tools.includes('*') && { tools: toolNames(tools) }),
    ...(without.length > 0 && { withoutTools: toolNames(without) }),
    ...(model && model !== 'inherit' && { model }),
    ...(Number.isInteger(maxTurns) && maxTurns > 0 && { maxTurns }),
    ...(fields.isolation === 'worktree' && { isolation: 'worktree' as const }),
  };
}

/**
 * The custom agents of a project (`.longhaul/agents`, `.claude/agents`) and of folders of the user. Those of a project are
 * to be used only if the user trusts them.
 *
 * @example
 * const agents = await findAgents({ cwd: '/repo', folders: [join(homedir(), '.claude/agents')] });
 */
export async function findAgents({ onSkipped, ...of }: CustomFolders): Promise<readonly CustomAgent[]> {
  const files = await findCustomFiles({ ...of, kind: 'agents', ...(onSkipped && { onSkipped }) });
  const agents = new Map<string, CustomAgent>();
  for (const { name, file, isProject, text } of files) {
    const profile = readProfile({ text, name });
    const problem = problemOf(profile);
    if (problem !== undefined) onSkipped?.(`The agent ${file} is not used: ${problem}.`);
    else if (!agents.has(profile.name)) agents.set(profile.name, { ...profile, file, isProject, text });
  }
  return [...agents.values()];
}

function problemOf({ name, description, instructions }: AgentProfile): string | undefined {
  if (!/^[\w.:-]{1,64}$/.test(name)) return 'its name may have letters, digits, dots, colons and dashes only';
  if (description === undefined) return 'its front matter needs a description';
  return instructions === undefined ? 'it has no instructions' : undefined;
}

/**
 * Whether an agent may have a tool. `recall` belongs to the engine and is never taken away.
 *
 * @example
 * isToolOf({ profile: { tools: ['read'] }, tool: 'bash' }); // false
 */
export function isToolOf({
  profile: { tools, withoutTools = [] },
  tool,
}: {
  readonly profile: Pick<AgentProfile, 'tools' | 'withoutTools'>;
  readonly tool: string;
}): boolean {
  if (tool === 'recall') return true;
  return (tools === undefined || tools.includes(tool)) && !withoutTools.includes(tool);
}
