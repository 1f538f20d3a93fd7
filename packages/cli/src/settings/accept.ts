import { LonghaulError } from 'longhaul';
import { closest } from '../text/closest.ts';
import type { Setting } from './catalog.ts';
import { nested } from './key-path.ts';
import { type Given, type Origin, placeOf } from './layer.ts';
import type { SettingsSchema } from './schema.ts';

/**
 * Lets a value through if the schema takes it, or says in one sentence what is wrong with it and where it stands.
 *
 * @example
 * accept({ schema, setting, value: 'never', origin: { kind: 'flag', name: '--color' } });
 */
export function accept({
  schema,
  setting,
  value,
  origin,
}: {
  readonly schema: SettingsSchema;
  readonly setting: Setting;
  readonly value: unknown;
  readonly origin: Origin;
}): Given {
  const given = { key: setting.key, value, origin };
  if (schema.safeParse(nested([[setting.key, value]])).success) return given;
  const found = setting.secret ? '' : `, not ${JSON.stringify(value)}`;
  const near = typeof value === 'string' ? closest({ word: value, candidates: setting.choices }) : undefined;
  throw new LonghaulError({
    code: 'bad-setting',
    cause: `${placeOf(given)} must be ${setting.accepts}${found}${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    next: 'Correct the value, or leave it out to use the default; `longhaul config schema` lists every setting.',
  });
}

/** Text from a flag or an environment variable as the kind of value that the setting wants, where it can be read so. */
export function valueOfText({ setting, text }: { readonly setting: Setting; readonly text: string }): unknown {
  const trimmed = text.trim();
  if (setting.kind === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(trimmed)) return true;
    if (/^(false|0|no|off)$/i.test(trimmed)) return false;
  }
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([km])$/i.exec(trimmed) ?? [];
  // Tokens as people write them; bytes have other thousands.
  if (amount !== undefined && /(?:window|threshold|reserve|keepRecent|triggerTokens)$/i.test(setting.key))
    return Math.round(Number(amount) * (unit.toLowerCase() === 'k' ? 1_000 : 1_000_000));
  if (setting.kind === 'number' && /^[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(trimmed))
    return Number(trimmed);
  return text;
}
