import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import {
  type BreakpointPolicy,
  createPromptTokenizer,
  fingerprints,
  HTMLTracer,
  type ITokenizer,
  type Raw,
} from 'longhaul/prompt';
import { createTokenizer, encodings, estimateTokens } from 'longhaul/tokens';
import { cannotRead, fileIsFolder, reasonOf } from '../errors/file-errors.ts';
import { examplesHelp } from '../help.ts';
import { isRecord } from '../input/is-record.ts';
import { tokenCount } from '../input/token-count.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { pathOf } from '../io/path-of.ts';
import { checkDestination } from '../output/destination.ts';
import { printResult } from '../output/print-result.ts';
import { writeWhole } from '../output/write-whole.ts';
import { findPrompt, type RenderedPrompt, renderPrompt } from '../prompt/render-prompt.ts';
import { bytesText } from '../text/bytes.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

const roles = ['system', 'user', 'assistant', 'tool'] as const;

/**
 * The text output: each message under its role, then the totals.
 *
 * @example
 * await io.stdout.write(promptText({ rendered, budget: 8000, tokenizer: 'o200k_base', paint: paint('stdout') }));
 */
function promptText({
  rendered,
  budget,
  tokenizer,
  paint,
}: {
  readonly rendered: RenderedPrompt;
  readonly budget: number;
  readonly tokenizer: string;
  readonly paint: Paint;
}): string {
  const { messages, tokens, steps = [] } = rendered;
  const removed = (steps as readonly { readonly removed?: number }[]).reduce(
    (sum, each) => sum + (each.removed ?? 0),
    0,
  );
  const totals = [
    `${number(tokens)} of ${count({ amount: budget, of: 'token' })} (${tokenizer})`,
    count({ amount: messages.length, of: 'message' }),
    ...(removed > 0 ? [`${count({ amount: removed, of: 'node' })} pruned`] : []),
  ];
  const blocks = messages.map((message) => {
    const name = message.name ? ` ${message.name}` : '';
    const id = message.role === 3 ? ` ${message.toolCallId}` : '';
    const calls = message.role === 2 ? (message.toolCalls ?? []) : [];
    const lines = [
      paint.strong(printable(`${roles[message.role]}${name}${id}`)),
      ...message.content.map(partText).flatMap((text) => text.split('\n').map(printable)),
      ...calls.map(({ id: callId, function: called }) => printable(`-> ${called.name}(${called.arguments}) ${callId}`)),
    ];
    return lines.join('\n');
  });
  return `${[...blocks, paint.faint(totals.join(', '))].join('\n\n')}\n`;
}

function partText(part: Raw.ChatCompletionContentPart): string {
  switch (part.type) {
    case 1:
      return part.text;
    case 0:
      return `[image ${part.imageUrl.url.slice(0, 60)}]`;
    case 4:
      return `[document ${part.documentData.mediaType}]`;
    case 3:
      return '[cache breakpoint]';
    default:
      return '[opaque value]';
  }
}

interface PromptOptions {
  readonly budget?: string;
  readonly tokenizer: string;
  readonly props?: string;
  readonly breakpoints?: string;
}

interface TraceOptions extends PromptOptions {
  readonly output?: string;
  readonly force?: true;
  readonly serve?: true;
  readonly port?: string;
}

const policies: readonly BreakpointPolicy[] = ['prune-after', 'drop-breakpoint', 'escalate'];

