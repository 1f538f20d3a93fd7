import type { Command } from 'commander';
import {
  cost,
  type FailureKind,
  type Model,
  type ModelFailure,
  type ModelInfo,
  modelInfo,
  type Usage,
} from 'longhaul/models';
import type { ListedProvider } from 'longhaul/models/clients';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { wireLimitsOf, wireSettings } from '../models/wire-limits.ts';
import { showElapsedTime } from '../output/elapsed-time.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { clip } from '../text/clip.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns, fitLines } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

/** The result of a call. */
interface Called {
  readonly model: Model;
  /** Milliseconds to the first token, if there was one, and to the end. */
  readonly first: number | undefined;
  readonly all: number;
  readonly text: string;
  readonly usage: Usage | undefined;
  /** Dollars, if the price is known. */
  readonly cost: number | undefined;
  readonly failure: ModelFailure | undefined;
}

/** Enough for a model that thinks first. */
const longest = 256;

/** Asks a model for one word. */
async function tinyCall({
  model,
  signal,
  now,
}: {
  readonly model: Model;
  readonly signal: AbortSignal;
  readonly now: () => number;
}): Promise<Called> {
  const start = now();
  let first: number | undefined;
  let text = '';
  let usage: Usage | undefined;
  let failure: ModelFailure | undefined;
  const ask = { type: 'text', origin: 'human', text: 'Answer with the single word: ready' } as const;
  const items = [{ role: 'user', parts: [ask] }] as const;
  const options = { maxOutputTokens: longest, purpose: 'check' };
  for await (const event of model.stream({ head: [], items, tools: [], options, signal })) {
    if (event.type === 'text' || event.type === 'thinking') first ??= now() - start;
    if (event.type === 'text') text += event.delta;
    if (event.type === 'usage') usage = event.usage;
    if (event.type === 'end') failure = event.failure;
  }
  signal.throwIfAborted();
  const price = usage && cost({ usage, info: model.info });
  return { model, first, all: now() - start, text, usage, cost: price, failure };
}

/** What to do about each kind of failure. */
const advice: Readonly<Record<FailureKind, string>> = {
  auth: 'Check the key; `longhaul models` shows which variable it is read from.',
  quota: 'Add credit or raise the limit at the provider; waiting does not help.',
  rate: 'The provider limits the request rate; try again later.',
  network: 'Check the address and the connection, then try again.',
  invalid: 'Check the model name; `longhaul models` lists the known ones.',
  overflow: 'The context window is smaller than one sentence: check how the server was started.',
  refused: 'A content filter of the provider rejected a harmless sentence; check its settings there.',
  unknown: 'See the message of the provider; --debug shows more.',
};

/** A 404 means a wrong model name or a wrong base URL; servers do not say which. */
function adviceOn({ kind, status }: ModelFailure): string {
  return status === 404 ? 'Check the model name, and the base URL if you set one.' : advice[kind];
}

/** The JSON output; see docs/cli.md. */
function checkJson({ name, called }: { readonly name: string; readonly called: Called }): object {
  const { model, first, all, text, usage = null, cost = null, failure } = called;
  const { window, known } = model.info;
  return {
    model: name,
    answers: failure === undefined,
    dialect: model.dialect,
    window: known ? window : null,
    ms: { first: first ?? null, all },
    text,
    usage,
    cost,
    failure: failure ? { ...failure, hint: adviceOn(failure) } : null,
  };
}

function checkLines({
  name,
  called,
  paint,
}: {
  readonly name: string;
  readonly called: Called;
  readonly paint: Paint;
}): string[] {
  const { model, failure, text } = called;
  const shown = printable(name);
  if (failure) {
    const status = failure.status === undefined ? '' : ` (status ${failure.status})`;
    return [
      `${paint.bad(`${shown} does not respond`)}: ${printable(failure.message)}${status}`,
      `  ${adviceOn(failure)}`,
    ];
  }
  const window = model.info.known ? `window of ${number(model.info.window)} tokens` : 'window unknown';
  return [
    `${paint.good(`${shown} responds`)}: ${JSON.stringify(clip({ text: printable(text), length: 60 }))}`,
    `  ${timesOf(called)}; ${usageOf(called)}; ${window}`,
  ];
}

function timesOf({ first, all }: Called): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return first === undefined ? seconds(all) : `${seconds(first)} to the first token, ${seconds(all)} in total`;
}

function usageOf({ usage, cost }: Called): string {
  if (!usage) return 'no usage reported';
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const price = cost === undefined ? '' : `, $${cost.toFixed(6)}`;
  return `${number(prompt)} tokens in, ${number(usage.output)} out${price}`;
}

