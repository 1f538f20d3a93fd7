import { LonghaulError } from 'longhaul';
import type { z } from 'zod';
import { refuseDeep } from '../input/depth.ts';
import { isRecord } from '../input/is-record.ts';
import { parseJsonText } from '../input/parse-json.ts';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { closest } from '../text/closest.ts';
import type { Setting } from './catalog.ts';
import { findPlaces, type Places } from './locations.ts';
import { type Given, placeOf, type SettingOrigin } from './origin.ts';
import type { SettingsSchema } from './schema.ts';

/** The settings in force, and their sources. */
export interface Resolved<Schema extends SettingsSchema> {
  readonly values: z.output<Schema>;
  /** One for each setting, in schema order. */
  readonly given: readonly (Given & { readonly setting: Setting })[];
  readonly places: Places;
  /** Settings in the project file that are ignored, because they would run or send something. */
  readonly refused: readonly Given[];
}

/** Flag texts by setting key. */
export type Flags = Readonly<Record<string, string>>;

/**
 * Collects the settings from all sources. Precedence: flags, environment, file named on the command line, project file,
 * user file, defaults. The schema is only loaded if a source other than the defaults has a setting.
 *
 * @example
 * const { values } = await resolveSettings({ settings, loadSchema, io, flags: { color: 'never' } });
 */
export async function resolveSettings<Schema extends SettingsSchema>({
  settings,
  loadSchema,
  io,
  flags,
  namedFile,
}: {
  /** Those of the schema, in its order. */
  readonly settings: readonly Setting[];
  readonly loadSchema: () => Promise<Schema>;
  readonly io: Pick<Io, 'files' | 'env' | 'cwd' | 'home' | 'platform'>;
  readonly flags: Flags;
  /** A settings file named on the command line, as written. */
  readonly namedFile?: string | undefined;
}): Promise<Resolved<Schema>> {
  const places = await findPlaces({ io });
  const { userFile, projectFile } = places;
  const files = [userFile.found, projectFile, namedFile].filter(Boolean);
  const hasVariables = Object.keys(io.env).some((name) => name.toUpperCase().startsWith(prefix));
  if (files.length === 0 && !hasVariables && Object.keys(flags).length === 0)
    return { ...defaultsOf(settings), places };
  const schema = await loadSchema();
  const inFile = (kind: FileKind, path: string | undefined) =>
    path === undefined ? [] : fromFile({ schema, settings, io, origin: { kind, path } });
  const ofProject = await inFile('project file', projectFile?.path);
  const isRefused = ({ key }: Given) => settings.some((setting) => setting.key === key && setting.trusted);
  // In increasing precedence: later layers replace earlier ones.
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
  // Compiling a validator takes longer than one validation.
  const values = schema.parse(nested(given.map(({ key, value }) => [key, value])), { jitless: true });
  return { values, given, places, refused: namedFile === undefined ? ofProject.filter(isRefused) : [] };
}

