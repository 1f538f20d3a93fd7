import { dirname, join } from 'node:path';
import type { EngineSession } from '../../engine/index.ts';
import { isObject } from '../../json.ts';
import type { Session } from '../../session/index.ts';
import { diskFiles, type HeadFiles, isInside } from '../files.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { readFrontmatter } from './frontmatter.ts';

/** A skill that an agent loads when needed: a folder with a `SKILL.md`. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The folder, for files that the skill refers to. */
  readonly folder: string;
  /** Path of the `SKILL.md`. */
  readonly file: string;
}

/** Folders of project skills that agents have in common. */
const projectFolders: readonly string[] = ['.longhaul/skills', '.agents/skills', '.claude/skills'];

/** Limit, so that the list does not fill the head. */
const maxSkills = 64;

/** Limit of a description in the list, in characters. */
const longest = 400;

/**
 * The available skills: those of the project, then those of the user's folders. The first of several with the same name
 * wins. A project skill that links outside the project is skipped; the user's may be anywhere.
 *
 * @example
 * const skills = await findSkills({ cwd: '/repo', folders: [join(homedir(), '.longhaul/skills')] });
 */
export async function findSkills({
  cwd,
  folders = [],
  files = diskFiles,
  onSkipped,
}: {
  readonly cwd: string;
  readonly folders?: readonly string[];
  readonly files?: HeadFiles;
  /** Called with one sentence for each SKILL.md that cannot be used. */
  readonly onSkipped?: (why: string) => void;
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
      if (typeof skill === 'string') onSkipped?.(skill);
      else if (skill && !found.has(skill.name) && found.size < maxSkills) found.set(skill.name, skill);
    }
  }
  return [...found.values()];
}

async function readSkill(of: {
  readonly file: string;
  readonly within: string | undefined;
  readonly files: HeadFiles;
}): Promise<Skill | string | undefined> {
  const real = await of.files.real(of.file);
  if (real === undefined) return undefined;
  const skipped = `The skill ${of.file} is not used:`;
  if (of.within !== undefined && !isInside({ path: real, folder: of.within }))
    return `${skipped} it links outside of ${of.within}.`;
  const { fields } = readFrontmatter((await of.files.text(real)) ?? '');
  const { name, description } = fields;
  if (name === undefined || description === undefined)
    return `${skipped} its front matter needs a name and a description.`;
  if (!/^[\w.-]{1,64}$/.test(name)) return `${skipped} its name may have letters, digits, dots and dashes only.`;
  return { name, description: oneLine(description), folder: dirname(real), file: real };
}

/** Descriptions are shown on one line. */
function oneLine(text: string): string {
  const plain = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

/** The skill list in the head. */
export function skillList(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`);
  return `Skills\nLoad one of these with the tool \`skill\` before you do the work it covers.\n${lines.join('\n')}`;
}

/** Limit of a skill that is repeated after a compaction, in characters. */
const maxCarriedChars = 4_000;

/**
 * The tool that loads a skill. Loaded skills are part of the working state of the session, so that summaries carry
 * them.
 *
 * @example
 * const tool = createSkillTool({ skills: await findSkills({ cwd }), session });
 */
export function createSkillTool({
  skills,
  session,
  files = diskFiles,
}: {
  readonly skills: readonly Skill[];
  readonly session: Pick<EngineSession, 'state'> & { readonly session: Pick<Session, 'read'> };
  readonly files?: HeadFiles;
}): Tool {
  let loaded: Promise<Map<string, string>> | undefined;
  return {
    definition: {
      name: 'skill',
      description: 'Loads a skill: instructions for a kind of work, by its name in the list.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'The name of the skill.' } },
        required: ['name'],
      },
    },
    // The paths come from the skill list, not from the model.
    access: () => ({ kind: 'none' }),
    async run({ input }) {
      const skill = skills.find(({ name }) => name === input.name);
      if (!skill) return toolError(`Unknown skill. Available: ${skills.map(({ name }) => name).join(', ')}.`);
      const text = await files.text(skill.file);
      if (text === undefined) return toolError(`${skill.file} cannot be read.`);
      const { body } = readFrontmatter(text);
      // The newest list replaces earlier ones, so it must include skills loaded by other processes.
      loaded ??= loadedIn(session.session);
      const all = (await loaded).set(skill.name, body.trim().slice(0, maxCarriedChars));
      await session.state({ skills: Object.fromEntries(all) });
      return toolText(`Skill ${skill.name}. Its files are in ${skill.folder}.\n\n${body.trim()}`);
    },
  };
}

async function loadedIn(session: Pick<Session, 'read'>): Promise<Map<string, string>> {
  const notes = await session.read({ types: ['working_state'] });
  const states = notes.flatMap((note) => (note.type === 'working_state' ? [note.state] : []));
  const skills = states.findLast((state) => isObject(state.skills))?.skills;
  const texts = Object.entries(isObject(skills) ? skills : {});
  return new Map(texts.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
}

function toolText(text: string): ToolOutcome {
  return { content: [{ type: 'text', origin: 'tool', text }] };
}

function toolError(text: string): ToolOutcome {
  return { ...toolText(text), isError: true };
}
