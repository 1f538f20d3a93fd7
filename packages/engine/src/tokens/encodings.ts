/** The encodings whose vocabulary is public. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** All encodings, in the order in which they are listed to people. */
export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base'];

/** The first that matches decides; tiktoken's own table by prefix, and the models that came after it. */
const byModel: readonly (readonly [RegExp, Encoding])[] = [
  [/^(ft:)?gpt-(4o|4\.1|4\.5|[5-9])|^chatgpt-4o|^o[1-9]\b|^codex-|^gpt-oss/, 'o200k_base'],
  [/^(ft:)?gpt-(4|3\.5|35)|^text-embedding-(3|ada-002)/, 'cl100k_base'],
];

/**
 * The encoding of a model whose vocabulary is public, otherwise `undefined`: then use `createEstimator`. A provider's
 * name before a slash does not matter.
 *
 * @example
 * encodingOf('gpt-5.1-codex'); // 'o200k_base'
 * encodingOf('anthropic/claude-sonnet-4-5'); // undefined
 */
export function encodingOf(model: string): Encoding | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return byModel.find(([pattern]) => pattern.test(name))?.[1];
}
