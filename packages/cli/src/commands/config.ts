import type { Command } from 'commander';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { jsonSchemaOf, type Setting } from '../settings/catalog.ts';
import { addSettingFlags, type SettingKey, settingKeys } from '../settings/flags.ts';
import { projectFileName } from '../settings/locations.ts';
import type { SettingOrigin } from '../settings/origin.ts';
import { settingsSchema } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

/** `longhaul config show` and `longhaul config schema`. */
export function addConfigCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const config = program
    .command('config')
    .description('Shows the settings in force, or their schema.')
    .usage('COMMAND [options]');

  const show = config
    .command('show')
    .summary('every setting with its value and source')
    .description('Prints every setting with its value and where the value comes from.');
  addSettingFlags({ command: show, keys: settingKeys.filter((key) => !everywhere.includes(key)) });
  show.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul config show', 'the settings in force in this folder'],
        ['LONGHAUL_COLOR=never longhaul config show', 'with a variable set'],
        ['longhaul config show --json', 'as JSON'],
      ],
    })}`,
  );
  bind({ command: show, action: showSettings });

  const schema = config
    .command('schema')
    .summary('the JSON Schema of a settings file')
    .description('Prints the JSON Schema of a settings file, for editors and other programs.');
  schema.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        [
          'longhaul config schema > longhaul.schema.json',
          `then "$schema": "./longhaul.schema.json" in ${projectFileName}`,
        ],
      ],
    })}`,
  );
  bind({ command: schema, action: printSchema });
}

/** These have flags on every command. */
const everywhere: readonly SettingKey[] = ['color', 'debug'];

const showSettings: CommandAction<object> = async ({ io, json, paint, settings }) => {
  const { given, places } = await settings();
  if (json) {
    const shown = given.map(({ key, value, origin, setting }) => [
      key,
      { value: shownValue({ setting, value }), origin },
    ]);
    const files = { user: places.userFile, project: places.projectFile ?? null };
    await io.stdout.write(`${JSON.stringify({ settings: Object.fromEntries(shown), files }, undefined, 2)}\n`);
    return 0;
  }
  const { strong, faint } = paint('stdout');
  const rows = given.map(({ key, value, origin, setting }) => [
    strong(key),
    printable(textOf({ setting, value })),
    origin.kind === 'default' ? faint('default') : printable(originText(origin)),
  ]);
  const files = [
    ['user file', `${printable(places.userFile.path)}${places.userFile.found ? '' : ' (does not exist)'}`],
    ['project file', places.projectFile ? printable(places.projectFile.path) : `no ${projectFileName} here or above`],
  ];
  const lines = [
    ...columns({ rows, width: tableWidth(io) }),
    '',
    ...columns({ rows: files, width: tableWidth(io) }).map(faint),
  ];
  await io.stdout.write(`${lines.join('\n')}\n`);
  return 0;
};

const printSchema: CommandAction<object> = async ({ io }) => {
  const schema = jsonSchemaOf({ schema: settingsSchema });
  const properties = { $schema: { type: 'string', description: 'For editors.' }, ...schema.properties };
  await io.stdout.write(`${JSON.stringify({ ...schema, properties }, undefined, 2)}\n`);
  return 0;
};

function textOf({ setting, value }: { readonly setting: Setting; readonly value: unknown }): string {
  if (setting.kind === 'list') return JSON.stringify(value);
  return value === undefined || value === '' ? 'not set' : String(shownValue({ setting, value }));
}

function originText(origin: SettingOrigin): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'environment':
      return `environment ${origin.name}`;
    case 'flag':
      return `flag ${origin.name}`;
    default:
      return `${origin.kind} ${origin.path}`;
  }
}

/**
 * A value as it may be printed: of a secret, only whether it is set.
 *
 * @example
 * shownValue({ setting, value: 'sk-123' }); // '********' for a secret
 */
export function shownValue({
  setting,
  value,
}: {
  readonly setting: Pick<Setting, 'secret'>;
  readonly value: unknown;
}): unknown {
  if (value === undefined) return null;
  return setting.secret && value !== '' ? '********' : value;
}
