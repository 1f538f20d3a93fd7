import { readFrontmatter } from './skills/frontmatter.ts';
import type { AgentProfile } from './types.ts';

/**
 * Reads a custom agent from a Markdown file in the format of Claude Code, Copilot and opencode: `name` and
 * `description` in the front matter, instructions in the body.
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
  return {
    name: fields.name || name,
    ...(fields.description && { description: fields.description }),
    ...(instructions !== '' && { instructions }),
  };
}
