import { exitCodes } from './errors/exit-codes.ts';
import { projectFileName } from './settings/places.ts';
import { columns } from './text/table.ts';

/** What `longhaul --help` says after the list of commands and options. */
export function programHelp(): string {
  return `
${examplesHelp({
  examples: [
    ['longhaul demo', 'see an agent at work, in half a minute'],
    ['longhaul -p "What does this project do?"', 'ask it yourself; more: longhaul -p --help'],
    ['longhaul check chat.json', 'is this conversation legal, and where not?'],
    ['longhaul check chat.json --repair --output fixed.json', 'write a legal copy'],
    ['longhaul count src/ README.md', 'how many tokens is that?'],
    ['longhaul import --scan', 'bring in what agents left here'],
    ['longhaul tree last', 'its branches, and where it stands'],
    ['longhaul compact last --dry-run', 'what would a compaction keep?'],
    ['longhaul search unsigned char', 'find what was said, in all sessions'],
    ['longhaul prompt render agent.tsx --budget 8000', 'what a prompt becomes'],
    ['longhaul config show', 'every setting, and where it was set'],
  ],
})}

Exit codes:
${columns({ rows: exitCodes.map(({ code, meaning }) => [String(code), meaning]), indent: '  ' }).join('\n')}

Settings, the strongest first:
  flags; LONGHAUL_… variables; ${projectFileName} here or in a folder above;
  ~/.config/longhaul/config.json (Windows: %APPDATA%\\longhaul\\config.json); defaults

Nothing is sent anywhere, but to the model or the endpoint that you chose; no telemetry.`;
}

/**
 * Examples as they stand in a help text.
 *
 * @example
 * command.addHelpText('after', `\n${examplesHelp({ examples: [['longhaul demo', 'look']] })}`);
 */
export function examplesHelp({ examples }: { readonly examples: readonly (readonly [string, string])[] }): string {
  return ['Examples:', ...columns({ rows: examples, indent: '  ' })].join('\n');
}
