import { type CompactionResult, type LossReport, lossKinds } from 'longhaul/engine';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import { printable } from '../text/printable.ts';

const names: Readonly<Record<(typeof lossKinds)[number], string>> = {
  human: 'your messages',
  engine: 'engine messages',
  model: 'answers',
  thinking: 'thoughts',
  calls: 'tool calls',
  results: 'tool results',
  media: 'images and files',
};

/**
 * Which model was asked for the summary, and the result; nothing if none was asked.
 *
 * @example
 * askedLines(await session.compact({ model }));
 */
export function askedLines({ attempts = [], strategy = '' }: CompactionResult): string[] {
  const newest = attempts.at(-1);
  if (!newest) return [];
  const who = printable(newest.model ?? 'The model');
  const calls = count({ amount: attempts.length, of: 'call' });
  const seconds = (attempts.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(1);
  if (newest.outcome === 'accepted') return [`Summary by ${who} (${printable(strategy)}): ${calls}, ${seconds} s.`];
  const why = printable(newest.why ?? newest.outcome).replace(/\.$/, '');
  return [`${who} gave no usable summary, so an extractive one was made. ${why}.`];
}

/**
 * What is no longer sent after a compaction, and where it is.
 *
 * @example
 * lossLines(result.loss); // ['No longer sent to the model: answers 12 of 20; still available at @3 to @40.']
 */
export function lossLines({ lost, before, handles, reduced, pins }: LossReport): string[] {
  const gone = lossKinds
    .filter((kind) => lost[kind].parts > 0)
    .map((kind) => `${names[kind]} ${number(lost[kind].parts)} of ${number(before[kind].parts)}`);
  const where = handles ? `; still available at @${handles.from} to @${handles.to}` : '';
  const kept = pins.filter(({ survived }) => survived).length;
  return [
    `No longer sent to the model: ${gone.join(', ')}${where}.`,
    ...(reduced > 0 ? [`Of the rest, ${number(reduced)} were shortened or lost the thinking of finished turns.`] : []),
    ...(pins.length > 0 ? [`Rules kept word for word: ${kept} of ${pins.length}.`] : []),
    ...pins.filter(({ survived }) => !survived).map(({ text }) => `No room for the rule: ${printable(text)}`),
  ];
}
