import type { KeyMatch } from './find-vendor-keys.ts';
import { looksRandom } from './looks-random.ts';

/**
 * Shapes that keys share with names and words: shortened keys, keys that are half masked, a token before the host of an
 * address. In an error all of them count; in the text of a session only those that look random.
 */
const patterns: readonly RegExp[] = [
  /(?<=:\/\/)(?<key>[^\s/?#"'`<>]{1,300})(?=@)/dg, // a user and password, or a token, before the host
  /\b(?<key>(?:sk|rk|pk)-[\w*.-]{6,255})/dg, // OpenAI and compatible services; also half masked: sk-****abcd
  /\b(?<key>AIza[\w-]{10,60})/dg,
  /\b(?<key>ya29\.[\w-]{10,1000})/dg,
  /\b(?<key>(?:gsk|csk|hf|nvapi|fw|tgp|key|r8|pplx)[_-][\w-]{12,255})/dg,
  /\b(?<key>xai-[\w-]{10,255})/dg,
  /\b(?<key>(?:gh[a-z]_|github_pat_)\w{10,255})/dg,
  /\b(?<key>(?:AKIA|ASIA)[A-Z0-9]{12,60})/dg,
  /\b(?<key>eyJ[\w-]{8,300}\.[\w-]{4,1000}(?:\.[\w-]{0,1000})?)/dg, // JSON Web Tokens
];

/**
 * Finds what may be a key.
 *
 * @example
 * findLooseKeys({ text: 'Incorrect API key provided: sk-proj-****abcd', isRandomOnly: false });
 */
export function findLooseKeys({
  text,
  isRandomOnly,
}: {
  readonly text: string;
  readonly isRandomOnly: boolean;
}): KeyMatch[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match): KeyMatch[] => {
      const [start, end] = match.indices?.groups?.key ?? [0, 0];
      return isRandomOnly && !looksRandom(text.slice(start, end)) ? [] : [{ start, end }];
    }),
  );
}
