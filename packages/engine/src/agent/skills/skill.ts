import { dirname, join } from 'node:path';
import { diskFiles, type Files, isInside } from '../files.ts';
import { readFrontmatter } from './frontmatter.ts';

/** Something an agent can learn when it needs it: a folder with a `SKILL.md` in it. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The folder, for the files that the skill names. */
  readonly folder: string;
  /** The `SKILL.md` itself. */
  readonly file: string;
}

/** Where projects keep skills, by the names that agents agree on. */
const projectFolders: readonly string[] = ['.agents/skills', '.claude/skills'];

/** More would fill the head with what is hardly ever needed. */
const mostSkills = 64;

/** Characters of a description in the list. */
const longest = 400;

/**
 * The skills that are there: those of the project, then those of the folders that the user named. Of two with one name the
 * first counts. A skill of the project that leads out of it is left out; the user's own may lie anywhere.
 *
 * @example
 * const skills = await findSkills({ cwd: '/repo', folders: [join(homedir(), '.longhaul/skills')] });
 */
export async function findSkills({
  cwd,
  folders = [],
  files = diskFiles,
}: {
  readonly cwd: string;
  readonly folders?: readonly string[];
  readonly files?: Files;
}): Promise<readonly Skill[]> {
  const root = (await files.real(cwd)) ?? cwd;
  const places = [
    ...projectFolders.map((folder) => ({ folder: join(root, folder), within: root })),
    ...folders.map((folder) => ({ folder, within: undefined })),
  ];
  const found = new Map<string, Skill>();
  for (const { folder, within } of places) {
    for (const name of await files.names(folder)) {
      const skill = await readSkill({ file: join(folder, name, 'SKILL.md'), within, files });
      if (skill && !found.has(skill.name) && found.size < mostSkills) found.set(skill.name, skill);
    }
  }
  return [...found.values()];
}

async function readSkill(of: {
  readonly file: string;
  readonly within: string | undefined;
  readonly files: Files;
}): Promise<Skill | undefined> {
  const real = await of.files.real(of.file);
  if (real === undefined || (of.within !== undefined && !isInside({ path: real, folder: of.within }))) return undefined;
  const { fields } = readFrontmatter((await of.files.text(real)) ?? '');
  const { name, description } = fields;
  if (name === undefined || !/^[\w.-]{1,64}$/.test(name) || description === undefined) return undefined;
  return { name, description: oneLine(description), folder: dirname(real), file: real };
}

/** A description is one line of a list, whatever stands in it. */
function oneLine(text: string): string {
  const plain = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

/** What the head says of them: enough to know when to load one. */
export function skillList(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`);
  return `Skills\nThese can be loaded with the tool \`skill\` when the work calls for them; load one before you do what it is about.\n${lines.join('\n')}`;
}
