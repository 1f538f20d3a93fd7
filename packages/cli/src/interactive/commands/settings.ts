import { findSkills } from 'longhaul/agent';
import { userSkillFolders } from '../../agent/customizations.ts';
import { readPlan } from '../../agent/prompt.ts';
import { configuredHooks } from '../../hooks/configured.ts';
import { memoryWords } from '../../memory/edit-board.ts';
import type { CommandContext, SlashCommand } from '../app/command.ts';
import { type CommandResult, textResult } from '../app/result.ts';
import type { InteractiveMode } from '../app/view.ts';
import { programText, usageError } from './program.ts';

const modeHelp: Readonly<Record<InteractiveMode, string>> = {
  ask: 'ask before writing files and running commands',
  'auto-edit': 'write files here; ask before running commands',
  plan: 'only read, until you have agreed to a plan',
  'read-only': 'only read',
  yes: 'write here and run commands; dangerous calls still ask',
};

const modes = Object.keys(modeHelp) as InteractiveMode[];

export const settingsCommands: readonly SlashCommand[] = [
  {
    name: 'mode',
    hint: '[ask|auto-edit|plan|read-only|yes]',
    help: 'Change what the agent may do without asking',
    isLive: true,
    complete: () => modes.map((value) => ({ value, detail: modeHelp[value] })),
    run: async ({ app, text }) => {
      const mode = text === '' ? undefined : modes.find((each) => each === text);
      if (text !== '' && mode === undefined)
        throw usageError({ message: `There is no mode "${text}".`, hint: `Use one of ${modes.join(', ')}.` });
      const now = app.setMode(mode);
      return [textResult(`Mode ${now}: ${modeHelp[now]}.`)];
    },
  },
  {
    name: 'plan',
    hint: '[prompt | approve [FILE]]',
    help: 'Let the agent only read and propose a plan; show it and approve it, or your edited version in a file',
    complete: () => [{ value: 'approve', detail: 'carry out the proposed plan, or the one in a file' }],
    run: plan,
  },
  {
    name: 'permissions',
    hint: '[allow RULE | always RULE]',
    help: 'Show the mode and the rules; add a rule for this run, or always in this folder',
    isLive: true,
    complete: () => [
      { value: 'allow', detail: 'a rule for this run: allow bash(npm test:*)' },
      { value: 'always', detail: 'a rule for this folder' },
    ],
    run: permissions,
  },
  {
    name: 'skills',
    help: 'List the skills that the agent can load',
    isLive: true,
    run: async ({ app }) => {
      const { io } = app.setup;
      const folders = userSkillFolders(io);
      const skills = await findSkills({ cwd: io.cwd, folders });
      return [
        {
          kind: 'table',
          columns: ['Skill', 'For', 'File'],
          rows: skills.map(({ name, description, file }) => [name, description, file]),
          empty: 'No skills were found. They are folders with a SKILL.md in .agents/skills or .claude/skills.',
        },
      ];
    },
  },
  {
    name: 'hooks',
    hint: '[test]',
    help: 'List the hooks of the settings, or test them',
    isLive: true,
    complete: () => [{ value: 'test', detail: 'run them with a sample event' }],
    run: async ({ app, text }) => {
      if (text === 'test') return await programText({ app, args: ['hooks', 'test'], isWithoutStore: true });
      return [
        {
          kind: 'table',
          columns: ['Event', 'Command'],
          rows: configuredHooks(app.values).map(({ event, command }) => [event, command.command]),
          empty: 'No hooks are configured. They are set in the settings file, see docs/hooks.md.',
        },
      ];
    },
  },
  {
    name: 'memory',
    hint: '[list | add TEXT | remove ID | vote ID up|down | dismiss ID | search TEXT]',
    help: 'What earlier sessions learned about this repository',
    isLive: true,
    complete: () => Object.entries(memoryWords).map(([value, detail]) => ({ value, detail })),
    run: async ({ app, text }) => {
      const { memory } = app.opened;
      if (!memory)
        return [textResult('Memory is off, or not available here. It is on with the setting memory.enabled.')];
      return [textResult(memory.perform(text).join('\n'))];
    },
  },
  {
    name: 'settings',
    aliases: ['config'],
    hint: '[text]',
    help: 'Show the settings in force and where each comes from',
    isLive: true,
    run: async ({ app, text }) => {
      const results = await programText({ app, args: ['config', 'show'] });
      if (text === '') return results;
      return results.map((result) =>
        result.kind === 'text'
          ? {
              ...result,
              text:
                result.text
                  .split('\n')
                  .filter((line) => line.includes(text))
                  .join('\n') || 'No setting matches.',
            }
          : result,
      );
    },
  },
  {
    name: 'theme',
    hint: '[name]',
    help: 'Choose the colors',
    isLive: true,
    complete: ({ app }) => app.appearance?.themes.map((value) => ({ value })) ?? [],
    run: theme,
  },
];

