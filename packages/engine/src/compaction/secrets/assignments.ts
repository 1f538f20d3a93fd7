/** A place where a key stands because its name says so. */
export interface NamedKey {
  /** The key is its group `key`, at the end of what is found. */
  readonly pattern: RegExp;
  /** What a value must be to count: anything but a placeholder, something with letters and digits, or random. */
  readonly care: 'any' | 'mixed' | 'random';
}

/**
 * Names that announce a key. The looser the place, the more the value itself must look like one: `PASSWORD=` in an
 * environment file is believed, `STORAGE_KEY = "user-settings"` in code is not.
 */
export const namedKeys: readonly NamedKey[] = [
  // Lines of environment files, `export X=…`, `docker run -e X=…`
  {
    pattern:
      /(?:^|\n|\bexport |-e |\benv )[ \t]*[A-Z][A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSWORD|PASSWD|PWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)=["']?(?<key>[^\s"'`$<>{}[\]()]{4,1000})/g,
    care: 'any',
  },
  // The same names anywhere
  {
    pattern: /\b[A-Z][A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSWORD|PASSWD|PWD)=["']?(?<key>[^\s"'`$<>{}[\]()]{6,1000})/g,
    care: 'mixed',
  },
  { pattern: /\b[A-Z][A-Z0-9_]{0,60}_KEY=["']?(?<key>[^\s"'`$<>{}[\]()]{12,1000})/g, care: 'random' },
  // The same names in code and configuration, with the value in quotes
  {
    pattern:
      /(?:(?:api|access|secret|private|auth)[_-]?(?:key|token)|password|passwd|client[_-]?secret)["']?\s{0,4}[:=]\s{0,4}["'](?<key>[^\s"'`$<>{}[\]()]{8,1000})(?=["'])/gi,
    care: 'any',
  },
  // YAML and INI: the value without quotes
  {
    pattern:
      /\b(?:password|passwd|client_secret|api_?key|aws_secret_access_key)\s{0,4}[:=]\s{0,4}(?<key>[^\s"'`$<>{}[\]().,;]{12,1000})/gi,
    care: 'random',
  },
  // Headers
  {
    pattern: /\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4}(?<key>[\w.~+/=-]{8,1000})/gi,
    care: 'any',
  },
  { pattern: /\bx-(?:api|goog-api)-key["']?\s{0,4}[:=]\s{0,4}["']?(?<key>[\w.~+/=-]{8,1000})/gi, care: 'mixed' },
  { pattern: /\bbearer\s{1,4}(?<key>[\w.~+/=-]{16,1000})/gi, care: 'random' },
  // Queries of addresses
  { pattern: /[?&](?:key|api_?key|token|access_token|sig|signature)=(?<key>[\w.~%+/=-]{12,1000})/gi, care: 'random' },
  // Connection strings: the password between the user and the host
  { pattern: /:\/\/[^\s/?#"'`<>:@]{0,200}:(?<key>[^\s/?#"'`<>@$[\]{}]{3,1000})(?=@)/g, care: 'any' },
];

/** What people write where a key would stand. */
const placeholder =
  /^(?:x{3,}|\*+|\.{3,}|-+|(?:your|my|the|some|a|an|test|dummy|fake|sample|example|placeholder|changeme|change-me|redacted|masked|todo|none|null|undefined|true|false|string|secret|password|token|key|user|pass)(?:[-_ .:].*)?|.*(?:\.\.\.|…|example|placeholder|changeme|redacted|xxxx).*|process\.env.*|os\.environ.*|env\..*|\d{1,7})$/i;

/** Whether a value under such a name is a key. */
export function isKey({ value, care }: { readonly value: string; readonly care: NamedKey['care'] }): boolean {
  if (placeholder.test(value)) return false;
  switch (care) {
    case 'any':
      return true;
    case 'mixed':
      return /\d/.test(value) && /[a-z]/i.test(value);
    case 'random':
      return looksRandom(value);
  }
}

/**
 * Whether a text looks drawn at random: long, letters and digits in turn, no words. Names of things (`key-value-store`,
 * `pk-constraint-2`) have few digits and change between letters and digits seldom.
 */
export function looksRandom(value: string): boolean {
  if (value.length < 16 || placeholder.test(value)) return false;
  const letters = value.replace(/[^a-z]/gi, '');
  const digits = value.replace(/\D/g, '').length;
  if (letters.length < 4 || digits < 2) return false;
  const changes = [...value.matchAll(/[a-z](?=\d)|\d(?=[a-z])|[a-z](?=[A-Z])/gi)].length;
  return changes >= Math.max(3, value.length / 10);
}
