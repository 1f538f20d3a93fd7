import type { EngineSession } from '../../engine/index.ts';
import { isObject } from '../../json.ts';
import type { Session } from '../../session/index.ts';
import { diskFiles, type Files } from '../files.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { readFrontmatter } from './frontmatter.ts';
import type { Skill } from './skill.ts';

/** Of a skill that is told again after a compaction. Characters. */
const mostCarried = 4_000;

/**
 * The tool that loads a skill. What was loaded is part of the working state of the session, so that a summary carries it.
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
  readonly files?: Files;
}): Tool {
  let loaded: Promise<Map<string, string>> | undefined;
  return {
    definition: {
      name: 'skill',
      description: 'Loads a skill: instructions for a kind of work, by the name under which it is listed.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'The name of the skill.' } },
        required: ['name'],
      },
    },
    // Which files these are was found out when the skills were listed, not by the model.
    access: () => ({ kind: 'none' }),
    async run({ input }) {
      const skill = skills.find(({ name }) => name === input.name);
      if (!skill)
        return wrong(`There is no such skill. These are there: ${skills.map(({ name }) => name).join(', ')}.`);
      const text = await files.text(skill.file);
      if (text === undefined) return wrong(`${skill.file} cannot be read any more.`);
      const { body } = readFrontmatter(text);
      // The newest list holds alone: what another process has loaded must stand in it.
      loaded ??= loadedIn(session.session);
      const all = (await loaded).set(skill.name, body.trim().slice(0, mostCarried));
      await session.state({ skills: Object.fromEntries(all) });
      return said(`The skill ${skill.name}. Its files lie in ${skill.folder}.\n\n${body.trim()}`);
    },
  };
}

async function loadedIn(session: Pick<Session, 'read'>): Promise<Map<string, string>> {
  const notes = await session.read({ types: ['custom'] });
  const states = notes.flatMap((note) =>
    note.type === 'custom' && note.customType === 'longhaul:state' && isObject(note.data) ? [note.data] : [],
  );
  const skills = states.findLast((state) => isObject(state.skills))?.skills;
  const texts = Object.entries(isObject(skills) ? skills : {});
  return new Map(texts.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
}

function said(text: string): ToolOutcome {
  return { content: [{ type: 'text', origin: 'tool', text }] };
}

function wrong(text: string): ToolOutcome {
  return { ...said(text), isError: true };
}
