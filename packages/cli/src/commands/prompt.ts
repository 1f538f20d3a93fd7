import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type BreakpointPolicy, fingerprints, HTMLTracer } from 'longhaul/prompt';
import { cannotRead, fileIsFolder, reasonOf } from '../errors/file-errors.ts';
import { examplesHelp } from '../help.ts';
import { isRecord } from '../input/is-record.ts';
import { tokenCount } from '../input/token-count.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Action, Bind, Invocation } from '../invocation.ts';
import { pathOf } from '../io/path-of.ts';
import { answer } from '../output/answer.ts';
import { lookAtDestination } from '../output/destination.ts';
import { writeWhole } from '../output/write-whole.ts';
import { chooseTokenizer, tokenizerNames } from '../prompt/choose-tokenizer.ts';
import { findPrompt } from '../prompt/find-prompt.ts';
import { type RenderedPrompt, renderPrompt } from '../prompt/render-prompt.ts';
import { promptText } from '../prompt/report.ts';
import { bytesText } from '../text/bytes.ts';
import { printable } from '../text/printable.ts';

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
    .summary('render a prompt to a budget, or look at how it is rendered')
    .description('Renders a prompt that is written as a tree of elements, or shows how it is rendered.')
    .usage('COMMAND [options]');
  const render = withOptions(prompt.command('render'))
    .summary('the messages that a prompt becomes within a budget')
    .description('Prints the messages that a prompt becomes within a budget.');
  const trace = withOptions(prompt.command('trace'))
    .summary('a page that shows shares, priorities, tokens, and what is pruned and why')
    .description(
      'Makes a page on which one drags the budget and sees what is pruned and why: as one file, or served on this machine for any budget.',
    )
    .option('-o, --output <file>', 'write the page to this file; otherwise to standard output')
    .option('--force', 'let --output replace a file that exists')
    .option('--serve', 'serve it on this machine until Ctrl-C, under an address that cannot be guessed')
    .option('--port <number>', 'serve it at this port');
  for (const command of [render, trace]) {
    const name = `longhaul prompt ${command.name()}`;
    command.addHelpText(
      'after',
      `\n${examplesHelp({
        examples:
          command === render
            ? [
                [`${name} agent.tsx --budget 8000`, 'the messages'],
                [`${name} agent.tsx --budget 8000 --json`, 'for a program, with counts and fingerprints'],
                [`${name} agent.tsx --budget 8000 --props '{"question":"Why?"}'`, 'with other props'],
              ]
            : [
                [`${name} agent.tsx --budget 8000 -o agent.html`, 'a page in one file'],
                [`${name} agent.tsx --budget 8000 --serve`, 'a page that answers for any budget'],
              ],
      })}\n\nThe file exports the prompt as default or as prompt: an element, or a class or a function that makes one\n(props: --props, or what the file exports as props). The file is run, with what it imports.`,
    );
  }
  bind<PromptOptions>({ command: render, action: renderFile });
  bind<TraceOptions>({ command: trace, action: traceFile });
}

function withOptions(command: Command): Command {
  return command
    .usage('FILE --budget N [options]')
    .argument('<FILE>', 'a .tsx, .jsx, .ts or .js file that exports a prompt')
    .option('--budget <tokens>', 'the most tokens the messages may count')
    .option('--tokenizer <name>', `how to count (${tokenizerNames.join(', ')})`, 'o200k_base')
    .option('--props <json>', 'the props of the prompt, as a JSON object')
    .option('--breakpoints <policy>', `where a breakpoint blocks pruning: ${policies.join(', ')}`);
}

const renderFile: Action<PromptOptions> = async (invocation) => {
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

const traceFile: Action<TraceOptions> = async (invocation) => {
  const { io, options, json } = invocation;
  const { output, serve, port } = options;
  if (serve && output !== undefined) throw badUsage('--serve and --output were both given, and either one decides.');
  const at = port === undefined ? 0 : wholeNumber({ flag: '--port', text: port, least: 1 });
  const destination =
    output === undefined || output === '-'
      ? undefined
      : await lookAtDestination({ io, output, input: undefined, force: options.force === true });
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
    const told = `${job.name} is in ${destination.name} (${bytesText(Buffer.byteLength(html))})`;
    await answer({ invocation, value, lines: () => [printable(told)] });
    return 0;
  } finally {
    close();
  }
};

type Outcome =
  | { readonly rendered: RenderedPrompt; readonly failure?: undefined }
  | { readonly rendered?: undefined; readonly failure: LonghaulError };

/** What does not fit can be looked at all the same; anything else went wrong before there was something to see. */
async function renderedOr(rendering: Promise<RenderedPrompt>): Promise<Outcome> {
  try {
    return { rendered: await rendering };
  } catch (error) {
    if (LonghaulError.is(error) && error.code === 'budget-exceeded') return { failure: error };
    throw error;
  }
}

/** To whoever asked whether it fits, that is an answer and no mishap. */
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
      message: `Nothing can be served at port ${port}: ${reasonOf(error)}.`,
      hint: 'Choose another port, or leave --port out.',
      cause: error,
    });
  });
  const interrupted = Promise.withResolvers<void>();
  const forget = io.onInterrupt(() => interrupted.resolve());
  try {
    const lines = () => [`Look at ${address}`, 'Ctrl-C ends it.'];
    await answer({ invocation, value: { ...facts, address }, lines });
    await interrupted.promise;
    return 0;
  } finally {
    forget();
    await close();
  }
}

/** Everything that a render needs, out of what was typed. Only the file that was named is run. */
async function readJob({ io, args, options }: Invocation & { readonly options: PromptOptions }) {
  const [name = ''] = args;
  if (options.budget === undefined) throw badUsage('--budget is missing: how many tokens may the messages count?');
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
    // The sentence below says what is wanted.
  }
  throw badUsage('--props must be a JSON object, such as \'{"question":"Why?"}\'.');
}

/** Standard input is no place for a prompt: what it imports is looked for beside its file. */
function missing({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'file-not-found',
    message: `${name} does not exist.`,
    hint: 'Check the spelling and the folder.',
  });
}

function badUsage(message: string): LonghaulError {
  return new LonghaulError({ code: 'bad-usage', message, hint: 'Run `longhaul prompt --help` to see what it takes.' });
}
