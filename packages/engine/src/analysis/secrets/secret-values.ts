import { looksRandom, shareOfWords } from '../../key-shapes/looks-random.ts';

/**
 * How much a value must look like a secret, depending on its name and position: `present` accepts everything except
 * variables, `line` everything except samples, `any` everything except samples and code, `mixed` requires letters with
 * digits or punctuation, `dense` alternating letters and digits, `random` no words.
 */
export type Care = 'present' | 'line' | 'any' | 'mixed' | 'dense' | 'random';

/** Placeholder words in documentation and forms. */
const sample =
  /^(?:your|my|the|some|a|an|test|dummy|fake|sample|example|placeholder|change|changeme|insert|replace|enter|redacted|masked|hidden|todo|none|null|nil|undefined|true|false|string|str|text|value|secret|password|token|key|user|pass|api|required|optional|default|empty|unset|missing|invalid|valid|new|old|same|random|generated|auto|base64|bearer|basic|n\/a)(?:[-_ .:!?<([].*)?$/i;

const markers = /\.\.\.|…|example|placeholder|changeme|redacted|xxxx|\*\*\*|_here\b|-here\b|<[^<>\n]*>|\{\{|\$\{|\$\(/i;

/** Expressions: `process.env.TOKEN`, `config.password`, `getToken()`, `$TOKEN`, `%TOKEN%`. */
const code =
  /^(?:[$%@&!]|process\.|os\.|env\.|this\.|self\.|config\.|secrets\.|vars\.|var\.|data\.|local\.|options?\.|args\.|params?\.|req\.|request\.|ctx\.|!secret|vault:|arn:|file:|op:\/\/)|^[A-Za-z_][\w.]*[([]|=>|\?\?|\|\|/;
const member = /^[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+$/;

/** A path, a version, a date or a number. */
const harmless =
  /^(?:[~.]{0,2}\/[\w./@-]*|[A-Za-z]:\\.*|v?\d{1,12}(?:\.\d{1,12})*|\d{4}-\d\d-\d\d.*|\d{1,12}[a-z]{0,2}|https?:\/\/.*|[\w.-]+\.(?:[jt]sx?|json|ya?ml|py|go|rs|md|txt|pem|key|crt|sh|env|html))$/i;

/**
 * Whether a value is a secret, given a name that suggests it.
 *
 * @example
 * isSecretValue({ value: 'hunter2!', care: 'mixed' }); // true
 * isSecretValue({ value: 'process.env.API_KEY', care: 'any' }); // false
 */
export function isSecretValue({ value: whole, care }: { readonly value: string; readonly care: Care }): boolean {
  // The beginning is enough, and bounds the cost for hostile input.
  const value = whole.slice(0, 160);
  if (care === 'present') return !/^[$%<{]|^(.)\1*$|\$\{|\{\{|\*\*\*|\.\.\.|…|xxx/i.test(value);
  if (isPlaceholder(value) || code.test(value) || (harmless.test(value) && !looksRandom(value))) return false;
  if (care === 'line') return true;
  if (member.test(value)) return false;
  switch (care) {
    case 'any':
      return true;
    case 'mixed':
      return isMixed(value) || isAppPassword(value);
    case 'dense':
      return isDense(value) || looksRandom(value);
    case 'random':
      return looksRandom(value);
  }
}

/** Placeholders in documentation, forms and redacted text. */
function isPlaceholder(value: string): boolean {
  if (/^(.)\1*$/.test(value) || /^[xX*.\-_#•]+$/.test(value)) return true;
  if (looksRandom(value) || (isMixed(value.replace(vocabulary, '')) && value.replace(vocabulary, '').length >= 12))
    return false;
  return sample.test(value) || markers.test(value);
}

const vocabulary = /example|sample|placeholder|your|test|key|token|secret|password|here|api|[-_.]/gi;

/** Four groups of four letters: Google's app passwords. */
function isAppPassword(value: string): boolean {
  return /^[a-z]{4}(?: [a-z]{4}){3}$/.test(value);
}

/** Alternating letters and digits: `a1b2c3d4`, but not `version2` or `step-3`. */
function isDense(value: string): boolean {
  if (value.length < 8 || /[\s:/]/.test(value) || !/\d/.test(value)) return false;
  const changes = value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g)?.length ?? 0;
  return changes >= 3 && shareOfWords(value) <= 0.5;
}

/** Letters with digits, or with characters that occur in passwords but not in identifiers. */
function isMixed(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (/^[\d-]{16,}$/.test(value)) return true;
  return /[A-Za-z]/.test(value) && (/\d/.test(value) || /[!@#$%^&*+=~?/]/.test(value));
}
