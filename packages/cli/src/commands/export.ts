import { extname } from 'node:path';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createMask } from 'longhaul/engine';
import { type Exported, type ExportFormat, exportFormats, exportSession } from 'longhaul/formats';
import { dialects } from 'longhaul/message';
import { openSession } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { type ResumingClient, resumingClient, resumingClients } from '../export/clients.ts';
import { exportToClient } from '../export/to-client.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { checkDestination } from '../output/destination.ts';
import { createProgress } from '../output/progress.ts';
import { writeWhole } from '../output/write-whole.ts';
import { modelOf, providerOf } from '../session/model-of.ts';
import { shortId } from '../session/short-id.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import { bytesText } from '../text/bytes.ts';
import { closest } from '../text/closest.ts';
import { onTerminal } from '../text/on-terminal.ts';
import { printable } from '../text/printable.ts';

/** Formats by file extension; `.json` is a request in the format of the session's own provider. */
const byEnding: ReadonlyMap<string, ExportFormat | 'request'> = new Map([
  ['.jsonl', 'longhaul'],
  ['.ndjson', 'longhaul'],
  ['.json', 'request'],
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.html', 'html'],
  ['.htm', 'html'],
]);

/**
 * The export format: the requested one, otherwise the one the file name implies.
 *
 * @example
 * chooseFormat({ written: undefined, output: 'session.html' }); // 'html'
 */
function chooseFormat({
  written,
  output,
}: {
  readonly written: string | undefined;
  readonly output: string | undefined;
}): ExportFormat | 'request' {
  if (written === undefined) {
    const implied = byEnding.get(extname(output ?? '').toLowerCase());
    if (implied === undefined && output !== undefined && output !== '-') throw unknownEnding(output);
    return implied ?? 'longhaul';
  }
  const found = exportFormats.find((format) => format === written);
  if (found) return found;
  const near = closest({ word: written, candidates: exportFormats });
  throw new LonghaulError({
    code: 'unknown-format',
    message: `Unknown export format "${written}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `Use one of ${exportFormats.join(', ')}.`,
  });
}

/** The default format is the only one that is not masked, so it is never chosen because of a file name. */
function unknownEnding(output: string): LonghaulError {
  return new LonghaulError({
    code: 'unknown-format',
    message: `The name ${output} does not say in which format to export.`,
    hint: `Use a name that ends with ${[...byEnding.keys()].join(', ')}, or choose a format with --format.`,
  });
}

interface ExportOptions {
  readonly format?: string;
  readonly output?: string;
  readonly force?: true;
  readonly mask?: boolean;
  readonly to?: string;
  readonly dryRun?: true;
}

/** Formats with one JSON record per line. */
const lineFormats: ReadonlySet<ExportFormat> = new Set<ExportFormat>([
  'longhaul',
  'pi',
  'transcript',
  'claude-code',
  'codex',
  'gemini-cli',
  'openhands',
]);

/** `longhaul export SESSION`. */
export function addExportCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('export')
    .description(
      'Exports a session: in our own format, which import restores losslessly; in the format of another agent, which opens it (--to); as a request to a provider; as Markdown; or as one HTML page that needs no network.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--format <format>', `${exportFormats.join(', ')} (default: from the file name)`)
    .option(
      '--to <agent>',
      `write it where this agent finds it, and print how to open it there: ${resumingClients.map(({ name }) => name).join(', ')}`,
    )
    .option('--dry-run', 'with --to: show where it would be written')
    .option('-o, --output <file>', 'write to this file (atomically); default: standard output')
    .option('--force', 'let --output replace an existing file')
    .option('--mask', 'mask keys and passwords (default for all formats but longhaul)')
    .option('--no-mask', 'write everything unmasked');
  addSettingFlags({ command, keys: ['provider', 'store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul export last -o session.html', 'a page, in one file'],
        ['longhaul export last -o session.md', 'a document to read'],
        ['longhaul export last -o backup.jsonl', 'a copy that import restores'],
        ['longhaul export last --to claude', 'continue in Claude Code'],
        ['longhaul export last --format openai-chat -o chat.json', 'a request for OpenAI'],
      ],
    })}`,
  );
  bind<ExportOptions>({ command, action: exportOne });
}

const exportOne: CommandAction<ExportOptions> = async (invocation) => {
  const { io, args, options, json, paint } = invocation;
  const { output } = options;
  const client = clientOf(options);
  const chosen = client?.format ?? chooseFormat({ written: options.format, output });
  return await withStore({
    invocation,
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const toFile = output !== undefined && output !== '-';
      const destination = toFile
        ? await checkDestination({ io, output, input: undefined, force: options.force === true })
        : undefined;
      const format = chosen === 'request' ? await dialectOf({ store, values, session: header.id }) : chosen;
      const mask =
        (options.mask ?? format !== 'longhaul') && createMask({ salt: header.id, values: secretsOf(io.env) });
      const exported = await exportSession({ store, session: header.id, format, ...(mask && { mask }) });
      if (client) {
        const { id: session, createdAt } = header;
        await exportToClient({ invocation, client, exported, session, createdAt, dryRun: options.dryRun === true });
        return 0;
      }
      const progress = createProgress({ io });
      const size = { lines: 0, bytes: 0 };
      const text = measured({ exported, size, onGrowth: () => void progress.show(`${bytesText(size.bytes)} written`) });
      const facts = { sessionId: header.id, format };
      if (destination) {
        await writeWhole({ io, ...destination, text });
        await progress.clear();
        const value = { ...facts, output: destination.name, lines: size.lines, warnings: exported.warnings };
        const name = paint('stdout').strong(printable(destination.name));
        const all = (await store.list()).map((each) => each.header.id);
        const done = `${shortId({ id: header.id, all })} is in ${name} (${format}, ${bytesText(size.bytes)})`;
        await io.stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : `${done}\n`);
      } else if (json) {
        const whole = (await Array.fromAsync(text)).join('');
        const content = lineFormats.has(format) ? { lines: recordsOf(whole) } : { text: whole };
        await io.stdout.write(
          `${JSON.stringify({ ...facts, ...content, warnings: exported.warnings }, undefined, 2)}\n`,
        );
      } else {
        const shown = io.stdout.isTerminal ? onTerminal : (piece: string) => piece;
        for await (const piece of text) await io.stdout.write(shown(piece));
        await progress.clear();
      }
      if (!json) for (const { message } of exported.warnings) await io.stderr.write(`note: ${printable(message)}\n`);
      return 0;
    },
  });
};

