import type { Dialect } from '../../message/index.ts';

/** How a provider counts what is not text, as data. Where it has published no number, ours errs on the large side. */
export interface CountingRules {
  /** Added to every message, and once to every request. */
  readonly perMessage: number;
  readonly perRequest: number;
  /** Tools: once if there are any, for each, and a factor on the whole. */
  readonly anyTools: number;
  readonly perTool: number;
  readonly toolsFactor: number;
  /** Calls are written out in a form that takes more than their text. */
  readonly callFactor: number;
  /** Added to every call. */
  readonly perCall: number;
  /** Whether the ids of calls are counted as text; growth reported by Anthropic shows that it does not. */
  readonly ids: boolean;
  /**
   * Tokens for each character of an encrypted or signed thought. Where a provider shows only a summary of a thought, what
   * it sealed is the better measure of what it reads.
   */
  readonly perSealedCharacter: number;
  readonly image: ImageRule;
  /** Bytes of a document that make one token. */
  readonly documentBytes: number;
  /** A document that is only named (by URL or id): its size is unknown before the answer. */
  readonly unknownDocument: number;
}

/** Numbers of a provider's rules that can be measured from reported usage. */
export type Framing = Partial<
  Pick<
    CountingRules,
    'perMessage' | 'anyTools' | 'perTool' | 'toolsFactor' | 'callFactor' | 'perCall' | 'ids' | 'perSealedCharacter'
  >
>;

export type ImageRule =
  | {
      /** OpenAI: fit into a square, bring the short side to a length, count tiles. */
      readonly kind: 'tiles';
      readonly low: number;
      readonly base: number;
      readonly perTile: number;
      readonly fit: number;
      readonly shortSide: number;
      readonly tile: number;
      readonly most: number;
    }
  | {
      /** Anthropic: pixels, after the long side has been brought to a length. */
      readonly kind: 'area';
      readonly longSide: number;
      readonly pixelsPerToken: number;
      readonly most: number;
    }
  | {
      /** Gemini: one price when small, otherwise one for each tile. */
      readonly kind: 'crops';
      readonly small: number;
      readonly tile: number;
      readonly perTile: number;
      readonly most: number;
    };

const openai: CountingRules = {
  perMessage: 3,
  perRequest: 3,
  anyTools: 16,
  perTool: 8,
  toolsFactor: 1.1,
  callFactor: 1.5,
  perCall: 0,
  ids: true,
  // Base64: four characters hold three bytes, and about four bytes make a token.
  perSealedCharacter: 3 / 16,
  // Scaling small images up, as the formula says, is more than the provider charges; `most` is its value at 4 : 1.
  image: { kind: 'tiles', low: 85, base: 85, perTile: 170, fit: 2048, shortSide: 768, tile: 512, most: 2125 },
  documentBytes: 8,
  unknownDocument: 16_000,
};

/**
 * The rules of each dialect. Copy one and change it for a provider that counts otherwise.
 *
 * @example
 * const counter = createMessageCounter({ count, rules: { ...countingRules.anthropic, perMessage: 5 } });
 */
export const countingRules: Readonly<Record<Dialect, CountingRules>> = {
  'openai-chat': openai,
  'openai-responses': openai,
  anthropic: {
    ...openai,
    // "Tool use system prompt token count": 346 with tool_choice auto or none.
    anyTools: 346,
    // Measured on growth reported for sessions with Claude: a call costs this much in addition to its name and arguments.
    callFactor: 1,
    perCall: 36,
    ids: false,
    // "tokens = (width px * height px) / 750", resized to 1568 px on the long side and about 1,600 tokens.
    image: { kind: 'area', longSide: 1568, pixelsPerToken: 750, most: 1600 },
  },
  gemini: {
    ...openai,
    // 258 tokens if both sides are at most 384 px, else 258 for each tile of 768 x 768.
    image: { kind: 'crops', small: 384, tile: 768, perTile: 258, most: 258 * 16 },
  },
};
