import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { modelInfo, type TokenizerSpec } from 'longhaul/models';
import { createBackgroundTokenizer, createCalibration, type Encoding, type Estimate, encodings } from 'longhaul/tokens';
import { type CountRefusal, findTargets, type Target } from '../count/targets.ts';
import { asLonghaulError } from '../errors/family.ts';
import { cannotRead } from '../errors/file-errors.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import type { Io, OutputStream } from '../io/io.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { bar } from '../text/bar.ts';
import { bytesText } from '../text/bytes.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

interface CountedFile {
  readonly name: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly bound: number;
}

interface CountOutcome {
  readonly counted: readonly CountedFile[];
  readonly refusals: readonly CountRefusal[];
  /** Files in folders that are not text. */
  readonly passedOver: number;
}

/** Concurrency: one file is read while another is counted. */
const together = 8;

/** Counts all targets; one that fails does not stop the others. */
async function countTargets({
  io,
  targets,
  counting,
  limit,
  isQuiet,
}: {
  readonly io: Io;
  readonly targets: readonly Target[];
  readonly counting: Counting;
  readonly limit: number;
  readonly isQuiet: boolean;
}): Promise<CountOutcome> {
  const results: (CountedFile | CountRefusal | 'passed over')[] = [];
  // For the progress bar, reading and counting are assumed to take equally long.
  const total = targets.reduce((sum, { bytes }) => sum + 2 * bytes, 0);
  const progress = startProgress({ output: isQuiet ? { ...io.stderr, isTerminal: false } : io.stderr, total });
  const waiting = targets.entries();
  try {
    await Promise.all(Array.from({ length: together }, work));
  } finally {
    await progress.end();
  }
  return {
    counted: results.filter((result) => typeof result === 'object' && 'tokens' in result),
    refusals: results.filter((result) => typeof result === 'object' && 'error' in result),
    passedOver: results.filter((result) => result === 'passed over').length,
  };

  async function work(): Promise<void> {
    for (const [index, target] of waiting) results[index] = await countOne(target);
  }

  async function countOne(target: Target): Promise<CountedFile | CountRefusal | 'passed over'> {
    const { name } = target;
    try {
      const { text, bytes } = await readTarget({ io, target, limit, advance: progress.add });
      const { tokens, bound } = await counting.count(text);
      progress.add(bytes);
      return { name, bytes, tokens, bound };
    } catch (thrown) {
      const error = LonghaulError.is(thrown) ? thrown : asLonghaulError(thrown);
      if (error.code === 'internal') throw thrown;
      const isNoText = error.code === 'file-binary' || error.code === 'not-utf8';
      return target.found && isNoText ? 'passed over' : { name, error };
    }
  }
}

/** A progress bar on a terminal. */
interface ProgressBar {
  add(bytes: number): void;
  /** Removes the bar. */
  end(): Promise<void>;
}

/** Smaller counts finish before a bar could be read. */
const worthIt = 8 * 1024 * 1024;
const cells = 30;

/**
 * @example
 * const progress = startProgress({ output: io.stderr, total: 40_000_000 });
 * progress.add(1_000_000);
 * await progress.end();
 */
function startProgress({ output, total }: { readonly output: OutputStream; readonly total: number }): ProgressBar {
  if (!output.isTerminal || total < worthIt) return { add: () => undefined, end: async () => undefined };
  let done = 0;
  let shown = -1;
  let writing = Promise.resolve();
  return {
    add: (bytes) => {
      done = Math.min(total, done + bytes);
      const percent = Math.floor((done / total) * 100);
      if (percent === shown) return;
      shown = percent;
      print(`\r${bar({ share: done / total, cells })} ${String(percent).padStart(3)} % of ${bytesText(total)}`);
    },
    end: async () => {
      print('\r\u001b[K');
      await writing;
    },
  };

  function print(text: string): void {
    writing = writing.then(() => output.write(text)).catch(() => undefined);
  }
}

/** As in git: text has no zero byte near its start. */
const looked = 8_000;

/**
 * Reads the text of a file or of standard input. A byte order mark is kept, because it is sent and counted too.
 *
 * @example
 * await readTarget({ io, target, limit: 1024, advance: (bytes) => bar.add(bytes) });
 */