/** `longhaul prompt render` and `longhaul prompt trace`. */
export function addPromptCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const prompt = program
    .command('prompt')
    .description('Renders a prompt written as a tree of elements, or traces how it is rendered.')
    .usage('COMMAND [options]');
  const render = withOptions(prompt.command('render'))
    .summary('print the messages of a prompt within a token budget')
    .description('Prints the messages that a prompt renders to within a token budget.');
  const trace = withOptions(prompt.command('trace'))
    .summary('a page with shares, priorities, tokens, and what is pruned and why')
    .description(
      'Creates a page that shows what is pruned at each budget and why: as one file, or served locally for any budget.',
    )
    .option('-o, --output <file>', 'write the page to this file; default: standard output')
    .option('--force', 'let --output replace an existing file')
    .option('--serve', 'serve it locally until Ctrl-C, at an address that cannot be guessed')
    .option('--port <number>', 'the port for --serve');
  for (const command of [render, trace]) {
    const name = `longhaul prompt ${command.name()}`;
    command.addHelpText(
      'after',
      `\n${examplesHelp({
        examples:
          command === render
            ? [
                [`${name} agent.tsx --budget 8000`, 'the messages'],
                [`${name} agent.tsx --budget 8000 --json`, 'as JSON, with counts and fingerprints'],
                [`${name} agent.tsx --budget 8000 --props '{"question":"Why?"}'`, 'with other props'],
              ]
            : [
                [`${name} agent.tsx --budget 8000 -o agent.html`, 'a page in one file'],
                [`${name} agent.tsx --budget 8000 --serve`, 'a page for any budget'],
              ],
      })}\n\nThe file exports the prompt as default or as prompt: an element, or a class or function that creates one.\nProps come from --props, or from the export props. The file and its imports are executed.`,
    );
  }
  bind<PromptOptions>({ command: render, action: renderFile });
  bind<TraceOptions>({ command: trace, action: traceFile });
}

function withOptions(command: Command): Command {
  return command
    .usage('FILE --budget N [options]')
    .argument('<FILE>', 'a .tsx, .jsx, .ts or .js file that exports a prompt')
    .option('--budget <tokens>', 'the maximum number of tokens of the messages')
    .option('--tokenizer <name>', `the tokenizer (${tokenizerNames.join(', ')})`, 'o200k_base')
    .option('--props <json>', 'the props of the prompt, as a JSON object')
    .option('--breakpoints <policy>', `what to do when a cache breakpoint blocks pruning: ${policies.join(', ')}`);
}

const renderFile: CommandAction<PromptOptions> = async (invocation) => {
  const { io, json, paint, options } = invocation;
  const { job, close } = await readJob(invocation);
  try {
    const { rendered, failure } = await renderedOr(renderPrompt(job));
    if (!rendered) throw nothingFits(failure);
    const { budget } = job;
    const value = { budget, tokenizer: options.tokenizer, ...rendered, fingerprints: fingerprints(rendered.messages) };
    const text = () => promptText({ rendered, budget, tokenizer: options.tokenizer, paint: paint('stdout') });
    await io.stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : text());
    return 0;
  } finally {
    close();
  }
};

const traceFile: CommandAction<TraceOptions> = async (invocation) => {
  const { io, options, json } = invocation;
  const { output, serve, port } = options;
  if (serve && output !== undefined) throw badUsage('--serve and --output cannot be used together.');
  const at = port === undefined ? 0 : wholeNumber({ flag: '--port', text: port, least: 1 });
  const destination =
    output === undefined || output === '-'
      ? undefined
      : await checkDestination({ io, output, input: undefined, force: options.force === true });
  const { job, close } = await readJob(invocation);
  try {
    const tracer = new HTMLTracer({ title: job.name });
    const { failure } = await renderedOr(renderPrompt({ ...job, tracer }));
    const facts = { budget: job.budget, ...(failure && { failure: failure.message }) };
    if (failure && !json) await io.stderr.write(`note: ${printable(failure.message)}\n`);
    if (serve) return await serveUntilInterrupted({ invocation, tracer, port: at, facts });
    const html = await tracer.toHTML();
    if (!destination) {
      await io.stdout.write(json ? `${JSON.stringify({ ...facts, html }, undefined, 2)}\n` : html);
      return 0;
    }
    await writeWhole({ io, ...destination, text: html });
    const value = { ...facts, output: destination.name };
    const done = `${job.name} is in ${destination.name} (${bytesText(Buffer.byteLength(html))})`;
    await printResult({ invocation, value, lines: () => [printable(done)] });
    return 0;
  } finally {
    close();
  }
};

type RenderOutcome =
  | { readonly rendered: RenderedPrompt; readonly failure?: undefined }
  | { readonly rendered?: undefined; readonly failure: LonghaulError };

/** A prompt that does not fit can still be traced; any other failure means there is nothing to show. */
async function renderedOr(rendering: Promise<RenderedPrompt>): Promise<RenderOutcome> {
  try {
    return { rendered: await rendering };
  } catch (error) {
    if (LonghaulError.is(error) && error.code === 'budget-exceeded') return { failure: error };
    throw error;
  }
}

