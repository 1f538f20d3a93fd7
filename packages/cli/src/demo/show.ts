import type { AgentEvent } from 'longhaul/agent';
import { eventLine } from 'longhaul/engine';
import type { Output } from '../io/io.ts';
import { bar } from '../text/bar.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import type { Audience, Demo } from './demo.ts';

const [indent, cells, width] = ['   ', 20, 92];

/**
 * Shows the demo while it goes on: a line for what is said, one for each module, one for each compaction.
 *
 * @example
 * await runDemo({ io, folder, audience: createShow({ out: io.stdout, paint }), signal });
 */
export function createShow({ out, paint }: { readonly out: Output; readonly paint: Paint }): Audience {
  const line = (text: string) => out.write(`${text}\n`);
  const verdict = (isGood: boolean, text: string) => (isGood ? paint.good : paint.bad)(text);
  let [tools, meter]: [string[], string] = [[], ''];
  const flush = async () => {
    if (tools.length > 0) await line(`${indent}${meter}  ${printable(clip({ text: tools.join(' · '), length: 68 }))}`);
    tools = [];
  };
  return {
    said: async ({ text, isResumed }) => {
      await flush();
      const who = isResumed ? 'a new process' : 'you';
      await line(`\n${paint.strong(`${who}:`)}`);
      for (const part of wrapped(text)) await line(`${indent}${part}`);
    },
    event: async (event) => {
      const told = toldOf(event);
      if (told !== undefined) tools.push(told);
      if (event.type === 'turn_start') meter = meterOf({ ...event, paint });
      // The tests are the end of a module.
      if (event.type === 'tool_end' && event.tool === 'bash') await flush();
      if (event.type === 'engine' && event.event.type === 'compactionComplete' && event.event.success) {
        await flush();
        await line(`${indent}${paint.strong(clip({ text: eventLine(event.event), length: width }))}`);
      }
      if (event.type === 'run_end') {
        tools = [];
        await line(`${indent}${clip({ text: event.text, length: width })}`);
      }
    },
    killed: async ({ during, acknowledged, found, isSound }) => {
      await flush();
      await line(`${indent}${paint.bad('kill -9')} while it ran ${printable(during.replace(/^bash: /, ''))}`);
      const all = verdict(found === acknowledged, `${found} of ${acknowledged}`);
      await line(
        `${indent}${all} entries that it had acknowledged are there; the store is ${verdict(isSound, isSound ? 'sound' : 'damaged')}`,
      );
    },
    undone: async ({ sent, before, isExact }) => {
      const exact = verdict(isExact, isExact ? 'byte for byte' : 'changed');
      await line(
        `\n${paint.strong('undo:')} the ${number(before)} messages from before the last compaction in place of ${number(sent)}, ${exact}; redo`,
      );
    },
    branched: async ({ from, tried, entries, isExact }) => {
      const exact = verdict(isExact, isExact ? 'byte for byte' : 'changed');
      await line(
        `${indent}a branch at ${from} of ${count({ amount: tried, of: 'entry' })}, left again: what is sent is the same as before, ${exact}`,
      );
      await line(`${indent}all ${number(entries)} entries stay in the tree`);
    },
  };
}

function toldOf(event: AgentEvent): string | undefined {
  if (event.type !== 'tool_start') return undefined;
  const { file_path: path, command } = event.input;
  return typeof command === 'string' ? command : `${event.tool} ${typeof path === 'string' ? path : ''}`.trim();
}

/** A text in lines that fit. */
function wrapped(text: string): string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)`, 'g')) ?? [];
}

function meterOf(of: { readonly tokens: number; readonly window: number; readonly paint: Paint }): string {
  return `${of.paint.faint(bar({ share: of.tokens / of.window, cells }))} ${number(of.tokens).padStart(6)}`;
}

/** The table at the end. */
export function demoTable({
  demo,
  seconds,
  paint,
}: {
  readonly demo: Demo;
  readonly seconds: number;
  readonly paint: Paint;
}): string[] {
  const { tally, judged, facts, processes, window } = demo;
  const { prompt, cached } = tally.tokens;
  const { planted, inContext, byRecall } = facts;
  const kept = inContext + byRecall;
  const mark = (isGood: boolean, text: string) => (isGood ? paint.good : paint.bad)(text);
  const rows = [
    ['turns', `${number(tally.turns)} in ${processes} processes, ${seconds.toFixed(0)} s`],
    ['tokens sent', `${number(prompt)}, never more than ${number(window)} at once`],
    [
      'cache-hit rate',
      `${((100 * cached) / Math.max(1, prompt)).toFixed(1)} % of them, by the provider's accounting of prefixes`,
    ],
    [
      'rejected',
      mark(
        judged.rejected === 0,
        `${judged.rejected} of ${number(judged.requests)} requests, by a judge with the provider's rules`,
      ),
    ],
    ['compactions', number(tally.compactions)],
    ['waits', mark(tally.waits === 0, `${tally.waits} for the model that summarizes`)],
    [
      'facts kept',
      `${mark(kept === planted, `${kept} of ${planted}`)}: ${inContext} in front of the model, ${byRecall} by recall`,
    ],
  ];
  return columns({ rows });
}
