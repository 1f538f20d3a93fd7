import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import {
  type ConversationDocument,
  check,
  type Dialect,
  type Json,
  type Problem,
  type Repair,
  repair,
  type ValidityRules,
} from 'longhaul/message';
import { readDocument } from '../check/read-document.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { checkDestination } from '../output/destination.ts';
import { writeWhole } from '../output/write-whole.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns, fitLines } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

interface CheckOptions {
  readonly repair?: true;
  readonly output?: string;
  readonly force?: true;
}

/** `longhaul check FILE`. */
export function addCheckCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('check')
    .description(
      'Checks whether a conversation is valid for its provider and reports what is not; can repair a copy of it.',
    )
    .usage('FILE [options]')
    .argument(
      '<FILE>',
      'JSON (a list of messages or a whole request) or JSONL (one message per line); - is standard input',
    )
    .option('--repair', 'make a valid copy, on standard output or in the file of --output')
    .option('--output <file>', 'write the copy to this file (atomically)')
    .option('--force', 'let --output replace an existing file (never the input)');
  addSettingFlags({ command, keys: ['provider', 'limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul check chat.json', 'by the rules of its own dialect'],
        ['longhaul check chat.json --provider gemini', 'could Gemini continue it?'],
        ['longhaul check chat.jsonl --repair --output fixed.jsonl', 'write a valid copy'],
        ['cat chat.json | longhaul check - --repair > fixed.json', 'in a pipeline, report on standard error'],
        ['longhaul check chat.json --json', 'as JSON'],
      ],
    })}\n\nThe exit code is 0 when the conversation is valid or a valid copy was made, 1 when it is not valid, 2 for bad input.`,
  );
  bind<CheckOptions>({ command, action: checkFile });
}

const checkFile: CommandAction<CheckOptions> = async ({ io, args, options, json, paint, settings }) => {
  const { values } = await settings();
  const name = args[0] ?? '-';
  refuseStrayOutput({ options });
  const wanted: Dialect | undefined = values.provider === 'auto' ? undefined : values.provider;
  const { document, path } = await readDocument({ io, name, limit: values.limits.fileBytes, wanted });
  const provider = wanted ?? document.dialect;
  const { messages } = document.conversation;
  const problems = inFileOrder({ document, items: check(messages, provider, rulesOf({ document, provider })) });
  const found: CheckReport = {
    file: name,
    dialect: document.dialect,
    provider,
    messages: headInList({ document }) + messages.length,
    problems,
  };

  if (!options.repair) {
    const text = () => {
      const repairable = problems.length > 0 && canRepair({ document, provider });
      return reportText({ report: found, paint: paint('stdout'), width: tableWidth(io), repairable });
    };
    await io.stdout.write(json ? reportJson({ report: found }) : text());
    return problems.length > 0 ? 1 : 0;
  }

  const copy = await makeCopy({
    io,
    document,
    provider,
    name,
    path,
    output: options.output,
    force: options.force === true,
  });
  const report: CheckReport = { ...found, ...copy };
  if (json) {
    await io.stdout.write(reportJson({ report }));
  } else if (copy.output === undefined) {
    await io.stderr.write(reportText({ report, paint: paint('stderr'), width: tableWidth(io) }));
    await io.stdout.write(`${JSON.stringify(copy.repaired, undefined, 2)}\n`);
  } else {
    await io.stdout.write(reportText({ report, paint: paint('stdout'), width: tableWidth(io) }));
  }
  return 0;
};

function refuseStrayOutput({ options }: { readonly options: CheckOptions }): void {
  if (options.output === undefined || options.repair) return;
  throw new LonghaulError({
    code: 'bad-usage',
    message: '--output was given without --repair, so there is nothing to write.',
    hint: 'Add --repair to write a valid copy, or omit --output.',
  });
}

/** The result of a check. */
interface CheckReport extends Partial<Copy> {
  /** As given on the command line. */
  readonly file: string;
  /** The dialect of the file. */
  readonly dialect: Dialect;
  /** The provider whose rules were applied. */
  readonly provider: Dialect;
  readonly messages: number;
  readonly problems: readonly Problem[];
}

/** The JSON output; see docs/cli.md. */
function reportJson({ report }: { readonly report: CheckReport }): string {
  const { file, dialect, provider, messages, problems, ...copy } = report;
  const legal = problems.length === 0;
  return `${JSON.stringify({ file, dialect, provider, legal, messages, problems, ...copy }, undefined, 2)}\n`;
}

/** The text output. */
function reportText({
  report,
  paint,
  width,
  repairable = false,
}: {
  readonly report: CheckReport;
  readonly paint: Paint;
  readonly width: number;
  /** Whether a valid copy could be made, if none was requested. */
  readonly repairable?: boolean;
}): string {
  const lines = [verdictLine({ report, paint }), ...placeLines({ items: report.problems, paint, indent: '  ' })];
  if (report.repairs) lines.push(...copyLines({ repairs: report.repairs, output: report.output, paint }));
  else if (repairable) lines.push(paint.faint('Run it again with --repair to get a valid copy.'));
  return `${fitLines({ lines, width }).join('\n')}\n`;
}

function verdictLine({ report, paint }: { readonly report: CheckReport; readonly paint: Paint }): string {
  const { file, dialect, provider, messages, problems } = report;
  const name = paint.strong(printable(file === '-' ? 'standard input' : file));
  const size = count({ amount: messages, of: 'message' });
  const facts = dialect === provider ? size : `${size}, written as ${dialect}`;
  if (problems.length === 0) return `${name}: ${paint.good(`valid for ${provider}`)} (${facts})`;
  const found = count({ amount: problems.length, of: 'problem' });
  return `${name}: ${paint.bad(`not valid for ${provider}`)}, ${found} (${facts})`;
}

function copyLines({
  repairs,
  output,
  paint,
}: {
  readonly repairs: Copy['repairs'];
  readonly output: string | undefined;
  readonly paint: Paint;
}): string[] {
  const heading = repairs.length === 0 ? 'nothing to repair' : `${count({ amount: repairs.length, of: 'repair' })}:`;
  const where =
    output === undefined
      ? paint.good('the copy is valid')
      : `${paint.good('a valid copy is in')} ${paint.strong(printable(output))}`;
  return [heading, ...placeLines({ items: repairs, paint, indent: '  ' }), where];
}

/**
 * One line per finding or repair, with its position, counted from 0.
 *
 * @example
 * placeLines({ items: problems, paint, indent: '  ' }); // ['  message 3, part 1  The call …']
 */
function placeLines({
  items,
  paint,
  indent,
}: {
  readonly items: readonly Pick<Problem, 'at' | 'message'>[];
  readonly paint: Paint;
  readonly indent: string;
}): string[] {
  const rows = items.map(({ at, message }) => [
    paint.faint(at.part === undefined ? `message ${at.message}` : `message ${at.message}, part ${at.part}`),
    printable(message),
  ]);
  return columns({ rows, indent });
}

/** A repaired copy: the repairs, and the document itself or the file it was written to. */
interface Copy {
  readonly repairs: readonly Repair[];
  readonly repaired?: Json;
  readonly output?: string;
}

/**
 * Makes a valid copy of a conversation in the provider's dialect. The input is not modified, and nothing is written
 * unless the copy is valid.
 *
 * @example
 * const { repaired } = await makeCopy({ io, document, provider: 'gemini', name: 'a.json', path, force: false });
 */
async function makeCopy({
  io,
  document,
  provider,
  name,
  path,
  output,
  force,
}: {
  readonly io: Io;
  readonly document: ConversationDocument;
  readonly provider: Dialect;
  readonly name: string;
  /** The absolute path of the input; `undefined` for standard input. */
  readonly path: string | undefined;
  /** The output file as given; if absent, the copy is returned. */
  readonly output: string | undefined;
  readonly force: boolean;
}): Promise<Copy> {
  const toFile = output !== undefined && output !== '-';
  const destination = toFile ? await checkDestination({ io, output, input: path, force }) : undefined;
  const { repairs, repaired } = legalCopy({ document, provider, name });
  if (!destination) return { repairs, repaired };
  await writeWhole({ io, ...destination, text: fileText({ value: repaired, name: destination.name }) });
  return { repairs, output: destination.name };
}

/**
 * Whether `makeCopy` could make a valid copy.
 *
 * @example
 * if (canRepair({ document, provider: 'gemini' })) advise('--repair');
 */
function canRepair(input: { readonly document: ConversationDocument; readonly provider: Dialect }): boolean {
  try {
    legalCopy({ ...input, name: '' });
    return true;
  } catch (error) {
    if (LonghaulError.is(error)) return false;
    throw error;
  }
}

function legalCopy({
  document,
  provider,
  name,
}: {
  readonly document: ConversationDocument;
  readonly provider: Dialect;
  readonly name: string;
}): { readonly repairs: readonly Repair[]; readonly repaired: Json } {
  const rules = rulesOf({ document, provider });
  const { messages, repairs: made } = repair(document.conversation.messages, provider, rules);
  const repairs = inFileOrder({ document, items: made });
  const [left] = check(messages, provider, rules);
  if (left) {
    throw new LonghaulError({
      code: 'not-repairable',
      message: `${name} cannot be made valid for ${provider}: ${left.message}`,
      hint: 'Nothing was written. Correct it by hand and try again.',
    });
  }
  const repaired = document.write({ conversation: { ...document.conversation, messages }, dialect: provider });
  return { repairs, repaired };
}

/** JSONL if the file name says so, otherwise indented JSON. */
function fileText({ value, name }: { readonly value: Json; readonly name: string }): string {
  if (!/\.(jsonl|ndjson)$/i.test(name)) return `${JSON.stringify(value, undefined, 2)}\n`;
  const lines = Array.isArray(value) ? value : [value];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * The rule changes that follow from the rest of a request. They do not apply to another provider, which gets its own
 * request.
 *
 * @example
 * check(messages, provider, rulesOf({ document, provider }));
 */
function rulesOf(input: {
  readonly document: ConversationDocument;
  readonly provider: Dialect;
}): Partial<ValidityRules> {
  return input.provider === input.document.dialect ? input.document.rules : {};
}

/** A finding with its position in a list of messages. */
interface Positioned {
  readonly at: { readonly message: number; readonly part?: number };
}

/**
 * Converts positions from the engine's count, which starts after the head, to positions in the file's own list.
 *
 * @example
 * inFileOrder({ document, items: check(document.conversation.messages, 'openai-chat') });
 */
function inFileOrder<Item extends Positioned>({
  document,
  items,
}: {
  readonly document: ConversationDocument;
  readonly items: readonly Item[];
}): Item[] {
  const before = headInList({ document });
  return items.map((item) => ({ ...item, at: { ...item.at, message: item.at.message + before } }));
}

/** How many entries at the start of the file's list are head; only a bare list and OpenAI chat store it there. */
function headInList({ document }: { readonly document: ConversationDocument }): number {
  const inList = document.shape === 'list' || document.dialect === 'openai-chat';
  return inList ? document.conversation.head.length : 0;
}
