import type { SlashCommand } from '../app/command.ts';

export const basicCommands: readonly SlashCommand[] = [
  {
    name: 'help',
    aliases: ['?'],
    hint: '[command]',
    help: 'List the commands, or explain one',
    isLive: true,
    complete: ({ app }) => app.commands.map(({ name, help }) => ({ value: name, detail: help })),
    run: async ({ app, text }) => {
      const name = text.replace(/^\//, '');
      const chosen = app.commands.filter((each) => name === '' || each.name === name || each.aliases?.includes(name));
      return [
        {
          kind: 'table',
          columns: ['Command', 'What it does'],
          rows: chosen.map((each) => [usageOf(each), each.help]),
          empty: `There is no command /${name}.`,
        },
      ];
    },
  },
  {
    name: 'exit',
    aliases: ['quit', 'q'],
    help: 'Leave; the session can be resumed later',
    isLive: true,
    run: async () => [{ kind: 'exit' }],
  },
];

/**
 * A command as it is typed, with its argument.
 *
 * @example
 * usageOf({ name: 'compact', hint: '[focus]' }); // '/compact [focus]'
 */
export function usageOf({ name, hint }: Pick<SlashCommand, 'name' | 'hint'>): string {
  return hint === undefined ? `/${name}` : `/${name} ${hint}`;
}
