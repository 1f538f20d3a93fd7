import type { ModelEntry } from './entry.ts';

/** What may follow a name without making it another model: a date, a build, `latest`, a provider's tag. */
const variant = /^(?:-latest|[-@](?:\d{8}|\d{6}|\d{4}(?:-\d{2}-\d{2})?))?(?:-v\d+)?(?::[\w.-]+)?$/;

/**
 * How well an entry fits a name: the length of the pattern that fits best, `undefined` where none does. A full name beats
 * a `*` of the same length.
 */
export function fit({
  entry,
  names,
}: {
  readonly entry: ModelEntry;
  readonly names: readonly string[];
}): number | undefined {
  let best: number | undefined;
  for (const pattern of entry.match) {
    const length = names.some((name) => matches(pattern.toLowerCase(), name)) ? pattern.length * 2 : 0;
    const weight = pattern.endsWith('*') ? length - 3 : length;
    if (length > 0 && (best === undefined || weight > best)) best = weight;
  }
  return best;
}

function matches(pattern: string, name: string): boolean {
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1));
  return name.startsWith(pattern) && variant.test(name.slice(pattern.length));
}

/**
 * The window that a name asks for: Claude Code writes `claude-sonnet-4-5[1m]` for a model with its long window turned on.
 */
export function windowIn(name: string): number | undefined {
  return /\[1m\]\s*$/i.test(name) ? 1_000_000 : undefined;
}

/**
 * The forms under which a model may stand in the tables: `anthropic/claude-opus-4.5` (OpenRouter),
 * `us.anthropic.claude-opus-4-5-v1:0` (Bedrock), `models/gemini-2.5-pro` (Google), `accounts/x/models/y` (Fireworks),
 * `claude-opus-5[1m]` (Claude Code).
 */
export function namesOf(name: string): readonly string[] {
  const full = name
    .trim()
    .toLowerCase()
    .replace(/\[\w+\]$/, '');
  const last = full.slice(full.lastIndexOf('/') + 1);
  const bare = last.replace(
    /^(?:[a-z]{2,6}\.)?(?:anthropic|meta|mistral|deepseek|openai|qwen|moonshot|minimax|zai)\./,
    '',
  );
  const dashed = bare.startsWith('claude') ? bare.replace(/(\d)\.(\d)/g, '$1-$2') : bare;
  return [...new Set([full, last, bare, dashed])];
}
