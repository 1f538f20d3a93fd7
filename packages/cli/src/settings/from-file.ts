import { LonghaulError } from 'longhaul';
import { refuseDeep } from '../input/depth.ts';
import { isRecord } from '../input/is-record.ts';
import { parseJsonText } from '../input/parse-json.ts';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import { accept } from './accept.ts';
import type { Setting } from './catalog.ts';
import type { Given, Origin } from './layer.ts';
import type { SettingsSchema } from './schema.ts';
import { unknownSetting } from './unknown.ts';

/** Settings files are written by hand: one that is larger than this is another file by mistake. */
const largestFile = 1024 * 1024;

/**
 * The settings that one file makes. The key `$schema` is for editors and means nothing here.
 *
 * @example
 * await fromFile({ schema, settings, io, origin: { kind: 'project file', path: '/a/longhaul.config.json' } });
 */
export async function fromFile({
  schema,
  settings,
  io,
  origin,
}: {
  readonly schema: SettingsSchema;
  readonly settings: readonly Setting[];
  readonly io: Pick<Io, 'files'>;
  readonly origin: Extract<Origin, { readonly path: string }>;
}): Promise<Given[]> {
  const { path } = origin;
  const name = `the settings file ${path}`;
  const text = await readText({
    name,
    from: { files: io.files, path },
    limit: { bytes: largestFile, next: 'Settings files are small; see whether this is the file you meant.' },
  });
  const content = parseJsonText({ text, name });
  refuseDeep({ value: content, name });
  if (!isRecord(content)) {
    throw new LonghaulError({
      code: 'bad-setting',
      cause: `the settings file ${path} must hold a JSON object.`,
      next: 'Put the settings between { and }, e.g. { "color": "never" }.',
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
    cause: `"${key}" in ${path} is written with a dot, which a settings file does not know.`,
    next: `Write it as ${form}.`,
  });
}

function notAGroup({ key, path }: { readonly key: string; readonly path: string }): LonghaulError {
  return new LonghaulError({
    code: 'bad-setting',
    cause: `"${key}" in ${path} must be an object with settings in it.`,
    next: 'Put its settings between { and }; `longhaul config schema` lists every setting.',
  });
}
