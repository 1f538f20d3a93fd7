import { type CompactionResult, type LossReport, lossKinds } from 'longhaul/engine';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { beforeAfter } from './before-after.ts';

/** Of a summary so many lines are shown; all of it can be read by its handle, or with --json. */
const most = 40;

const names: Readonly<Record<(typeof lossKinds)[number], string>> = {
  human: 'your messages',
  engine: 'notes of the client',
  model: 'answers',
  thinking: 'thoughts',
  calls: 'tool calls',
  results: 'tool results',
  media: 'pictures and files',
};

/** What a compaction came to, for a person. `place` is the entry that holds it, once it is done. */
export function compactLines({
  result,
  window,
  wanted,
  place,
  paint,
}: {
  readonly result: CompactionResult;
  readonly window: number;
  /** The session as the person named it. */
  readonly wanted: string;
  readonly place: string | undefined;
  readonly paint: Paint;
}): string[] {
  const { installed, worthwhile, reason, tokensBefore: before, tokensAfter: after, loss, summary } = result;
  const asked = askedLines(result);
  if (!loss || summary === undefined) return [printable(reason)];
  if (!worthwhile) return [`Nothing was compacted. ${printable(reason)}`, ...asked];
  const lines = summary.split('\n');
  const more = lines.length - most;
  const whole = place === undefined ? '--json' : `longhaul recall ${printable(wanted)} ${place}`;
  return [
    ...beforeAfter({ before, after, window, isDone: installed, paint }),
    printable(reason),
    `${installed ? 'Gained' : 'It would gain'}: ${number(before - after)} tokens.`,
    ...asked,
    ...lossLines(loss),
    '',
    ...lines.slice(0, most).map((line) => `  ${printable(line)}`.trimEnd()),
    ...(more > 0 ? [paint.faint(`  … ${number(more)} more lines: ${whole}`)] : []),
    ...(installed ? ['', paint.faint(`\`longhaul undo ${printable(wanted)}\` takes it back.`)] : []),
  ];
}

/** Who was asked for words, and what came of it; nothing where nobody was. */
function askedLines({ attempts = [], strategy = '' }: CompactionResult): string[] {
  const newest = attempts.at(-1);
  if (!newest) return [];
  const who = printable(newest.model ?? 'The model');
  const calls = count({ amount: attempts.length, of: 'call' });
  const seconds = (attempts.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(1);
  if (newest.outcome === 'accepted')
    return [`In the words of ${who} (${printable(strategy)}): ${calls}, ${seconds} s.`];
  const why = printable(newest.why ?? newest.outcome).replace(/\.$/, '');
  return [`${who} gave no summary that could be used, so this one was made without a model. ${why}.`];
}

function lossLines({ lost, before, handles, reduced, pins }: LossReport): string[] {
  const gone = lossKinds
    .filter((kind) => lost[kind].parts > 0)
    .map((kind) => `${names[kind]} ${number(lost[kind].parts)} of ${number(before[kind].parts)}`);
  const where = handles ? `; all of it stays at @${handles.from} to @${handles.to}` : '';
  const kept = pins.filter(({ survived }) => survived).length;
  return [
    `No longer in front of the model: ${gone.join(', ')}${where}.`,
    ...(reduced > 0 ? [`Of what stays, ${number(reduced)} became shorter, or lost thoughts of finished turns.`] : []),
    ...(pins.length > 0 ? [`Rules carried word for word: ${kept} of ${pins.length}.`] : []),
    ...pins.filter(({ survived }) => !survived).map(({ text }) => `No room for the rule: ${printable(text)}`),
  ];
}
