import type { Origin, TextPart } from '../../message/index.ts';
import { userText } from '../user-text.ts';

/**
 * What was sent for what was typed, as a part for each who speaks: Copilot wraps the time, reminders and instructions
 * around a message, and sometimes a sentence before it.
 *
 * @example
 * wrapped({ typed: 'Go on.', sent: '<current_datetime>…</current_datetime>\n\nGo on.', author: 'human' });
 * // engine: the time; human: 'Go on.'
 */
export function wrapped({
  typed,
  sent,
  author,
}: {
  readonly typed: string;
  readonly sent: string;
  readonly author: Origin;
}): TextPart[] {
  const [start, end] = placeOf({ typed, sent });
  return [
    ...around(sent.slice(0, start)),
    ...textOf({ text: sent.slice(start, end), origin: author }),
    ...around(sent.slice(end)),
  ];
}

/** What a client put around the typed text: its own words, or data that was attached. */
function around(text: string): TextPart[] {
  return textOf({ text, origin: userText(text).origin === 'data' ? 'data' : 'engine' });
}

function textOf(of: { readonly text: string; readonly origin: Origin }): TextPart[] {
  return of.text === '' ? [] : [{ type: 'text', ...of }];
}

/** Where in what was sent the typed text stands; where it was changed on the way, all that stands in no element. */
function placeOf({ typed, sent }: { readonly typed: string; readonly sent: string }): readonly [number, number] {
  if (typed === '') return [sent.length, sent.length];
  const [start, end] = outsideElements(sent);
  const middle = sent.slice(start, end);
  // A short text may stand by chance in the sentence before it.
  const inside = middle.trimEnd().endsWith(typed) ? middle.lastIndexOf(typed) : middle.indexOf(typed);
  const at = inside >= 0 ? start + inside : sent.indexOf(typed);
  return at >= 0 ? [at, at + typed.length] : [start, end];
}

const opening = /\s*<([A-Za-z][\w-]*)(?:\s[^<>]*)?>/y;
const closing = /<\/([A-Za-z][\w-]*)>\s*$/;
const longestTag = 200;

/** The text without the elements that it begins and ends with. */
function outsideElements(text: string): readonly [number, number] {
  let start = 0;
  for (;;) {
    opening.lastIndex = start;
    const [tag, name] = opening.exec(text) ?? [];
    const close = name === undefined ? -1 : text.indexOf(`</${name}>`, start + (tag?.length ?? 0));
    if (name === undefined || close < 0) break;
    start = close + name.length + 3;
  }
  let end = text.length;
  for (;;) {
    const [, name] = closing.exec(text.slice(Math.max(start, end - longestTag), end)) ?? [];
    // Strictly before the end: the element after it may have the same name.
    const open = name === undefined ? -1 : text.lastIndexOf(`<${name}`, end - 1);
    if (open < start) break;
    end = open;
  }
  const inner = text.slice(start, end);
  return [start + inner.length - inner.trimStart().length, end - (inner.length - inner.trimEnd().length)];
}
