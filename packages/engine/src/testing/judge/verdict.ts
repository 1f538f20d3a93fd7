/** The four wire formats that the judges know. */
export type Dialect = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** Why a provider would refuse a request: its status, its error type and its own wording. */
export interface Illegal {
  legal: false;
  status: number;
  /** Anthropic and OpenAI: `error.type`; Gemini: `error.status`. */
  type: string;
  message: string;
  /** Where, as `messages[3].content[0]`; empty for the request as a whole. */
  path: string;
  /** OpenAI only: `error.code` and `error.param`. */
  code?: string;
  param?: string;
}

export type Verdict = { legal: true } | Illegal;

/** What one rule found: the first breach, or nothing. */
export type Finding = Illegal | undefined;

/** Something opaque that a provider made and wants back unchanged. */
export interface Seal {
  signature: string;
  /** What the signature covers as far as a request shows it; empty where the seal is all there is. */
  text: string;
  path: string;
}

export interface JudgeOptions {
  /** Is this seal ours? By default any non-empty string is. */
  verify?: (seal: Seal) => boolean;
  /**
   * Does this Anthropic thinking block stand where it was made: behind the same `system`, `tools` and messages, and the
   * same thinking before it? Claude Fable 5.1 and Opus 5.5 ask so of new accounts. By default not asked.
   */
  bound?: (seal: Seal) => boolean;
  /** May an Anthropic conversation end in a partial assistant turn? Newer models say no, so `false` by default. */
  allowPrefill?: boolean;
  /** May an Anthropic message list hold `role: "system"`? Opus 4.8 and later say yes, so `true` by default. */
  allowSystemTurns?: boolean;
  /** `count` judges a token-count request, which needs no `max_tokens`. */
  endpoint?: 'generate' | 'count';
  /** OpenAI Responses: ids that the server stored. Without it every id is taken as stored unless `store` is false. */
  knownItems?: ReadonlySet<string>;
  /** OpenAI Responses: stored item id -> the reasoning item it was made with and must come back with. */
  requiredReasoning?: ReadonlyMap<string, string>;
  /** Anthropic: what the request's `anthropic-beta` header turns on. Without it everything is taken as turned on. */
  betas?: readonly string[];
  /** Gemini 3: function calls of the current turn must carry their thought signature. */
  signedCalls?: boolean;
}

/** Runs rules in order and returns the first breach; later rules may rely on what earlier ones established. */
export function firstOf(rules: readonly (() => Finding)[]): Finding {
  for (const rule of rules) {
    const finding = rule();
    if (finding) return finding;
  }
  return undefined;
}
