import { readFrontmatter } from './skills/frontmatter.ts';
import type { AgentProfile } from './types.ts';

/**
 * The custom agent in a Markdown file, as Claude Code, Copilot and opencode keep them: `name` and `description` in the front
 * matter, its instructions in the body.
 *
 * @example
 * readProfile({ text: '---\nname: reviewer\n---\nLook for bugs only.', name: 'reviewer' }).instructions; // 'Look for bugs only.'
 */
export function readProfile({
  text,
  name,
}: {
  readonly text: string;
  /** Where the front matter has none. */
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