/** The agent of `--to`, which decides format and place. */
function clientOf({ to, format, output, dryRun }: ExportOptions): ResumingClient | undefined {
  const excess = format !== undefined ? '--format' : output !== undefined ? '--output' : undefined;
  if (to !== undefined && excess !== undefined) {
    const message = `--to decides the format and the place, so it cannot be combined with ${excess}.`;
    throw new LonghaulError({ code: 'bad-usage', message, hint: `Omit ${excess}, or --to.` });
  }
  if (to === undefined && dryRun) {
    const message = '--dry-run shows where --to would write, but --to was not given.';
    throw new LonghaulError({ code: 'bad-usage', message, hint: 'Add --to AGENT, or omit --dry-run.' });
  }
  return to === undefined ? undefined : resumingClient(to);
}

/** The provider format of a request export. */
async function dialectOf({
  store,
  values,
  session,
}: Pick<Opened, 'store' | 'values'> & { readonly session: string }): Promise<(typeof dialects)[number]> {
  const wanted = dialects.find((dialect) => dialect === values.provider);
  if (wanted) return wanted;
  const live = await openSession({ store, id: session });
  return providerOf({ live, model: await modelOf(live) });
}

async function* measured({
  exported,
  size,
  onGrowth,
}: {
  readonly exported: Exported;
  readonly size: { lines: number; bytes: number };
  readonly onGrowth: () => void;
}): AsyncGenerator<string> {
  for await (const piece of exported.text) {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) size.lines += 1;
    size.bytes += Buffer.byteLength(piece);
    onGrowth();
    yield piece;
  }
}

function recordsOf(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
