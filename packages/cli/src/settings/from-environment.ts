import type { Io } from '../io/io.ts';
import { accept, valueOfText } from './accept.ts';
import type { Setting } from './catalog.ts';
import type { Given } from './layer.ts';
import type { SettingsSchema } from './schema.ts';
import { unknownSetting } from './unknown.ts';

const prefix = 'LONGHAUL_';

/** They say where the models on this machine are; the clients of the library read them, as they read the keys of others. */
const ofModels: ReadonlySet<string> = new Set(['LONGHAUL_LOCAL_URL', 'LONGHAUL_LOCAL_KEY']);

/**
 * The settings that the environment makes. A variable that begins with LONGHAUL_ and means nothing is an error, as a
 * mistyped key in a file is; an empty one counts as not set.
 *
 * @example
 * fromEnvironment({ schema, settings, io }); // [{ key: 'color', value: 'never', origin: … }]
 */
export function fromEnvironment({
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
    // Windows does not tell capitals from small letters in these names.
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