/** Without words: the proposed plan and a question about it, or plan mode. */
async function plan({ app, text }: CommandContext): Promise<readonly CommandResult[]> {
  const approval = /^approve(?:\s+(\S+))?$/.exec(text);
  if (approval) {
    const [, file] = approval;
    return await approvePlan({ app, edited: file && (await readPlan({ io: app.setup.io, file })) });
  }
  const proposed = app.opened.plans.current();
  const planning = async () => {
    app.setMode('plan');
    if (text !== '') await app.prompt({ text });
    return [textResult(`Mode plan: ${modeHelp.plan}.`)];
  };
  if (text !== '' || proposed?.status !== 'proposed') return await planning();
  return [
    {
      kind: 'confirm',
      title: 'Carry out this plan?',
      body: [{ kind: 'text', format: 'markdown', text: proposed.text }],
      choices: [
        { key: 'y', label: 'carry it out', run: async () => await approvePlan({ app }) },
        { key: 'e', label: 'edit it first', run: async () => [editedPlan({ app, text: proposed.text })] },
        { key: 'n', label: 'keep planning', run: planning },
      ],
    },
  ];
}

/** The plan in the editor of the user, then the question again, about the edited text. */
function editedPlan({ app, text }: { readonly app: CommandContext['app']; readonly text: string }): CommandResult {
  return {
    kind: 'editor',
    title: 'Edit the plan',
    text,
    run: async (edited) => {
      if (edited.trim() === '') return [textResult('The plan is unchanged.')];
      return [
        {
          kind: 'confirm',
          title: 'Carry out the edited plan?',
          body: [{ kind: 'text', format: 'markdown', text: edited }],
          choices: [
            { key: 'y', label: 'carry it out', run: async () => await approvePlan({ app, edited }) },
            { key: 'e', label: 'edit it again', run: async () => [editedPlan({ app, text: edited })] },
            { key: 'n', label: 'keep planning', run: async () => [textResult('The plan is not approved.')] },
          ],
        },
      ];
    },
  };
}

async function approvePlan({
  app,
  edited,
}: {
  readonly app: CommandContext['app'];
  /** The edited plan. */
  readonly edited?: string | undefined;
}): Promise<readonly CommandResult[]> {
  const { plans } = app.opened;
  if (!plans.current())
    throw usageError({
      message: 'This session has no plan to approve.',
      hint: 'Let the agent propose one: /plan PROMPT',
    });
  const { parts } = await plans.approve({ text: edited });
  const mode = app.consent.mode === 'plan' ? app.setMode('ask') : app.consent.mode;
  await app.send({ parts });
  return [textResult(`The plan is approved. Mode ${mode}: ${modeHelp[mode]}.`)];
}

async function permissions({ app, text }: CommandContext): Promise<readonly CommandResult[]> {
  const [, word = '', rule = ''] = /^(\S*)\s*([\s\S]*)/.exec(text) ?? [];
  if (word === 'allow' || word === 'always') {
    if (rule === '')
      throw usageError({ message: 'No rule was given.', hint: `Type /permissions ${word} bash(npm test:*).` });
    await app.consent.allow({ rule, scope: word === 'always' ? 'folder' : 'run' });
    return [textResult(`${rule} is allowed${word === 'always' ? ' in this folder from now on' : ' in this run'}.`)];
  }
  if (word !== '') throw usageError({ message: `/permissions does not know "${word}".`, hint: 'Use allow or always.' });
  const { mode, rules } = app.consent;
  const { deny, folders } = app.setup.flags;
  return [
    {
      kind: 'table',
      title: `Mode ${mode}: ${modeHelp[mode]}`,
      columns: ['', 'Rule'],
      rows: [
        ...rules.map((each) => ['allowed', each]),
        ...deny.map((each) => ['denied', each]),
        ...folders.map((each) => ['folder', each]),
      ],
      empty: 'There are no rules. /permissions allow RULE adds one.',
    },
  ];
}

async function theme({ app, text }: CommandContext): Promise<readonly CommandResult[]> {
  const { appearance } = app;
  if (!appearance) return [textResult('Line mode has no colors to choose.')];
  const { themes } = appearance;
  if (text !== '') {
    if (!themes.includes(text))
      throw usageError({ message: `There is no theme "${text}".`, hint: `Use one of ${themes.join(', ')}.` });
    appearance.setTheme(text);
    return [];
  }
  return [
    {
      kind: 'picker',
      title: 'Theme',
      items: themes.map((id) => ({ id, label: id })),
      selected: appearance.theme(),
      empty: '',
      actions: [
        {
          label: 'use',
          run: async (id) => {
            appearance.setTheme(id);
            return [];
          },
        },
      ],
    },
  ];
}
