import { keyShapes, replaceKeys } from '../../key-shapes.ts';

/** What stands where a key stood. */
const masked = '[key]';

/** `Authorization: Bearer …`, `x-api-key: …`, `DB_PASSWORD=…`: whatever follows such a name is a key. */
const named =
  /((?:(?<![a-z\d])(?:authorization|x-(?:api|goog-api)-key|api[ _-]?key|(?:access|auth|session|security)[ _-]?token|(?:client[ _-]?)?secret|password)|[?&]key)(?:\s+provided)?["'`]?\s*[:=]\s*["'`]?(?:bearer\s+|basic\s+)?)([^\s"'`,;&<>)]{4,})/gi;

/** What follows such a name in source code is rarely a key: `apiKey = await load()`, `password: string`, `key=$KEY`. */
const keyLike = /^(?=.*\d)(?=.*[a-z])[\w+/=~!@#%^*-]{8,}$/i;
const placeholder = /^[$%{*.[]/;

const bearer = /\b(bearer\s+)[\w.~+/*=-]{8,}/gi;

/**
 * The text without anything that looks like a key: known shapes, whatever follows a name such as `api_key=`, and the
 * given values themselves. In text that may be source code, what follows a name counts only if it is a literal or looks
 * like chance.
 *
 * @example
 * maskKeys({ text: 'Incorrect API key provided: sk-proj-abcdef1234.' }); // 'Incorrect API key provided: [key]'
 * maskKeys({ text: 'const apiKey = await load();', isCode: true }); // as it is
 */
export function maskKeys({
  text,
  secrets = [],
  isCode = false,
}: {
  readonly text: string;
  readonly secrets?: readonly string[];
  readonly isCode?: boolean;
}): string {
  let result = text;
  for (const secret of secrets) if (secret.length >= 4) result = result.replaceAll(secret, masked);
  for (const { pattern } of keyShapes) result = replaceKeys({ text: result, pattern, replace: () => masked });
  const afterName = (found: string, name: string, value: string) =>
    isCode && !isKey({ name, value }) ? found : `${name}${masked}`;
  return result.replace(named, afterName).replace(bearer, `$1${masked}`);
}

function isKey({ name, value }: { readonly name: string; readonly value: string }): boolean {
  if (placeholder.test(value)) return false;
  const isLiteral = /["'`]$|(?:bearer|basic)\s+$/i.test(name);
  return isLiteral || keyLike.test(value);
}
