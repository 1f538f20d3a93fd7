/** What stands where a key stood. */
const masked = '[key]';

/** Shapes of keys, each with the provider whose shape it is. A shape is enough: the value need not be valid. */
const shapes: readonly RegExp[] = [
  /(?<=:\/\/)[^\s/?#"'`<>]+(?=@)/g, // a user and password, or a token, before the host of a URL
  /\b(?:sk|rk|pk)-[\w*.-]{6,}/g, // OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek; also half masked: sk-****abcd
  /\b(?:sk|rk|pk)_(?:live|test)_\w{8,}/g, // Stripe, in tool output that was quoted
  /\bAIza[\w-]{10,}/g, // Google
  /\bya29\.[\w-]{10,}/g, // Google OAuth
  /\b(?:gsk|csk|hf|nvapi|fw|tgp|key|r8|pplx)[_-][\w-]{12,}/g, // Groq, Cerebras, Hugging Face, NVIDIA, Fireworks, Together, ...
  /\bxai-[\w-]{10,}/g, // xAI
  /\b(?:gh[a-z]_|github_pat_)\w{10,}/g, // GitHub
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, // AWS key ids
  /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g, // JSON web tokens
];

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
  for (const shape of shapes) result = result.replace(shape, masked);
  const afterName = (found: string, name: string, value: string) =>
    isCode && !isKey({ name, value }) ? found : `${name}${masked}`;
  return result.replace(named, afterName).replace(bearer, `$1${masked}`);
}

function isKey({ name, value }: { readonly name: string; readonly value: string }): boolean {
  if (placeholder.test(value)) return false;
  const isLiteral = /["'`]$|(?:bearer|basic)\s+$/i.test(name);
  return isLiteral || keyLike.test(value);
}
