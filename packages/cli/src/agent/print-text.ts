import { type ActiveExtensions, type AgentEvent, createPlainStream, plain, type RunEnd } from 'longhaul/agent';
import { eventLine } from 'longhaul/engine';
import type { JsonObject } from 'longhaul/message';
import { type ModelFailure, promptTokens } from 'longhaul/models';
import type { Invocation } from '../invocation.ts';
import { showSeconds } from '../output/elapsed-time.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import { printable } from '../text/printable.ts';
import type { Print } from './print.ts';

/** Longer lines about tools are cut. */
const longest = 160;

/**
 * Prints a run for people: the model's text on standard output as it streams, everything else on standard error. Control
 * characters from a model or a tool are never sent to the terminal.
 *
 * @example
 * const print = printText({ invocation });
 * for await (const event of agent.run({ prompt })) await print(event);
 */
export function printText({
  invocation: { io, paint },
  render = () => undefined,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'paint'>;
  /** How extensions show the results of tools. */
  readonly render?: ActiveExtensions['render'];
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
  /** Starts a new line if the last one is not ended. */
  const settle = async () => {
    await out(words.end());
    words = createPlainStream();
    if (isOpen) await out('\n');
  };
  const printLine = async (line: string) => {
    await settle();
    await io.stderr.write(`${faint(printable(clip({ text: plain(line), length: longest })))}\n`);
  };
  const printBlock = async (text: string) => {
    await settle();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${printable(line)}\n`);
    await io.stderr.write(lines.join(''));
  };
  const inputs = new Map<string, JsonObject>();
  let compacting = { stop: new AbortController(), shown: Promise.resolve() };
  return async (event) => {
    const engine = event.type === 'engine' ? event.event.type : undefined;
    if (engine === 'compactionStart') {
      const stop = new AbortController();
      compacting = { stop, shown: showCompacting({ io, printLine, until: stop.signal }) };
    }
    if (engine === 'compactionComplete' || event.type === 'text' || event.type === 'run_end') {
      compacting.stop.abort();
      await compacting.shown;
    }
    if (event.type === 'text') return await out(words.push(event.delta));
    if (event.type === 'answer') return await settle();
    if (event.type === 'tool_start') inputs.set(event.callId, event.input);
    if (event.type === 'tool_end') {
      const shown = render({ ...event, input: inputs.get(event.callId) ?? {} });
      inputs.delete(event.callId);
      if (shown !== undefined) return await printBlock(shown);
    }
    const line = lineOf(event);
    if (line !== undefined) await printLine(isCommand(event) ? line : here(line));
    if (event.type !== 'run_end') return;
    await settle();
    if (event.failure) await io.stderr.write(failureText({ failure: event.failure, bad }));
    await printLine(endLine(event));
  };
}

/** A long compaction must not look like a program that hangs. */
const silentMs = 2_000;

/** The elapsed time on a terminal, elsewhere one line if it takes long. */
async function showCompacting(of: {
  readonly io: Invocation['io'];
  readonly printLine: (line: string) => Promise<void>;
  readonly until: AbortSignal;
}): Promise<void> {
  const { io, until } = of;
  if (io.stderr.isTerminal) return await showSeconds({ io, text: 'Compacting…', until });
  await io.sleep({ ms: silentMs, signal: until });
  if (!until.aborted) await of.printLine('Compacting…');
}

/**
 * The line of a sub-agent's tool call, for standard error; empty for other events.
 *
 * @example
 * agent.on((event, from) => void (from.parent && io.stderr.write(subagentLine({ event, invocation }))));
 */
export function subagentLine({
  event,
  invocation: { io, paint },
}: {
  readonly event: AgentEvent;
  readonly invocation: Pick<Invocation, 'io' | 'paint'>;
}): string {
  if (event.type !== 'tool_start') return '';
  const line = isCommand(event) ? event.summary : shortened({ line: event.summary, cwd: io.cwd });
  return `${paint('stderr').faint(`    ${printable(clip({ text: plain(`> ${line}`), length: longest }))}`)}\n`;
}

/** A command is printed unchanged. */
function isCommand(event: AgentEvent): boolean {
  return event.type === 'tool_start' && event.tool === 'bash';
}

/** Makes paths inside the agent's folder relative. */
function shortened({ line, cwd }: { readonly line: string; readonly cwd: string }): string {
  return line
    .split(' ')
    .map((word) => (word === cwd ? '.' : word.startsWith(`${cwd}/`) ? word.slice(cwd.length + 1) : word))
    .join(' ');
}

/** One line for each event worth printing. */
function lineOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'run_start':
      return event.resumed ? `${event.model} continues where it was interrupted` : undefined;
    case 'tool_start':
      return `> ${event.summary}`;
    case 'tool_end':
      return event.isError ? `  ${event.tool} failed: ${event.text}` : undefined;
    case 'said':
      return event.how === 'prompt' ? undefined : `message (${event.how}): ${event.text}`;
    case 'retry':
      return `Retrying in ${Math.ceil(event.delayMs / 1000)} s (attempt ${event.attempt}): ${event.failure.message}`;
    case 'overflow':
      return `The request was too long for the model; compacting and sending it again. ${event.failure.message}`;
    case 'provider_compaction':
      return `The provider ${event.kind === 'edits' ? 'dropped parts of' : 'compacted'} the context itself (${event.name})`;
    case 'model':
      return `from ${event.from} to ${event.to}`;
    case 'subagent_start':
      return `> sub-agent: ${event.task}`;
    case 'notice':
      return event.text;
    case 'engine':
      return printedEvents.has(event.event.type) ? eventLine(event.event) : undefined;
    default:
      return undefined;
  }
}

const printedEvents: ReadonlySet<string> = new Set(['compactionComplete', 'prune', 'guard', 'limit', 'hookFailed']);

/** Why the request failed, and what to do about it. */
function failureText(of: { readonly failure: ModelFailure; readonly bad: (text: string) => string }): string {
  const { kind, message } = of.failure;
  const next = nextSteps[kind];
  return `${of.bad('longhaul:')} ${printable(plain(message))}\n${next === undefined ? '' : `  ${next}\n`}`;
}

const nextSteps: Readonly<Partial<Record<ModelFailure['kind'], string>>> = {
  auth: 'Check the provider key; `longhaul models` shows which variable it is read from.',
  quota: 'The quota of this provider is used up; choose another model with --model.',
  rate: 'The provider limits the request rate; continue later with --continue.',
  network: 'Check the network connection; --continue resumes from here.',
  invalid: 'Check the model name; `longhaul models check NAME` explains the failure.',
  overflow:
    'If --window or the setting `window` is smaller than the window of the model, raise or omit it; otherwise use a model with a larger window.',
};

/** Turns, tokens and cost of a run. */
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
  max_cost: 'cost limit: ',
  refused: 'refused by the model: ',
};
