/** The four wire formats of the judges. */
export type JudgeDialect = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** Why a provider would reject a request: status, error type and message. */
export interface Illegal {
  legal: false;
  status: number;
  /** Anthropic and OpenAI: `error.type`; Gemini: `error.status`. */
  type: string;
  message: string;
  /** Position, such as `messages[3].content[0]`; empty for the request as a whole. */
  path: string;
  /** OpenAI only: `error.code` and `error.param`. */
  code?: string;
  param?: string;
}

export type JudgeResult = { legal: true } | Illegal;

/** Result of one rule: the first violation, or nothing. */
export type JudgeFinding = Illegal | undefined;

/** An opaque value that a provider issued and expects back unchanged. */
export interface Seal {
  signature: string;
  /** What the signature covers as far as a request shows it; empty if the seal is self-contained. */
  text: string;
  path: string;
}

export interface JudgeOptions {
  /** Whether this seal was issued here. Default: any non-empty string. */
  verify?: (seal: Seal) => boolean;
  /**
   * Whether an Anthropic thinking block is in its original position: after the same `system`, `tools` and messages, and
   * the same thinking. Claude Fable 5.1 and Opus 5.5 require it for new accounts. Default: not checked.
   */
  bound?: (seal: Seal) => boolean;
  /**
   * Whether an Anthropic conversation may end in a partial assistant turn. Newer models reject it, so `false` by
   * default.
   */
  allowPrefill?: boolean;
  /**
   * Whether an Anthropic message list may contain `role: "system"`. Opus 4.8 and later accept it, so `true` by default.
   */
  allowSystemTurns?: boolean;
  /** `count` judges a token-count request, which needs no `max_tokens`. */
  endpoint?: 'generate' | 'count';
  /** OpenAI Responses: ids stored by the server. Without it every id counts as stored unless `store` is false. */
  knownItems?: ReadonlySet<string>;
  /** OpenAI Responses: stored item id -> the reasoning item it was created with and must be sent with. */
  requiredReasoning?: ReadonlyMap<string, string>;
  /** Anthropic: betas enabled by the `anthropic-beta` header. Default: all. */
  betas?: readonly string[];
  /** Gemini 3: function calls of the current turn must carry their thought signature. */
  signedCalls?: boolean;
  /**
   * Gemini: the responses of a turn may come again, all of them in the same order. Gemini CLI sends them twice after a
   * resume (google-gemini/gemini-cli#29365); services that check the number of responses reject that.
   */
  repeatedResponses?: boolean;
}

/** Runs rules in order and returns the first violation; later rules may rely on earlier ones. */
export function firstOf(rules: readonly (() => JudgeFinding)[]): JudgeFinding {
  for (const rule of rules) {
    const finding = rule();
    if (finding) return finding;
  }
  return undefined;
}
