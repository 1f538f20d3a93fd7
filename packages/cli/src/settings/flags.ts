import { type Command, Option } from 'commander';
import type { Setting } from './catalog.ts';
import { knownSettings } from './known.ts';
import type { Flags } from './resolve.ts';
import type { Settings } from './schema.ts';

/** The keys of the settings, e.g. `limits.fileBytes`. */
export type SettingKey = KeysOf<Settings>;

type KeysOf<Group> = {
  [Name in keyof Group & string]: Group[Name] extends readonly unknown[]
    ? Name
    : Group[Name] extends object
      ? string extends keyof Group[Name]
        ? Name
        : `${Name}.${KeysOf<Group[Name]>}`
      : Name;
}[keyof Group & string];

// The schema has no keys that are not in its type.
export const settingKeys: readonly SettingKey[] = knownSettings.map(({ key }) => key as SettingKey);

/** Other flags may have the same names: `count --model` is not a setting. */
const given = new WeakMap<Command, Set<string>>();

/**
 * Adds the flags of some settings to a command.
 *
 * @example
 * addSettingFlags({ command, keys: ['provider'] }); // --provider <provider>
 */
export function addSettingFlags({
  command,
  keys,
}: {
  readonly command: Command;
  readonly keys: readonly SettingKey[];
}): void {
  const own = given.get(command) ?? new Set();
  given.set(command, own);
  for (const setting of knownSettings) {
    if (setting.flag === undefined || !keys.some((key) => key === setting.key)) continue;
    own.add(setting.key);
    const takes = setting.kind === 'boolean' ? '' : ` <${setting.kind === 'number' ? 'n' : valueName(setting)}>`;
    command.addOption(new Option(setting.flag + takes, helpOf(setting)));
    // Flags override the environment, so they need a negative form.
    if (setting.kind === 'boolean') command.addOption(new Option(negative(setting.flag)).hideHelp());
    // The common spelling in other programs.
    if (setting.key === 'color') command.addOption(new Option('--no-color', 'the same as --color never'));
  }
}

/** Flag values on the command line, from the options that `addSettingFlags` added. */
export function flagsOf({ command }: { readonly command: Command }): Flags {
  const options: Record<string, unknown> = command.optsWithGlobals();
  const flags: Record<string, string> = {};
  for (const setting of knownSettings) {
    if (setting.flag === undefined || !isGiven({ command, key: setting.key })) continue;
    const value = options[new Option(setting.flag).attributeName()];
    if (value === undefined) continue;
    flags[setting.key] = setting.key === 'color' && value === false ? 'never' : String(value);
  }
  return flags;
}

function isGiven({ command, key }: { readonly command: Command | null; readonly key: string }): boolean {
  return command !== null && (given.get(command)?.has(key) === true || isGiven({ command: command.parent, key }));
}

function negative(flag: string): string {
  return flag.replace('--', '--no-');
}

function helpOf({ description, choices, fallback, kind }: Setting): string {
  const sentence = description.replaceAll('`', '').replace(/\.$/, '');
  const text = sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
  const facts = choices.length > 0 ? [choices.join(', ')] : [];
  if (kind !== 'boolean' && fallback !== undefined && fallback !== '') facts.push(`default ${String(fallback)}`);
  return facts.length > 0 ? `${text} (${facts.join('; ')})` : text;
}

function valueName({ key }: Setting): string {
  return key === 'color' ? 'when' : (key.split('.').at(-1) ?? key);
}
