import type { Command, Help } from 'commander';
import { promptCommand } from './argv.ts';
import { exitCodes } from './errors/exit-codes.ts';
import { projectFileName } from './settings/locations.ts';
import { columns } from './text/table.ts';

/** How the argument SESSION is described in every help text. */
export const sessionArgument = 'its id, the start or end of its id, its name, or last';

/** The end of `longhaul --help`, after commands and options. */
export function programHelp(): string {
  return `
${examplesHelp({
  examples: [
    ['longhaul demo', 'watch an agent work, in half a minute'],
    ['longhaul -p "What does this project do?"', 'run the agent; more: longhaul -p --help'],
    ['longhaul check chat.json', 'is this conversation valid?'],
    ['longhaul check chat.json --repair --output fixed.json', 'write a valid copy'],
    ['longhaul count src/ README.md', 'count tokens'],
    ['longhaul import --scan', 'import sessions of other agents'],
    ['longhaul tree last', 'its branches and current position'],
    ['longhaul compact last --dry-run', 'what would a compaction keep?'],
    ['longhaul search unsigned char', 'search all sessions'],
    ['longhaul prompt render agent.tsx --budget 8000', 'render a prompt'],
    ['longhaul config show', 'every setting and its source'],
  ],
})}

Exit codes:
${columns({ rows: exitCodes.map(({ code, meaning }) => [String(code), meaning]), indent: '  ' }).join('\n')}

Settings, in order of precedence:
  flags; LONGHAUL_… variables; ${projectFileName} here or in a parent folder;
  ~/.config/longhaul/config.json (Windows: %APPDATA%\\longhaul\\config.json); defaults

No telemetry. Data is sent only to the model or endpoint that you configure.`;
}

/**
 * The examples section of a help text.
 *
 * @example
 * command.addHelpText('after', `\n${examplesHelp({ examples: [['longhaul demo', 'look']] })}`);
 */
export function examplesHelp({ examples }: { readonly examples: readonly (readonly [string, string])[] }): string {
  return ['Examples:', ...columns({ rows: examples, indent: '  ' })].join('\n');
}

/**
 * Formats a help text like Commander, except that commands come before options: new users look for them first.
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
      'Global options:',
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
