import { meterLines } from '../context/meter.ts';
import { bar } from '../text/bar.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { drawTree } from '../tree/draw.ts';
import type { Demo } from './demo.ts';
import type { Growth } from './growth.ts';

const indent = '   ';

/** The demo on little more than one screen. */
export function demoText({ demo, paint }: { readonly demo: Demo; readonly paint: Paint }): string {
  const { said, tree, leaf, branch, crash, search, recall, size, growth } = demo;
  const abandoned = count({ amount: branch.abandoned, of: 'entry' });
  const drawn = drawTree({ tree, leaf, paint, width: 94, isFull: false });
  const whole = crash.found === crash.acknowledged;
  const lines = [
    paint.strong(
      `1. A person and an agent talk: ${count({ amount: said, of: 'message' })}, each on the disk before it counts`,
    ),
    `${indent}Then it goes back to ${branch.from} and tries another way. ${abandoned} stay in the tree.`,
    '',
    paint.strong('2. Another process goes on, and is killed with kill -9 while it writes'),
    `${indent}acknowledged before it died: ${crash.acknowledged}; found again: ${(whole ? paint.good : paint.bad)(String(crash.found))}`,
    `${indent}the store is ${crash.sound ? paint.good('sound') : paint.bad('damaged')}`,
    '',
    paint.strong('3. The whole tree, after the crash'),
    ...[...drawn].map((line) => `${indent}${line}`),
    '',
    paint.strong(`4. Everything ever said can be found: search for "${search.text}"`),
    ...search.hits.map(
      ({ handle, snippet }) => `${indent}${paint.strong(handle)}  ${printable(snippet.replace(/\s+/g, ' '))}`,
    ),
    `${indent}recall ${recall.handle}: ${printable(recall.text)} ${recall.exact ? paint.good('(byte for byte)') : paint.bad('(changed)')}`,
    '',
    paint.strong('5. What the model is sent now, in a small window'),
    ...meterLines({ size, paint }).map((line) => `${indent}${line}`),
    '',
    paint.strong(
      `6. A long session in a window of ${number(growth.window)} tokens: a model summarises beside the work, ${growth.takes / 1000} s each time`,
    ),
    ...growthLines({ growth, paint }).map((line) => `${indent}${line}`),
    '',
    `Now your own: ${paint.strong('longhaul import FILE')}. Everything else: ${paint.strong('longhaul --help')}.`,
  ];
  return `${lines.join('\n')}\n`;
}

const cells = 24;

/** A time of the session, as minutes and seconds. */
function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function growthLines({ growth, paint }: { readonly growth: Growth; readonly paint: Paint }): string[] {
  const { window, compactions, requests, waited, said, sent, undo } = growth;
  const meter = (tokens: number) => `${paint.strong(bar({ share: tokens / window, cells }))} ${number(tokens)}`;
  const kept = ({ kept: some, of: all }: { readonly kept: number; readonly of: number }) =>
    (some === all ? paint.good : paint.bad)(`${some} of ${all}`);
  return [
    ...compactions.flatMap(({ before, after, job, rules, words, files }) => [
      `${meter(job.tokens)}  ${clock(job.begun)} begun, ${clock(job.ready)} ready; ${count({ amount: job.meanwhile, of: 'request' })} went out meanwhile`,
      `${meter(before)} → ${meter(after)}  ${clock(job.installed)} put in`,
      `  still there: ${kept(rules)} rules, ${kept(words)} of your messages, ${kept(files)} files worked on`,
    ]),
    `of ${number(requests)} requests ${waited === 0 ? paint.good('none waited') : paint.bad(`${waited} waited`)} for the model`,
    `${number(said)} messages were said, ${number(sent)} are sent; each of the others can be recalled`,
    `undo sends the ${number(undo.messages)} of before again, ${undo.exact ? paint.good('byte for byte') : paint.bad('changed')}`,
  ];
}
