/** How much optional context is added: none, half of the budget, at most as much as the document has, or all of it. */
export type CompletionMode = 'minimal' | 'half' | 'double' | 'fill';

export const completionModes: readonly CompletionMode[] = ['minimal', 'half', 'double', 'fill'];

/** Tokens of a request to a completion model, with its answer. */
const defaultTokens = 8_192;
/** Set aside for the answer. */
const answerTokens = 500;
/** Set aside for what is around the pieces. */
const marginTokens = 256;
export const charactersPerToken = 4;

/** Context of this priority or higher is mandatory: it does not depend on the mode. */
export const mandatoryPriority = 0.7;

/** Characters that context may have. */
export interface Pools {
  /** All context. */
  readonly mandatory: number;
  /** Optional context, with the mandatory one counted in. */
  readonly optional: number;
}

/** The pools of a document by its mode; none where the document alone uses up the budget. */
export function poolsFor(of: {
  readonly documentCharacters: number;
  readonly mode: CompletionMode;
  readonly tokens?: number;
}): Pools {
  const { documentCharacters, mode, tokens = defaultTokens } = of;
  const available = Math.trunc(tokens - documentCharacters / charactersPerToken - marginTokens);
  // With a short document the margin is smaller than the answer: context may never use the answer's tokens.
  const full = Math.max(0, Math.min(available, tokens - answerTokens)) * charactersPerToken;
  const optional = { minimal: 0, half: Math.floor(full / 2), double: Math.min(full, documentCharacters), fill: full };
  return { mandatory: full, optional: optional[mode] };
}

/** Characters for what is before and behind the cursor, once the context has taken its part. */
export function textBudget({
  tokens = defaultTokens,
  context,
}: {
  readonly tokens?: number;
  readonly context: number;
}) {
  return Math.max(0, (tokens - answerTokens) * charactersPerToken - context);
}

/** The share of the suffix; what it does not use goes to the prefix, and the other way round. */
const suffixShare = 0.3;

/**
 * The text around the cursor within a number of characters, nearest first, cut between lines where a line break is near.
 * A last line of blanks before the cursor is left out of the prefix and returned by itself.
 */
export function aroundCursor(of: { readonly text: string; readonly offset: number; readonly characters: number }): {
  readonly prefix: string;
  readonly suffix: string;
  readonly trailingBlanks: string;
} {
  const { text, offset, characters } = of;
  const [before, after] = [text.slice(0, offset), text.slice(offset)];
  const forSuffix = Math.max(Math.floor(characters * suffixShare), characters - before.length);
  const suffix = keepStart({ text: after, characters: Math.min(forSuffix, characters) });
  const kept = keepEnd({ text: before, characters: characters - suffix.length });
  const trailingBlanks = /(?:^|\n)([ \t]+)$/.exec(kept.slice(-1_000))?.[1] ?? '';
  return { prefix: kept.slice(0, kept.length - trailingBlanks.length), suffix, trailingBlanks };
}

function keepEnd({ text, characters }: { readonly text: string; readonly characters: number }): string {
  if (text.length <= characters) return text;
  const start = text.length - Math.max(0, characters);
  const cut = text.slice(start);
  if (text[start - 1] === '\n') return cut;
  const line = cut.indexOf('\n');
  return line >= 0 && line < 400 ? cut.slice(line + 1) : withoutHalves(cut);
}

function keepStart({ text, characters }: { readonly text: string; readonly characters: number }): string {
  if (text.length <= characters) return text;
  const cut = text.slice(0, Math.max(0, characters));
  const line = cut.lastIndexOf('\n');
  return line >= 0 && cut.length - line < 400 ? cut.slice(0, line + 1) : withoutHalves(cut);
}

/** A cut through a surrogate pair leaves half a character. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
