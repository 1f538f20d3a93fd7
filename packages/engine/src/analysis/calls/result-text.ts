import type { ToolResultPart } from '../../message/index.ts';

/** What a result says, its parts one under the other, as recall gives it. */
export function resultText({ content }: ToolResultPart): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Colors, cursor moves and titles of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const sequences = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The text as a person would see it. */
export function withoutColors(text: string): string {
  return text.includes('\u001b') ? text.replace(sequences, '') : text;
}

/** The first and the last stretch of a text: where tools say how it went. Short texts are whole. */
export function edges({ text, length }: { readonly text: string; readonly length: number }): {
  readonly head: string;
  readonly tail: string;
} {
  return { head: text.slice(0, length), tail: text.slice(Math.max(0, text.length - length)) };
}

const cutNotice = /\[(?:Showing|Truncated)|\bmore lines\b|\btruncated\b|\bleft out\b/i;

/** Whether a tool says that it did not give all. It says so at the edges of what it gave. */
export function isCut(text: string): boolean {
  return cutNotice.test(text.slice(0, 200)) || cutNotice.test(text.slice(-600));
}
