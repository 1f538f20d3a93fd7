import type { z } from 'zod';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { accept, valueOfText } from './accept.ts';
import { type Setting, settingsOf } from './catalog.ts';
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
  /** What the project's file sets and may not: it would run something that came with the project, or send something away. */
  readonly refused: readonly Given[];
}

/** What was said on the command line: the flag's text by the key of its setting. */
export type Flags = Readonly<Record<string, string>>;

/**
 * Asks every place that may make a setting. Flags win over the environment, that over a file that was named, that over the
 * project file, that over the user file, that over the defaults.
 *
 * @example
 * const { values } = await resolveSettings({ schema: settingsSchema, io, flags: { color: 'never' } });
 */
export async function resolveSettings<Schema extends SettingsSchema>({
  schema,
  io,
  flags,
  namedFile,
}: {
  readonly schema: Schema;
  readonly io: Pick<Io, 'files' | 'env' | 'cwd' | 'home' | 'platform'>;
  readonly flags: Flags;
  /** A settings file that was named on the command line, as it was written there. */
  readonly namedFile?: string | undefined;
}): Promise<Resolved<Schema>> {
  const settings = settingsOf({ schema });
  const places = await findPlaces({ io });
  const { userFile, projectFile } = places;
  const inFile = (kind: FileKind, path: string | undefined) =>
    path === undefined ? [] : fromFile({ schema, settings, io, origin: { kind, path } });
  const ofProject = await inFile('project file', projectFile?.path);
  const isRefused = ({ key }: Given) => settings.some((setting) => setting.key === key && setting.trusted);
  // Weakest first: a later one replaces an earlier one.
  const layers: Given[][] = [
    settings.map(({ key, fallback }) => ({ key, value: fallback, origin: { kind: 'default' } })),
    await inFile('user file', userFile.found ? userFile.path : undefined),
    ofProject.filter((given) => !isRefused(given)),
    await inFile('named file', namedFile === undefined ? undefined : pathOf(io).resolve(io.cwd, namedFile)),
    fromEnvironment({ schema, settings, io }),
    fromFlags({ schema, settings, flags }),
  ];
  const inForce = new Map(layers.flat().map((given) => [given.key, given]));
  const given = settings.flatMap((setting) => {
    const found = inForce.get(setting.key);
    return found ? [{ ...found, setting }] : [];
  });
  const values = schema.parse(nested(given.map(({ key, value }) => [key, value])));
  return { values, given, places, refused: namedFile === undefined ? ofProject.filter(isRefused) : [] };
}

type FileKind = 'user file' | 'project file' | 'named file';

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
