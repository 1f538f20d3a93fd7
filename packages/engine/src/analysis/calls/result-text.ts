import type { ToolResultPart } from '../../message/index.ts';

/** The text of a result, its parts joined by line breaks, as recall returns it. */
export function resultText({ content }: ToolResultPart): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Escape sequences for colors, cursor moves and titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const sequences = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The text without terminal escape sequences. */
export function withoutColors(text: string): string {
  return text.includes('\u001b') ? text.replace(sequences, '') : text;
}

/** The beginning and the end of a text, where tools report the outcome. Of a short text both are the whole. */
export function edges({ text, length }: { readonly text: string; readonly length: number }): {
  readonly head: string;
  readonly tail: string;
} {
  return { head: text.slice(0, length), tail: text.slice(Math.max(0, text.length - length)) };
}

const cutNotice = /\[(?:Showing|Truncated)|\bmore lines\b|\btruncated\b|\bleft out\b/i;

/** Whether a tool reports at the edges of its output that the output is truncated. */
export function isCut(text: string): boolean {
  return cutNotice.test(text.slice(0, 200)) || cutNotice.test(text.slice(-600));
}
