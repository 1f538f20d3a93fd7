/** What keys look like. A shape is enough: the value need not be valid. */
export interface KeyShape {
  /** The key is its group `key`; the group `kept`, where there is one, stands before it and stays. */
  readonly pattern: RegExp;
  /** Whether nothing else looks like this. What is found otherwise can be a name or a word in some text. */
  readonly isSure: boolean;
}

/**
 * Shapes of keys, each with whose shape it is. In an error every one of them is masked; in the text of a session, where
 * code and prose stand, one that is not sure is masked only where it also looks random. Every length has a bound: what is
 * searched may be forged to make it slow.
 *
 * @example
 * keyShapes.some(({ pattern, isSure }) => isSure && text.search(pattern) >= 0);
 */
export const keyShapes: readonly KeyShape[] = [
  ...sure([
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?<key>[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?)/g, // PEM
    /\b(?<key>sk-(?:ant|proj|or|svcacct|admin|None)-[\w-]{16,1000})/g, // Anthropic, OpenAI, OpenRouter
    /\b(?<key>(?:sk|rk|pk)_(?:live|test)_\w{8,1000}|whsec_\w{16,1000})/g, // Stripe
    /\b(?<key>AIza[\w-]{30,1000})/g, // Google
    /\b(?<key>ya29\.[\w-]{20,1000})/g, // Google OAuth
    /\b(?<key>gh[a-z]_\w{20,1000}|github_pat_\w{20,1000})/g, // GitHub
    /\b(?<key>glpat-[\w-]{16,1000})/g, // GitLab
    /\b(?<key>(?:AKIA|ASIA)[A-Z0-9]{16})\b/g, // AWS key ids
    /\b(?<key>xox[a-z](?:\.[a-z]+)?-[\w-]{10,1000}|xapp-\d-[\w-]{10,1000})/g, // Slack
    /(?<kept>hooks\.slack\.com\/services\/)(?<key>[\w/]{20,1000})/g, // Slack
    /(?<kept>discord(?:app)?\.com\/api\/webhooks\/)(?<key>\d{1,30}\/[\w-]{20,1000})/g, // Discord
    /\b(?<key>\d{8,10}:AA[\w-]{33})/g, // Telegram
    /\b(?<key>SG\.[\w-]{16,1000}\.[\w-]{16,1000})/g, // SendGrid
    /\b(?<key>npm_[A-Za-z0-9]{36}|pypi-AgEI[\w-]{20,1000}|dop_v1_[a-f0-9]{40,1000}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})/g, // npm, PyPI, DigitalOcean, Shopify
    /\b(?<key>eyJ[\w-]{8,1000}\.eyJ[\w-]{4,8000}\.[\w-]{1,1000})/g, // JSON web tokens
  ]),
  ...unsure([
    /(?<=:\/\/)(?<key>[^\s/?#"'`<>]{1,1000})(?=@)/g, // a user and password, or a token, before the host of a URL
    /\b(?<key>(?:sk|rk|pk)-[\w*.-]{6,1000})/g, // OpenAI and those who copied it; also half masked: sk-****abcd
    /\b(?<key>AIza[\w-]{10,1000})/g,
    /\b(?<key>ya29\.[\w-]{10,1000})/g,
    /\b(?<key>(?:gsk|csk|hf|nvapi|fw|tgp|key|r8|pplx)[_-][\w-]{12,1000})/g, // Groq, Cerebras, Hugging Face, NVIDIA, Fireworks, Together, ...
    /\b(?<key>xai-[\w-]{10,1000})/g, // xAI
    /\b(?<key>(?:gh[a-z]_|github_pat_)\w{10,1000})/g,
    /\b(?<key>(?:AKIA|ASIA)[A-Z0-9]{12,1000})/g,
    /\b(?<key>eyJ[\w-]{8,1000}\.[\w-]{4,1000}(?:\.[\w-]{0,1000})?)/g,
  ]),
];

/** The text with each key that a shape finds replaced, where `replace` gives something else for it. */
export function replaceKeys({
  text,
  pattern,
  replace,
}: {
  readonly text: string;
  readonly pattern: RegExp;
  readonly replace: (key: string) => string;
}): string {
  return text.replace(pattern, (...found: readonly unknown[]) => {
    const whole = String(found[0]);
    const groups = found.at(-1) as { readonly key?: string } | undefined;
    const key = groups?.key ?? '';
    return key === '' ? whole : `${whole.slice(0, whole.length - key.length)}${replace(key)}`;
  });
}

function sure(patterns: readonly RegExp[]): KeyShape[] {
  return patterns.map((pattern) => ({ pattern, isSure: true }));
}

function unsure(patterns: readonly RegExp[]): KeyShape[] {
  return patterns.map((pattern) => ({ pattern, isSure: false }));
}
