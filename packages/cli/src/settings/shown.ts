import type { Setting } from './catalog.ts';

/**
 * A value as it may be shown: a secret shows only whether it is set.
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
