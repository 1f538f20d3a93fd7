import { frontierTitles, partTitles, sectionNames, spoken, visible } from '../../analysis/index.ts';

/** Phrases of the engine that a model's sentence must not contain. */
const wordings: readonly RegExp[] = [
  /\brules? (?:that (?:hold|apply|are carried)|in force|to be kept|pinned)\b/,
  /\bword for word\b.{0,3}:|\b(?:rules?|pins?|quot\w+|said|instructions?),? (?:word for word|verbatim)\b/,
  /\bpinned (?:rules?|instructions?|by)\b|^[^a-z]*(?:pins?|pinned|rules?|verbatim rules)\b[^a-z]{0,6}(?::|$)/,
  /\bwhat (?:the user|the human|people|they) (?:said|say|asked|wants?|approved)\b/,
  /\basked to keep this in view\b|\bwhat the agent was working in\b/,
  /\btests and checks,? as last seen\b|\b(?:exactly as they were said|exact excerpts,? by handle)\b|\bis the result of a call\b|\beverything that this (?:summary covers|stands for)\b|\brecall (?:it|them) by handle\b/,
  /\b(?:earlier|older) narrative\b.{0,40}:|\bconversation[- ]summary\b|\bsystem[- ]reminder\b/,
];

/** A handle as the engine writes it. */
const handle = /(?<![\w./@-])@\d+(?:\.\d+)?(?::\d+(?:-\d+)?)?(?![\w@])/;
const leadingHandle = new RegExp(`^[^\\p{L}\\p{N}@]*(?:${handle.source})`, 'u');
const enclosedHandles = new RegExp(
  `(?<!\\s)\\s*[([{](?:${handle.source})(?:\\s*[,;–-]\\s*(?:${handle.source}))*[)\\]}]`,
  'g',
);

/** Tags of requests, of turns and of summaries. */
const ourTags =
  /<\s*(?:\/\s*)?(?:conversation(?:-summary)?|entry|previous-summary|part-summary|working-state|additional-context|analysis|summary|short|system(?:-reminder)?|user|human|assistant|instructions?)\b[^>]*>?/i;

/** Titles of lists; the items below are kept, each labeled with the title. */
const listTitles = new Set(Object.values(frontierTitles).map(keyOf));
const sectionTitles = new Set([...sectionNames, partTitles.lines].map(keyOf));

/** Whether a sentence contains a title, a tag or an attribution that only the engine may write. */
export function isEnginePart(sentence: string): boolean {
  const seen = visible(sentence);
  if (leadingHandle.test(seen) || ourTags.test(seen.replace(/(?<!`)(`{1,8})[^`]+\1/g, ' '))) return true;
  const words = spoken(sentence.replaceAll('`', ' '));
  return wordings.some((wording) => wording.test(words));
}

/** `section` if a line is only the title of a section, `list` if it is the title of one of the engine's lists. */
export function titleIn(line: string): 'section' | 'list' | undefined {
  const key = keyOf(line);
  if (sectionTitles.has(key)) return 'section';
  return listTitles.has(key) ? 'list' : undefined;
}

/**
 * Removes handles from a sentence: only the engine attributes statements to entries.
 *
 * @example
 * withoutHandles('The lexer is fixed (@12), see @14.'); // 'The lexer is fixed, see entry 14.'
 */
export function withoutHandles(sentence: string): string {
  return sentence
    .replace(enclosedHandles, '')
    .replace(new RegExp(handle, 'g'), (found) => `entry ${/\d+/.exec(found)?.[0] ?? ''}`);
}

function keyOf(line: string): string {
  return spoken(line)
    .replace(/^[^a-z]+|(?<![^a-z])[^a-z]+$/g, '')
    .replace(/[^a-z]+/g, ' ');
}
