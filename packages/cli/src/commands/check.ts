import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { check, type Dialect } from 'longhaul/message';
import { canRepair, makeCopy } from '../check/copy.ts';
import { headInList, inFileOrder } from '../check/places.ts';
import { readDocument } from '../check/read-document.ts';
import { type Report, reportJson, reportText } from '../check/report.ts';
import { rulesOf } from '../check/rules-of.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';

interface CheckOptions {
  readonly repair?: true;
  readonly output?: string;
  readonly force?: true;
}

/** `longhaul check FILE`. */
export function addCheckCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('check')
    .summary('is this conversation legal, and where not? repair a copy')
    .description('Tells whether a conversation is legal for its provider, and where it is not; repairs a copy of it.')
    .usage('FILE [options]')
    .argument('<FILE>', 'JSON (a list of messages or a whole request) or JSONL (a message a line); - is standard input')
    .option('--repair', 'make a legal copy, on standard output unless --output says where')
    .option('--output <file>', 'write the copy to this file, whole or not at all')
    .option('--force', 'let --output replace a file that exists (never the input)');
  addSettingFlags({ command, keys: ['provider', 'limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul check chat.json', 'by the rules of its own dialect'],
        ['longhaul check chat.json --provider gemini', 'could Gemini continue it?'],
        ['longhaul check chat.jsonl --repair --output fixed.jsonl', 'write a legal copy'],
        ['cat chat.json | longhaul check - --repair > fixed.json', 'in a pipe, the report beside it'],
        ['longhaul check chat.json --json', 'for a program'],
      ],
    })}\n\nThe exit code is 0 when it is legal or a legal copy was made, 1 when it is not legal, 2 for bad input.`,
  );
  bind<CheckOptions>({ command, action: checkFile });
}

const checkFile: Action<CheckOptions> = async ({ io, args, options, json, paint, settings }) => {
  const { values } = await settings();
  const name = args[0] ?? '-';
  refuseStrayOutput({ options });
  const wanted: Dialect | undefined = values.provider === 'auto' ? undefined : values.provider;
  const { document, path } = await readDocument({ io, name, limit: values.limits.fileBytes, wanted });
  const provider = wanted ?? document.dialect;
  const { messages } = document.conversation;
  const problems = inFileOrder({ document, items: check(messages, provider, rulesOf({ document, provider })) });
  const found: Report = {
    file: name,
    dialect: document.dialect,
    provider,
    messages: headInList({ document }) + messages.length,
    problems,
  };

  if (!options.repair) {
    const text = () => {
      const repairable = problems.length > 0 && canRepair({ document, provider });
      return reportText({ report: found, paint: paint('stdout'), repairable });
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
  const report: Report = { ...found, ...copy };
  if (json) {
    await io.stdout.write(reportJson({ report }));
  } else if (copy.output === undefined) {
    await io.stderr.write(reportText({ report, paint: paint('stderr') }));
    await io.stdout.write(`${JSON.stringify(copy.repaired, undefined, 2)}\n`);
  } else {
    await io.stdout.write(reportText({ report, paint: paint('stdout') }));
  }
  return 0;
};

function refuseStrayOutput({ options }: { readonly options: CheckOptions }): void {
  if (options.output === undefined || options.repair) return;
  throw new LonghaulError({
    code: 'bad-usage',
    message: '--output was given without --repair, so there is nothing to write.',
    hint: 'Add --repair to write a legal copy, or leave --output out.',
  });
}
