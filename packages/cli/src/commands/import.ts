import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type ImportFormat, importFormats } from 'longhaul/formats';
import { exitCodeOf } from '../errors/exit-codes.ts';
import { asLonghaulError } from '../errors/family.ts';
import { errorText } from '../errors/render.ts';
import { examplesHelp } from '../help.ts';
import { createImporter, type Importer } from '../import/importer.ts';
import { openLedger } from '../import/ledger.ts';
import { openSource } from '../import/open-source.ts';
import { type ImportReport, reportText, sizeText } from '../import/report.ts';
import type { ImportSource } from '../import/source.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import { agents } from '../scan/agents.ts';
import { scan } from '../scan/scan.ts';
import { shortId } from '../session/short-id.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { withReadOnlyStore, withStore } from '../store/with-store.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { when } from '../text/when.ts';

/** Milliseconds to wait for an unfinished answer. */
const unfinishedTimeout = 5000;

/**
 * Imports a source, and again whenever it changes, until Ctrl-C. An unfinished answer is imported when it is complete, or
 * when nothing more arrives for a while.
 *
 * @example
 * return await watch({ invocation, importer, source });
 */
async function watch({
  invocation: { io, json, paint },
  importer,
  source,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly importer: Importer;
  readonly source: ImportSource;
}): Promise<number> {
  return await abortOnInterrupt({
    io,
    work: async (signal) => {
      const changes = await followChanges({ io, source, signal });
      try {
        // A failure at the first import means that the wrong file was named.
        const { report, hasLeft } = await importer.bringIn({ source, signal, leaveUnfinished: true });
        await print(report, () => reportText({ name: source.name, report, paint: paint('stdout') }));
        let isWaiting = hasLeft;
        while (!signal.aborted) {
          const isChanged = await changes.next({ within: isWaiting ? unfinishedTimeout : Number.POSITIVE_INFINITY });
          if (!signal.aborted) isWaiting = await again({ signal, leaveUnfinished: isChanged });
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        changes.stop();
      }
      return 0;
    },
  });

  /** Whether an unfinished answer is left. */
  async function again(how: { readonly signal: AbortSignal; readonly leaveUnfinished: boolean }): Promise<boolean> {
    try {
      const { report, hasLeft } = await importer.bringIn({ source, ...how });
      if (report.added > 0) await print(report, () => changeText({ at: io.now(), report }));
      return hasLeft;
    } catch (thrown) {
      const error = asLonghaulError(thrown);
      if (how.signal.aborted || error.code === 'internal') throw thrown;
      // A file that is being replaced may be missing for a moment.
      await complain(error);
      return false;
    }
  }

  async function print(report: ImportReport, text: () => string): Promise<void> {
    const line = { at: new Date(io.now()).toISOString(), ...report };
    await io.stdout.write(json ? `${JSON.stringify(line)}\n` : text());
  }

  async function complain(error: LonghaulError): Promise<void> {
    if (json) await io.stdout.write(`${JSON.stringify({ error: error.toJSON() })}\n`);
    else await io.stderr.write(errorText({ error, paint: paint('stderr') }));
  }
}

function changeText({ at, report }: { readonly at: number; readonly report: ImportReport }): string {
  return `${when(at)}  ${count({ amount: report.added, of: 'new entry' })}: now ${sizeText(report)}\n`;
}

/** In milliseconds. */
const times = {
  /** Poll interval if no change is reported. */
  look: 2000,
  /** Changes closer together than this are one. */
  pause: 250,
};

/** Limit for a writer that never pauses. */
const mostPauses = 20;

/** Waits for changes of a source. */
interface Changes {
  /** `true` when it has changed since the last call and has settled; `false` after the timeout. */
  readonly next: (input: { readonly within: number }) => Promise<boolean>;
  readonly stop: () => void;
}

/**
 * Follows a source by file system events and by polling: network file systems report few events, and a file may be
 * replaced by another.
 *
 * @example
 * const changes = await followChanges({ io, source, signal });
 * while (await changes.next({ within: Number.POSITIVE_INFINITY })) importAgain();
 */
async function followChanges({
  io,
  source,
  signal,
}: {
  readonly io: Pick<Io, 'files' | 'now' | 'sleep'>;
  readonly source: ImportSource;
  /** Stops all waiting. */
  readonly signal: AbortSignal;
}): Promise<Changes> {
  let stirred = new AbortController();
  let seen = await source.state();
  const stop = io.files.watch({ path: source.path ?? '', onChange: () => stirred.abort() });
  return {
    stop,
    async next({ within }) {
      const end = io.now() + within;
      while (!signal.aborted) {
        const state = await source.state();
        if (state !== undefined && state !== seen) {
          seen = await rest(state);
          return true;
        }
        const left = end - io.now();
        if (left <= 0) return false;
        await io.sleep({ ms: Math.min(times.look, left), signal: AbortSignal.any([signal, stirred.signal]) });
        stirred = new AbortController();
      }
      return false;
    },
  };

  /** The state after a burst of changes has settled. */
  async function rest(first: string): Promise<string> {
    let state = first;
    for (let pauses = 0; pauses < mostPauses && !signal.aborted; pauses += 1) {
      await io.sleep({ ms: times.pause, signal });
      const next = (await source.state()) ?? state;
      if (next === state) break;
      state = next;
    }
    return state;
  }
}

interface ImportOptions {
  readonly format?: string;
  readonly dryRun?: true;
  readonly watch?: true;
  readonly scan?: true;
  readonly agent?: string;
  readonly all?: true;
}

/** `longhaul import FILE…` and `longhaul import --scan`. */
export function addImportCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('import')
    .description(
      'Imports files into the store, each as a session. Importing the same file again adds only what is new. The file itself is never changed.',
    )
    .usage('FILE… [options], or --scan [options]')
    .argument('[FILE...]', 'a session of a known agent, or messages (JSON or JSONL); - is standard input')
    .option('--format <format>', `${importFormats.join(', ')} (default: detected from the content)`)
    .option('--dry-run', 'show what would be imported without importing it')
    .option('--watch', 'follow a running session: import again whenever the file grows, until Ctrl-C')
    .option('--scan', 'find the sessions of agents on this machine, list them, and import the selected ones')
    .option('--agent <name>', `with --scan, only this agent: ${agents.map(({ name }) => name).join(', ')}`)
    .option('--all', 'with --scan, import all that are new or have grown');
  addSettingFlags({ command, keys: ['store.dir', 'limits.fileBytes', 'limits.lineBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul import session.jsonl', 'the format is detected'],
        ['longhaul import --scan', 'list sessions of other agents and choose'],
        ['longhaul import --scan --agent codex --all', 'all sessions of one agent'],
        ['longhaul import session.jsonl --watch', 'follow a running session'],
        ['cat chat.json | longhaul import - --format anthropic', 'from a pipe'],
        ['longhaul import chat.json --json', 'as JSON'],
      ],
    })}`,
  );
  bind<ImportOptions>({ command, action: importFiles });
}

const importFiles: CommandAction<ImportOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  refuseWishes({ args, options });
  const format = formatOf(options.format);
  const isDry = options.dryRun === true;
  const names = options.scan ? await scanned(invocation) : args;
  if (names.length === 0) return 0;
  return await (isDry ? withReadOnlyStore : withStore)({
    creates: true,
    invocation,
    work: async (opened) => {
      const ledger = await openLedger({ io, dir: opened.dir });
      const importer = await createImporter({ io, opened, ledger, format, isDry });
      const limit = opened.values.limits.fileBytes;
      try {
        if (options.watch) {
          const source = await openSource({ io, name: names[0] ?? '', limit });
          return await watch({ invocation, importer, source });
        }
        const isList = options.scan === true || names.length > 1;
        return await importAll({ invocation, importer, names, isList, limit });
      } finally {
        await ledger.save();
      }
    },
  });
};

/** Options of `--scan`. */
async function scanned(invocation: Parameters<CommandAction<ImportOptions>>[0]): Promise<readonly string[]> {
  const { io, options } = invocation;
  return await withReadOnlyStore({
    invocation,
    work: async (opened) => {
      const ledger = await openLedger({ io, dir: opened.dir });
      return await scan({ invocation, opened, ledger, wishes: { agent: options.agent, all: options.all === true } });
    },
  });
}

/** Rejects contradictory options. */
function refuseWishes({ args, options }: { readonly args: readonly string[]; readonly options: ImportOptions }): void {
  const { scan: isScan, watch: isWatch, dryRun, agent, all, format } = options;
  const [first, ...others] = args;
  if (first === undefined && !isScan) {
    throw new LonghaulError({
      code: 'missing-argument',
      message: 'No file was given.',
      hint: 'Name a file, or use --scan to find the sessions of agents on this machine.',
    });
  }
  const objections: readonly (readonly [unknown, string])[] = [
    [isScan && first !== undefined, '--scan finds files itself and cannot be used with a file name.'],
    [isScan && isWatch, '--scan and --watch cannot be used together.'],
    [isScan && format !== undefined, '--scan detects formats itself and cannot be used with --format.'],
    [!isScan && (agent !== undefined || all), '--agent and --all need --scan.'],
    [isWatch && dryRun, '--watch and --dry-run cannot be used together.'],
    [isWatch && others.length > 0, '--watch follows one file, but several were given.'],
    [isWatch && first === '-', '--watch follows a file, not standard input.'],
  ];
  const [, message] = objections.find(([applies]) => applies) ?? [];
  if (message === undefined) return;
  throw new LonghaulError({ code: 'bad-usage', message, hint: 'Run `longhaul import --help` for usage.' });
}

function formatOf(written: string | undefined): ImportFormat | undefined {
  if (written === undefined || written === 'auto') return undefined;
  const found = importFormats.find((format) => format === written);
  if (found) return found;
  const near = closest({ word: written, candidates: importFormats });
  throw new LonghaulError({
    code: 'unknown-format',
    message: `Unknown import format "${written}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `Use one of ${importFormats.join(', ')}, or omit --format.`,
  });
}