async function readTarget({
  io,
  target,
  limit,
  advance,
}: {
  readonly io: Io;
  readonly target: Target;
  readonly limit: number;
  /** Called with the size of each chunk. */
  readonly advance: (bytes: number) => void;
}): Promise<{ readonly text: string; readonly bytes: number }> {
  const { name, path } = target;
  const bytes = await collect();
  if (isBinary(bytes)) {
    throw new LonghaulError({ code: 'file-binary', message: `${name} is not text.`, hint: 'Name a text file.' });
  }
  if (!isUtf8(bytes)) {
    throw new LonghaulError({ code: 'not-utf8', message: `${name} is not UTF-8 text.`, hint: 'Save it as UTF-8.' });
  }
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), bytes: bytes.length };

  async function collect(): Promise<Uint8Array> {
    if (target.bytes > limit) throw tooLarge();
    const pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const piece of path === undefined ? io.stdin() : io.files.read(path)) {
        pieces.push(piece);
        length += piece.length;
        advance(piece.length);
        if (length > limit) break;
      }
    } catch (error) {
      throw cannotRead({ name, error });
    }
    if (length > limit) throw tooLarge();
    return Buffer.concat(pieces, length);
  }

  function tooLarge(): LonghaulError {
    return new LonghaulError({
      code: 'file-too-large',
      message: `${name} is larger than ${bytesText(limit)}.`,
      hint: 'Raise the limit with --limits-file-bytes.',
    });
  }
}

function isBinary(bytes: Uint8Array): boolean {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !utf16 && bytes.subarray(0, looked).includes(0);
}

interface CountOptions {
  readonly encoding?: string;
  readonly model?: string;
}

/** `longhaul count FILE…`. */
export function addCountCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('count')
    .description(
      'Counts the tokens of files: exactly if the vocabulary is public, otherwise as an estimate with an upper bound.',
    )
    .usage('FILE… [options]')
    .argument('<FILE...>', 'files or folders (ignore files are respected); - is standard input')
    .option('--encoding <name>', `the encoding to count with (${encodings.join(', ')}; default ${encodings[0]})`)
    .option('--model <name>', 'count as this model does, and compare with its window');
  addSettingFlags({ command, keys: ['limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul count README.md src/', 'files and folders'],
        ['longhaul count src/ --model gpt-5', 'as a share of its window'],
        ['longhaul count notes.md --model claude-sonnet-4-5', 'an estimate with its bound'],
        ['git diff | longhaul count -', 'standard input'],
        ['longhaul count src/ --json', 'as JSON'],
      ],
    })}\n\nFiles that cannot be counted are reported on lines of their own; the rest is counted, and the exit code is 2.`,
  );
  bind<CountOptions>({ command, action: countFiles });
}

const countFiles: CommandAction<CountOptions> = async ({ io, args, options, json, paint, settings }) => {
  const { values } = await settings();
  const counting = chooseCounting(options);
  try {
    const { targets, refusals } = await findTargets({ io, names: args });
    const found = await countTargets({ io, targets, counting, limit: values.limits.fileBytes, isQuiet: json });
    const outcome = { ...found, refusals: [...refusals, ...found.refusals] };
    if (json) {
      await io.stdout.write(countJson({ outcome, counting }));
    } else {
      await io.stderr.write(refusalText({ outcome, paint: paint('stderr') }));
      const isPointless = outcome.counted.length === 0 && outcome.refusals.length > 0;
      if (!isPointless) await io.stdout.write(countText({ outcome, counting, paint: paint('stdout') }));
    }
    return outcome.refusals.length > 0 ? 2 : 0;
  } finally {
    await counting.close();
  }
};

interface Reported {
  readonly outcome: CountOutcome;
  readonly counting: Counting;
}

/** The table: tokens, share, name; the sum last. */
function countText({ outcome, counting, paint }: Reported & { readonly paint: Paint }): string {
  const { counted, passedOver } = outcome;
  const sum = sumOf(outcome);
  const width = Math.max(grouped(sum.tokens).length, 'tokens'.length);
  const row = ({ tokens, label }: { tokens: number; label: string }) =>
    `${grouped(tokens).padStart(width)}  ${percent(tokens, sum.tokens).padStart(7)}  ${label}`;
  const files = count({ amount: counted.length, of: 'file' });
  const lines = [
    paint.faint(`${'tokens'.padStart(width)}  ${'share'.padStart(7)}  file`),
    ...counted.map(({ name, tokens }) => row({ tokens, label: printable(name) })),
    paint.strong(row({ tokens: sum.tokens, label: `${files}, ${printable(counting.label)}` })),
  ];
  if (!counting.isExact) lines.push(`Upper bound of the estimate: ${grouped(sum.bound)} tokens.`);
  if (counting.window !== undefined) {
    lines.push(`That is ${percent(sum.tokens, counting.window)} of the window of ${grouped(counting.window)} tokens.`);
  }
  if (passedOver > 0) lines.push(paint.faint(`${count({ amount: passedOver, of: 'file' })} without text skipped.`));
  return `${lines.join('\n')}\n`;
}

/** The JSON output. */
function countJson({ outcome, counting }: Reported): string {
  const { encoding, model, window, isExact } = counting;
  const sum = sumOf(outcome);
  const bound = (value: number) => (isExact ? {} : { bound: value });
  const value = {
    ...(encoding !== undefined && { encoding }),
    ...(model !== undefined && { model }),
    exact: isExact,
    files: outcome.counted.map(({ name, bytes, tokens, bound: most }) => ({
      file: name,
      tokens,
      ...bound(most),
      share: sum.tokens === 0 ? 0 : tokens / sum.tokens,
      bytes,
    })),
    total: { files: outcome.counted.length, tokens: sum.tokens, ...bound(sum.bound), bytes: sum.bytes },
    ...(window !== undefined && { window, windowShare: sum.tokens / window }),
    passedOver: outcome.passedOver,
    errors: outcome.refusals.map(({ name, error }) => ({ file: name, ...error.toJSON() })),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** One line for each target that could not be counted. */
function refusalText({ outcome, paint }: { readonly outcome: CountOutcome; readonly paint: Paint }): string {
  return outcome.refusals
    .map(({ error }) => `${paint.bad('longhaul:')} ${printable(`${error.message} ${error.hint}`)}\n`)
    .join('');
}

function sumOf({ counted }: CountOutcome): { tokens: number; bound: number; bytes: number } {
  const total = { tokens: 0, bound: 0, bytes: 0 };
  for (const { tokens, bound, bytes } of counted) {
    total.tokens += tokens;
    total.bound += bound;
    total.bytes += bytes;
  }
  return total;
}

function grouped(amount: number): string {
  return amount.toLocaleString('en-US');
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(1)} %`;
}

