import { type AgentEvent, createPlainStream, plain, type RunEnd } from 'longhaul/agent';
import { eventLine } from 'longhaul/engine';
import { type ModelFailure, promptTokens } from 'longhaul/models';
import type { Invocation } from '../invocation.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import { printable } from '../text/printable.ts';
import type { Print } from './print.ts';

/** Longer lines about tools are no help to anybody. */
const longest = 160;

/**
 * Tells a run to people: what the model says on standard output as it comes, everything else on standard error. Nothing
 * that a model or a tool wrote is obeyed by a terminal.
 *
 * @example
 * const print = printText({ invocation });
 * for await (const event of agent.run({ prompt })) await print(event);
 */
export function printText({
  invocation: { io, paint },
}: {
  readonly invocation: Pick<Invocation, 'io' | 'paint'>;
}): Print {
  const { faint, bad } = paint('stderr');
  const here = (line: string) => shortened({ line, cwd: io.cwd });
  let words = createPlainStream();
  let isOpen = false;
  const out = async (text: string) => {
    if (text === '') return;
    isOpen = !text.endsWith('\n');
    await io.stdout.write(text);
  };
  /** What comes next begins on a line of its own. */
  const settle = async () => {
    await out(words.end());
    words = createPlainStream();
    if (isOpen) await out('\n');
  };
  const tell = async (line: string) => {
    await settle();
    await io.stderr.write(`${faint(printable(clip({ text: plain(line), length: longest })))}\n`);
  };
  return async (event) => {
    if (event.type === 'text') return await out(words.push(event.delta));
    if (event.type === 'answer') return await settle();
    const line = lineOf(event);
    if (line !== undefined) await tell(isCommand(event) ? line : here(line));
    if (event.type !== 'run_end') return;
    await settle();
    if (event.failure) await io.stderr.write(failureText({ failure: event.failure, bad }));
    await tell(endLine(event));
  };
}

/** A command is shown as it is. */
function isCommand(event: AgentEvent): boolean {
  return event.type === 'tool_start' && event.tool === 'bash';
}

/** Paths in the folder of the agent from there, where they begin a word. */
function shortened({ line, cwd }: { readonly line: string; readonly cwd: string }): string {
  return line
    .split(' ')
    .map((word) => (word === cwd ? '.' : word.startsWith(`${cwd}/`) ? word.slice(cwd.length + 1) : word))
    .join(' ');
}

/** One line about what happens, for what is worth one. */
function lineOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'run_start':
      return event.resumed ? `${event.model} goes on where it was interrupted` : undefined;
    case 'tool_start':
      return `> ${event.summary}`;
    case 'tool_end':
      return event.isError ? `  ${event.tool} failed: ${event.text}` : undefined;
    case 'said':
      return event.how === 'prompt' ? undefined : `said (${event.how}): ${event.text}`;
    case 'retry':
      return `Trying again in ${Math.ceil(event.delayMs / 1000)} s (${event.attempt}): ${event.failure.message}`;
    case 'overflow':
      return `It was too long for the model; it is compacted and sent once more. ${event.failure.message}`;
    case 'provider_compaction':
      return `The provider ${event.kind === 'edits' ? 'left parts unread' : 'compacted'} by itself (${event.name})`;
    case 'model':
      return `from ${event.from} to ${event.to}`;
    case 'subagent_start':
      return `> a sub-agent: ${event.task}`;
    case 'notice':
      return event.text;
    case 'engine':
      return toldOfEngine.has(event.event.type) ? eventLine(event.event) : undefined;
    default:
      return undefined;
  }
}

const toldOfEngine: ReadonlySet<string> = new Set(['compactionComplete', 'prune', 'guard', 'limit', 'hookFailed']);

/** Why the model could not be asked, and what a person can do about it. */
function failureText(of: { readonly failure: ModelFailure; readonly bad: (text: string) => string }): string {
  const { kind, message } = of.failure;
  const next = nextSteps[kind];
  return `${of.bad('longhaul:')} ${printable(plain(message))}\n${next === undefined ? '' : `  ${next}\n`}`;
}

const nextSteps: Readonly<Partial<Record<ModelFailure['kind'], string>>> = {
  auth: 'Check the key of the provider; `longhaul models` tells which variable it is read from.',
  quota: 'Nothing more can be asked of this provider for now; take another with --model.',
  rate: 'The provider wants less for a while; --continue goes on later.',
  network: 'Check the way to the provider; --continue goes on from here.',
  invalid: 'See whether the model is named rightly; `longhaul models check NAME` explains it.',
  overflow: 'Tell how large its window really is with --window N.',
};

/** What a run came to. */
function endLine({ reason, turns, usage, costUsd }: Extract<AgentEvent, { readonly type: 'run_end' }>): string {
  const prompt = promptTokens(usage);
  const cached = prompt > 0 && usage.cacheRead > 0 ? `, ${Math.round((100 * usage.cacheRead) / prompt)} % cached` : '';
  const price =
    costUsd === undefined ? '' : costUsd < 0.001 ? ', under $0.001' : `, $${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)}`;
  const tokens = prompt === 0 ? '' : `, ${number(prompt)} tokens in${cached}, ${number(usage.output)} out${price}`;
  return `${stopped[reason]}${count({ amount: turns, of: 'turn' })}${tokens}`;
}

const stopped: Readonly<Record<RunEnd, string>> = {
  done: '',
  aborted: 'interrupted: ',
  failed: 'failed: ',
  max_turns: 'out of turns: ',
  refused: 'refused by the model: ',
};