/**
 * Imports the named sources, reports each result and returns the exit code. A bad file does not stop the others; Ctrl-C
 * does.
 *
 * @example
 * return await importAll({ invocation, importer, names: ['a.jsonl', '-'], isList: true, limit });
 */
async function importAll({
  invocation: { io, json, paint },
  importer,
  names,
  isList,
  limit,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly importer: Importer;
  readonly names: readonly string[];
  /** Whether the JSON output is a list regardless of the number of sources. */
  readonly isList: boolean;
  /** The maximum size of standard input in bytes. */
  readonly limit: number;
}): Promise<number> {
  if (!isList) {
    const { name, report } = await bringIn(names[0] ?? '');
    await io.stdout.write(json ? jsonText(report) : reportText({ name, report, paint: paint('stdout') }));
    // `last` is the session with the newest entry, which need not be this one.
    if (!json && !report.dryRun && report.entries > 0) {
      await io.stdout.write(`Next: longhaul tree ${shortId({ id: report.sessionId })}\n`);
    }
    return 0;
  }
  const reports: (ImportReport | { readonly error: unknown })[] = [];
  let code = 0;
  for (const written of names) {
    try {
      const { name, report } = await bringIn(written);
      reports.push(report);
      if (!json) await io.stdout.write(reportText({ name, report, paint: paint('stdout') }));
    } catch (thrown) {
      const error = asLonghaulError(thrown);
      code = Math.max(code, exitCodeOf(error));
      reports.push({ error: error.toJSON() });
      if (!json) await io.stderr.write(errorText({ error, paint: paint('stderr') }));
      if (error.code === 'interrupted') break;
    }
  }
  if (json) await io.stdout.write(jsonText(reports));
  return code;

  async function bringIn(written: string): Promise<{ readonly name: string; readonly report: ImportReport }> {
    const source = await openSource({ io, name: written, limit });
    const { report } = await abortOnInterrupt({ io, work: (signal) => importer.bringIn({ source, signal }) });
    return { name: source.name, report };
  }
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