/** For `render`, not fitting is a regular result with its own exit code. */
function nothingFits(failure: LonghaulError): LonghaulError {
  return new LonghaulError({ code: 'nothing-fits', message: failure.message, hint: failure.hint, cause: failure });
}

async function serveUntilInterrupted({
  invocation,
  tracer,
  port,
  facts,
}: {
  readonly invocation: Invocation;
  readonly tracer: HTMLTracer;
  readonly port: number;
  readonly facts: object;
}): Promise<number> {
  const { io } = invocation;
  const { address, close } = await tracer.serve({ port }).catch((error: unknown) => {
    throw new LonghaulError({
      code: 'port-unusable',
      message: `Cannot listen on port ${port}: ${reasonOf(error)}.`,
      hint: 'Choose another port, or omit --port.',
      cause: error,
    });
  });
  const interrupted = Promise.withResolvers<void>();
  const forget = io.onInterrupt(() => interrupted.resolve());
  try {
    const lines = () => [`Open ${address}`, 'Ctrl-C stops it.'];
    await printResult({ invocation, value: { ...facts, address }, lines });
    await interrupted.promise;
    return 0;
  } finally {
    forget();
    await close();
  }
}

/** Reads everything that a render needs. Only the named file is executed. */
async function readJob({ io, args, options }: Invocation & { readonly options: PromptOptions }) {
  const [name = ''] = args;
  if (options.budget === undefined) throw badUsage('--budget is missing.');
  const budget = tokenCount({ flag: '--budget', text: options.budget, least: 1 });
  const breakpoints = policies.find((policy) => policy === options.breakpoints);
  if (options.breakpoints !== undefined && !breakpoints)
    throw badUsage(`--breakpoints must be one of ${policies.join(', ')}, not "${options.breakpoints}".`);
  const props = propsOf(options.props);
  const tokenizer = await chooseTokenizer({ name: options.tokenizer });
  const path = pathOf(io).resolve(io.cwd, name);
  const facts = await io.files.stat(path).catch((error: unknown) => {
    throw cannotRead({ name, error });
  });
  if (facts?.kind === 'folder') throw fileIsFolder({ name });
  if (!facts) throw missing({ name });
  const imported = await io.importPrompts({ path, cwd: io.cwd });
  const { exports, close } = imported;
  try {
    const piece = await findPrompt({ name, exports, props });
    const { isCompat } = imported;
    return { job: { name, piece, budget, tokenizer, isCompat, ...(breakpoints && { breakpoints }) }, close };
  } catch (error) {
    close();
    throw error;
  }
}

function propsOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Reported below.
  }
  throw badUsage('--props must be a JSON object, such as \'{"question":"Why?"}\'.');
}

/** A prompt cannot come from standard input: its imports are resolved relative to its file. */
function missing({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'file-not-found',
    message: `${name} does not exist.`,
    hint: 'Check the spelling and the folder.',
  });
}

function badUsage(cause: string): LonghaulError {
  return new LonghaulError({ code: 'bad-usage', message: cause, hint: 'Run `longhaul prompt --help` for usage.' });
}

/** Tokenizers other than the exact ones. */
const others = { estimate: estimateTokens, letters: (text: string) => text.length } as const;

const tokenizerNames: readonly string[] = [...encodings, ...Object.keys(others)];

/**
 * Loads the tokenizer for a prompt.
 *
 * @example
 * const tokenizer = await chooseTokenizer({ name: 'o200k_base' });
 */
async function chooseTokenizer({ name }: { readonly name: string }): Promise<ITokenizer<1>> {
  const encoding = encodings.find((each) => each === name);
  if (encoding) return createPromptTokenizer({ count: (await createTokenizer(encoding)).count });
  if (name === 'estimate' || name === 'letters') return createPromptTokenizer({ count: others[name] });
  const meant = closest({ word: name, candidates: tokenizerNames });
  throw new LonghaulError({
    code: 'unknown-encoding',
    message: `Unknown tokenizer "${name}".`,
    hint: meant ? `Did you mean ${meant}?` : `Use one of ${tokenizerNames.join(', ')}.`,
  });
}