/** The settings if no source has any. The schema accepts its own defaults unchanged, which is a test. */
function defaultsOf<Schema extends SettingsSchema>(
  settings: readonly Setting[],
): Pick<Resolved<Schema>, 'values' | 'given' | 'refused'> {
  const given = settings.map((setting) => ({
    key: setting.key,
    value: setting.fallback,
    origin: { kind: 'default' } as const,
    setting,
  }));
  const values = nested(given.map(({ key, value }) => [key, value])) as z.output<Schema>;
  return { values, given, refused: [] };
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

const prefix = 'LONGHAUL_';

/** Addresses of local model servers; the model clients read them, as they read provider keys. */
const ofModels: ReadonlySet<string> = new Set(['LONGHAUL_LOCAL_URL', 'LONGHAUL_LOCAL_KEY']);

/**
 * The settings from environment variables. An unknown variable that begins with LONGHAUL_ is an error, like an unknown
 * key in a file; an empty one counts as not set.
 *
 * @example
 * fromEnvironment({ schema, settings, io }); // [{ key: 'color', value: 'never', origin: … }]
 */
function fromEnvironment({
  schema,
  settings,
  io,
}: {
  readonly schema: SettingsSchema;
  readonly settings: readonly Setting[];
  readonly io: Pick<Io, 'env' | 'platform'>;
}): Given[] {
  const given: Given[] = [];
  for (const [written, text] of Object.entries(io.env)) {
    // Variable names are case-insensitive on Windows.
    const name = io.platform === 'win32' ? written.toUpperCase() : written;
    if (!name.startsWith(prefix) || !text || ofModels.has(name)) continue;
    const setting = settings.find(({ variable }) => variable === name);
    if (!setting) {
      throw unknownSetting({
        name,
        place: 'the environment',
        candidates: settings.flatMap(({ variable }) => variable ?? []),
      });
    }
    const value = valueOfText({ setting, text });
    given.push(accept({ schema, setting, value, origin: { kind: 'environment', name } }));
  }
  return given;
}

/** Settings files are small; a larger file was named by mistake. */
const largestFile = 1024 * 1024;

/**
 * The settings from one file. The key `$schema` is for editors and is ignored.
 *
 * @example
 * await fromFile({ schema, settings, io, origin: { kind: 'project file', path: '/a/longhaul.config.json' } });
 */
async function fromFile({
  schema,
  settings,
  io,
  origin,
}: {
  readonly schema: SettingsSchema;
  readonly settings: readonly Setting[];
  readonly io: Pick<Io, 'files'>;
  readonly origin: Extract<SettingOrigin, { readonly path: string }>;
}): Promise<Given[]> {
  const { path } = origin;
  const name = `Settings file ${path}`;
  const text = await readText({
    name,
    from: { files: io.files, path },
    limit: { bytes: largestFile, hint: 'Check that this is the right file.' },
  });
  const content = parseJsonText({ text, name });
  refuseDeep({ value: content, name });
  if (!isRecord(content)) {
    throw new LonghaulError({
      code: 'bad-setting',
      message: `The settings file ${path} must contain a JSON object.`,
      hint: 'Put the settings between { and }, e.g. { "color": "never" }.',
    });
  }
  const { $schema: _, ...members } = content;
  return leavesOf({ members, above: '' });

  function leavesOf({ members, above }: { members: Record<string, unknown>; above: string }): Given[] {
    return Object.entries(members).flatMap(([name, value]) => {
      const key = above + name;
      const setting = settings.find((candidate) => candidate.key === key);
      const named = settings.some((candidate) => candidate.key.startsWith(`${key}.`));
      if (name.includes('.') && (setting || named)) throw dotted({ key, path });
      if (setting) return [accept({ schema, setting, value, origin })];
      if (named && isRecord(value)) return leavesOf({ members: value, above: `${key}.` });
      if (named) throw notAGroup({ key, path });
      throw unknownSetting({ name: key, place: path, candidates: settings.map((candidate) => candidate.key) });
    });
  }
}

function dotted({ key, path }: { readonly key: string; readonly path: string }): LonghaulError {
  const form = key.split('.').reduceRight((inner, name) => `{ "${name}": ${inner} }`, '…');
  return new LonghaulError({
    code: 'bad-setting',
    message: `"${key}" in ${path} is written with a dot; nested settings are objects.`,
    hint: `Write it as ${form}.`,
  });
}

function notAGroup({ key, path }: { readonly key: string; readonly path: string }): LonghaulError {
  return new LonghaulError({
    code: 'bad-setting',
    message: `"${key}" in ${path} must be an object with settings in it.`,
    hint: 'Put its settings between { and }; `longhaul config schema` lists every setting.',
  });
}

/**
 * The error for an unknown setting.
 *
 * @example
 * throw unknownSetting({ name: 'colour', place: '/a/longhaul.config.json', candidates: ['color'] });
 */
function unknownSetting({
  name,
  place,
  candidates,
}: {
  readonly name: string;
  /** A file, or `the environment`. */
  readonly place: string;
  readonly candidates: readonly string[];
}): LonghaulError {
  const near = closest({ word: name, candidates });
  return new LonghaulError({
    code: 'unknown-setting',
    message: `Unknown setting "${name}" in ${place}.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `${near === undefined ? 'Remove it' : 'Rename or remove it'}; \`longhaul config schema\` lists every setting.`,
  });
}

/**
 * Validates a value; the error names the problem and its source.
 *
 * @example
 * accept({ schema, setting, value: 'never', origin: { kind: 'flag', name: '--color' } });
 */
function accept({
  schema,
  setting,
  value,
  origin,
}: {
  readonly schema: SettingsSchema;
  readonly setting: Setting;
  readonly value: unknown;
  readonly origin: SettingOrigin;
}): Given {
  const given = { key: setting.key, value, origin };
  if (schema.safeParse(nested([[setting.key, value]])).success) return given;
  const found = setting.secret ? '' : `, not ${JSON.stringify(value)}`;
  const near = typeof value === 'string' ? closest({ word: value, candidates: setting.choices }) : undefined;
  throw new LonghaulError({
    code: 'bad-setting',
    message: `${placeOf(given)} must be ${setting.accepts}${found}.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: 'Correct the value, or remove it to use the default; `longhaul config schema` lists every setting.',
  });
}

/** Converts text from a flag or variable to the type of the setting, if possible. */
function valueOfText({ setting, text }: { readonly setting: Setting; readonly text: string }): unknown {
  const trimmed = text.trim();
  if (setting.kind === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(trimmed)) return true;
    if (/^(false|0|no|off)$/i.test(trimmed)) return false;
  }
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([km])$/i.exec(trimmed) ?? [];
  // Token counts accept k and M; byte sizes do not.
  if (amount !== undefined && /(?:window|threshold|reserve|keepRecent|triggerTokens)$/i.test(setting.key))
    return Math.round(Number(amount) * (unit.toLowerCase() === 'k' ? 1_000 : 1_000_000));
  if (setting.kind === 'number' && /^[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(trimmed))
    return Number(trimmed);
  return text;
}

/**
 * Builds an object with each value at its key path.
 *
 * @example
 * nested([['color', 'never'], ['limits.fileBytes', 1]]); // { color: 'never', limits: { fileBytes: 1 } }
 */
function nested(entries: Iterable<readonly [key: string, value: unknown]>): object {
  const result: SettingGroup = {};
  for (const [key, value] of entries) {
    const names = key.split('.');
    const last = names.pop() ?? key;
    let group = result;
    for (const name of names) group = subgroup({ group, name });
    group[last] = value;
  }
  return result;
}

type SettingGroup = Record<string, unknown>;

function subgroup({ group, name }: { group: SettingGroup; name: string }): SettingGroup {
  const present = group[name];
  if (isRecord(present)) return present;
  const made: SettingGroup = {};
  group[name] = made;
  return made;
}