/** A way to count, chosen by encoding or model. */
interface Counting {
  /** Its label in the table, e.g. `o200k_base` or `estimated for claude-sonnet-4-5`. */
  readonly label: string;
  readonly encoding?: Encoding;
  readonly model?: string;
  /** The model's window; absent if no model was named or it is unknown. */
  readonly window?: number;
  readonly isExact: boolean;
  count(text: string): Promise<Estimate>;
  close(): Promise<void>;
}

/**
 * @example
 * const counting = chooseCounting({ encoding: 'o200k_base' });
 * await counting.count('Hello, world!'); // { tokens: 4, bound: 4 }
 * await counting.close();
 */
function chooseCounting({
  encoding,
  model,
}: {
  readonly encoding?: string | undefined;
  readonly model?: string | undefined;
}): Counting {
  if (model === undefined) return exact(known(encoding ?? 'o200k_base'), {});
  if (encoding !== undefined) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: '--encoding and --model cannot be used together.',
      hint: 'Omit one of them.',
    });
  }
  const info = modelInfo({ name: model });
  const facts = { model, ...(info.known && { window: info.window }) };
  const ofModel = encodings.find((name) => name === info.tokenizer.encoding);
  return ofModel ? exact(ofModel, facts) : estimated({ ...facts, model, tokenizer: info.tokenizer });
}

function known(encoding: string): Encoding {
  const found = encodings.find((name) => name === encoding);
  if (found) return found;
  const meant = closest({ word: encoding, candidates: encodings });
  throw new LonghaulError({
    code: 'unknown-encoding',
    message: `Unknown encoding "${encoding}".`,
    hint: meant ? `Did you mean ${meant}?` : `Use ${encodings.join(' or ')}, or --model for other models.`,
  });
}

function exact(encoding: Encoding, facts: { readonly model?: string; readonly window?: number }): Counting {
  const tokenizer = createBackgroundTokenizer({ encoding });
  return {
    ...facts,
    encoding,
    label: facts.model === undefined ? encoding : `${encoding}, ${facts.model}`,
    isExact: true,
    count: async (text) => {
      const tokens = await tokenizer.count({ text });
      return { tokens, bound: tokens };
    },
    close: tokenizer.close,
  };
}

function estimated({
  model,
  window,
  tokenizer: { factor, margin },
}: {
  readonly model: string;
  readonly window?: number;
  readonly tokenizer: TokenizerSpec;
}): Counting {
  const tokenizer = createBackgroundTokenizer({ encoding: 'o200k_base' });
  const prior =
    factor === undefined ? undefined : { perToken: factor, perMessage: 0, ...(margin !== undefined && { margin }) };
  const calibration = createCalibration(prior && { prior });
  return {
    model,
    ...(window !== undefined && { window }),
    label: `estimated for ${model}`,
    isExact: false,
    count: async (text) => calibration.predict({ tokens: await tokenizer.count({ text }), messages: 0 }),
    close: tokenizer.close,
  };
}
