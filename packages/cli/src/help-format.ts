import type { Command, Help } from 'commander';
import { promptCommand } from './agent/with-prompt.ts';

/**
 * A help text with the commands before the options: they are what a newcomer looks for. Otherwise Commander's own.
 *
 * @example
 * program.configureHelp({ formatHelp });
 */
export function formatHelp(command: Command, helper: Help): string {
  const width = helper.padWidth(command, helper);
  const item = ([term, description]: readonly [string, string]) => helper.formatItem(term, width, description, helper);
  const sections: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    [
      'Arguments:',
      helper
        .visibleArguments(command)
        .map((argument) => [helper.argumentTerm(argument), helper.argumentDescription(argument)]),
    ],
    [
      'Commands:',
      helper
        .visibleCommands(command)
        .map((child) => [helper.subcommandTerm(child), helper.subcommandDescription(child)]),
    ],
    [
      'Options:',
      helper.visibleOptions(command).map((option) => [helper.optionTerm(option), helper.optionDescription(option)]),
    ],
    [
      'Options of every command:',
      helper
        .visibleGlobalOptions(command)
        .map((option) => [helper.optionTerm(option), helper.optionDescription(option)]),
    ],
  ];
  const lines = [
    `Usage: ${helper.commandUsage(command).replace(`longhaul ${promptCommand}`, 'longhaul -p')}`,
    '',
    helper.commandDescription(command),
    '',
  ];
  for (const [heading, items] of sections) {
    if (items.length > 0) lines.push(heading, ...items.map(item), '');
  }
  return lines.join('\n');
}
