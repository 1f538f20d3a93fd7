import { findVendorKeys } from '../../key-shapes/find-vendor-keys.ts';
import { findKeyBlocks } from '../../key-shapes/key-blocks.ts';
import { findLooseKeys } from '../../key-shapes/loose-keys.ts';
import { replaceFound } from '../../key-shapes/replace-found.ts';

/** Replaces a key. */
const masked = '[key]';

/** `Authorization: Bearer …`, `x-api-key: …`, `DB_PASSWORD=…`: whatever follows such a name is a key. */
const named =
  /((?:(?<![a-z\d])(?:authorization|x-(?:api|goog-api)-key|api[ _-]?key|(?:access|auth|session|security)[ _-]?token|(?:client[ _-]?)?secret|password)|[?&]key)(?:\s+provided)?["'`]?\s*[:=]\s*["'`]?(?:bearer\s+|basic\s+)?)([^\s"'`,;&<>)]{4,})/gi;

const bearer = /\b(bearer\s+)[\w.~+/*=-]{8,}/gi;

/**
 * The words of an error without anything that looks like a key: known shapes, whatever follows a name such as `api_key=`,
 * and the given values themselves. It would rather mask too much: for text in which code and prose stand there is
 * `createMask` in `longhaul/engine`.
 *
 * @example
 * maskKeys({ text: 'Incorrect API key provided: sk-proj-abcdef1234.' }); // 'Incorrect API key provided: [key]'
 */
export function maskKeys({
  text,
  secrets = [],
}: {
  readonly text: string;
  readonly secrets?: readonly string[];
}): string {
  let result = text;
  for (const secret of secrets) if (secret.length >= 4) result = result.replaceAll(secret, masked);
  const keys = [...findVendorKeys(result), ...findLooseKeys({ text: result, isRandomOnly: false })];
  const found = [...findKeyBlocks(result), ...keys];
  result = replaceFound({ text: result, found, replace: () => masked });
  return result.replace(named, `$1${masked}`).replace(bearer, `$1${masked}`);
}