/** `longhaul models` and `longhaul models check NAME`. */
export function addModelsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const models = program
    .command('models')
    .description(
      'Lists providers and models with windows and prices, where each key comes from, and what is missing. Local servers are asked for their models; nothing else is sent.',
    )
    .usage('[options]');
  models.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul models', 'what is configured?'],
        ['longhaul models --json', 'all figures, also for providers that are not configured'],
        ['longhaul models check anthropic/claude-opus-5', 'does it respond?'],
      ],
    })}\n\nThe exit code is 1 when nothing is configured.`,
  );
  bind<object>({ command: models, action: list });

  const check = models
    .command('check')
    .summary('make one tiny request')
    .description('Sends one short request to a model and prints its latency and cost, or why it failed and what to do.')
    .usage('NAME [options]')
    .argument('<NAME>', 'provider/model, e.g. anthropic/claude-opus-5, or local/MODEL');
  check.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul models check openai/gpt-5', 'does the key work?'],
        ['longhaul models check local/qwen3', 'does the local server respond?'],
      ],
    })}\n\nThe exit code is 1 when the model does not respond.`,
  );
  addSettingFlags({ command: check, keys: wireSettings });
  bind<object>({ command: check, action: checkOne });
}

const list: CommandAction<object> = async (invocation) => {
  const { io, paint } = invocation;
  const limits = wireLimitsOf((await invocation.settings()).values);
  const listed = await io.models.list({ env: io.env, probe: true, limits });
  await printResult({
    invocation,
    value: { providers: listed.map(listedJson) },
    lines: () => listedLines({ listed, paint: paint('stdout'), width: tableWidth(io) }),
  });
  return listed.some(({ configured }) => configured) ? 0 : 1;
};

const checkOne: CommandAction<object> = async (invocation) => {
  const { io, args, paint } = invocation;
  const [name = ''] = args;
  const limits = wireLimitsOf((await invocation.settings()).values);
  const model = await io.models.create({ name, env: io.env, limits, retry: false });
  const called = await showElapsedTime({
    io,
    text: `waiting for ${name}`,
    calledOff: 'the request was cancelled',
    work: (signal) => tinyCall({ model, signal, now: io.now }),
  });
  await printResult({
    invocation,
    value: checkJson({ name, called }),
    lines: () => checkLines({ name, called, paint: paint('stdout') }),
  });
  return called.failure ? 1 : 0;
};

/** What is known about a listed model; models of local servers are not in the tables. */
function infoOf(name: string): ModelInfo {
  const [provider = '', ...model] = name.split('/');
  return modelInfo({ provider: provider === 'openai-chat' ? 'openai' : provider, name: model.join('/') });
}

/** The JSON output; see docs/cli.md. */
function listedJson({ models, ...rest }: ListedProvider): object {
  const { provider, configured, missing = null, baseUrl = null, from = null, keyFrom = null, server = null } = rest;
  return {
    provider,
    configured,
    missing,
    baseUrl,
    baseUrlFrom: from,
    keyFrom,
    server,
    models: models.map((name) => {
      const { window, maxOutput, prices = null, known, note = null } = infoOf(name);
      return { name, window: known ? window : null, maxOutput: known ? maxOutput : null, prices, note };
    }),
  };
}

function listedLines({
  listed,
  paint,
  width,
}: {
  readonly listed: readonly ListedProvider[];
  readonly paint: Paint;
  readonly width: number;
}): string[] {
  const ready = listed.filter(({ configured }) => configured);
  const others = listed.filter(({ configured }) => !configured);
  return [
    ...ready.flatMap((provider) => [...readyLines({ provider, paint, width }), '']),
    ...(ready.length > 0 ? [paint.faint('Prices are in dollars per million tokens.'), ''] : []),
    ...(ready.length === 0
      ? [...fitLines({ lines: ['No provider is configured. Set a key, or start a server such as Ollama.'], width }), '']
      : []),
    ...(others.length > 0 ? [paint.faint('Not configured:')] : []),
    ...fitLines({
      lines: columns({
        rows: others.map(({ provider, missing = '' }) => [provider, printable(missing)]),
        indent: '  ',
      }),
      width,
    }),
  ];
}

function readyLines({
  provider: listed,
  paint,
  width,
}: {
  readonly provider: ListedProvider;
  readonly paint: Paint;
  readonly width: number;
}): string[] {
  const { provider, server, baseUrl, from, keyFrom, models } = listed;
  const about = [
    ...(server === undefined ? [] : [server]),
    ...(from !== undefined || server !== undefined ? [`at ${printable(baseUrl ?? '')}`] : []),
    keyFrom === undefined ? 'no key' : `key from ${keyFrom}`,
    ...(from === undefined ? [] : [`address from ${from}`]),
  ];
  const rows = models.map((name) => [printable(name), ...figuresOf(infoOf(name))]);
  const none = 'no known models; any name can be tried';
  return [
    `${paint.strong(provider)}  ${about.join(', ')}`,
    ...(rows.length === 0 ? [`  ${none}`] : columns({ rows, indent: '  ', width })),
  ];
}

/** Dollars per million tokens. */
function figuresOf({ known, window, prices }: ModelInfo): string[] {
  if (!known) return ['window unknown'];
  if (!prices) return [`${number(window)} tokens`];
  const { input, output, cacheRead } = prices;
  const cached = cacheRead === undefined ? '' : `, $${cacheRead} cached`;
  return [`${number(window)} tokens`, `$${input} in, $${output} out${cached}`];
}
