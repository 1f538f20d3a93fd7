import type { z } from 'zod';
import type { Io } from '../io/io.ts';
import { accept, valueOfText } from './accept.ts';
import { type Setting, settingsOf } from './catalogue.ts';
import { fromEnvironment } from './from-environment.ts';
import { fromFile } from './from-file.ts';
import { nested } from './key-path.ts';
import type { Given } from './layer.ts';
import { findPlaces, type Places } from './places.ts';
import type { SettingsSchema } from './schema.ts';

/** The settings in force, and how they came to be. */
export interface Resolved<Schema extends SettingsSchema> {
  readonly values: z.output<Schema>;
  /** One for each setting, in the order of the schema. */
  readonly given: readonly (Given & { readonly setting: Setting })[];
  readonly places: Places;
}

/** What was said on the command line: the flag's text by the key of its setting. */
export type Flags = Readonly<Record<string, string>>;

/**
 * Asks every place that may make a setting. Flags win over the environment, that over the project file, that over the
 * user file, that over the defaults.
 *
 * @example
 * const { values } = await resolveSettings({ schema: settingsSchema, io, flags: { color: 'never' } });
 */
export async function resolveSettings<Schema extends SettingsSchema>({
  schema,
  io,
  flags,
}: {
  readonly schema: Schema;
  readonly io: Pick<Io, 'files' | 'env' | 'cwd' | 'home' | 'platform'>;
  readonly flags: Flags;
}): Promise<Resolved<Schema>> {
  const settings = settingsOf({ schema });
  const places = await findPlaces({ io });
  const { userFile, projectFile } = places;
  // Weakest first: a later one replaces an earlier one.
  const layers: Given[][] = [
    settings.map(({ key, fallback }) => ({ key, value: fallback, origin: { kind: 'default' } })),
    userFile.found ? await fromFile({ schema, settings, io, origin: { kind: 'user file', path: userFile.path } }) : [],
    projectFile
      ? await fromFile({ schema, settings, io, origin: { kind: 'project file', path: projectFile.path } })
      : [],
    fromEnvironment({ schema, settings, io }),
    fromFlags({ schema, settings, flags }),
  ];
  const inForce = new Map(layers.flat().map((given) => [given.key, given]));
  const given = settings.flatMap((setting) => {
    const found = inForce.get(setting.key);
    return found ? [{ ...found, setting }] : [];
  });
  return { values: schema.parse(nested(given.map(({ key, value }) => [key, value]))), given, places };
}

function fromFlags({
  schema,
  settings,
  flags,
}: {
  schema: SettingsSchema;
  settings: readonly Setting[];
  flags: Flags;
}): Given[] {
  return settings.flatMap((setting) => {
    const text = flags[setting.key];
    if (text === undefined || setting.flag === undefined) return [];
    const value = valueOfText({ setting, text });
    return [accept({ schema, setting, value, origin: { kind: 'flag', name: setting.flag } })];
  });
}
