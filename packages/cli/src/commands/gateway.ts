import type { GatewayOptions, GatewayReport, RequestTotals } from '@longhaul/gateway';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { startTelemetry } from '../agent/telemetry.ts';
import { policyOf } from '../compaction/policy-of.ts';
import { examplesHelp } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import { gatewayMemory } from '../memory/gateway-memory.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { storeDir } from '../store/store-dir.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns, fitLines } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

/** The flags that every command with a gateway has. */
export interface SharedGatewayFlags {
  readonly upstream: readonly string[];
  readonly window?: string;
  readonly summarizer: string;
  readonly maxSummaryCost?: string;
  readonly report: string;
  readonly recall?: true;
  /** `true`: notes for new conversations; `false`: no memory at all; absent: conversations are only consolidated. */
  readonly memory?: boolean;
  readonly dryRun?: true;
}

interface GatewayFlags extends SharedGatewayFlags {
  readonly port: string;
  readonly host: string;
  readonly token?: string;
}

/** `longhaul gateway`. */
export function addGatewayCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('gateway')
    .description(
      'Starts an HTTP gateway in front of model providers. Any agent that is pointed at it stays inside the context window; every conversation is a session in the store. Ctrl-C stops it.',
    )
    .usage('[options]')
    .option('--port <n>', 'the port to listen on; 0 for a free one', '4141')
    .option('--host <address>', 'the address to listen on; any but loopback needs --token', '127.0.0.1')
    .option('--token <text>', 'what clients must send in x-longhaul-token, or as the path prefix /t/TOKEN');
  addGatewayFlags({ command });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul gateway', 'on port 4141; prints what to set for each client'],
        ['longhaul gateway --window 100k', 'compact at 100,000 tokens, whatever the model takes'],
        ['longhaul gateway --upstream openai=http://127.0.0.1:8080', 'in front of a local server'],
        ['longhaul gateway --dry-run', 'change nothing, see what would happen'],
      ],
    })}`,
  );
  bind<GatewayFlags>({ command, action: runGateway });

  const report = command
    .command('report')
    .summary('what passed through, per conversation and in all')
    .description(
      'Prints what passed through the gateways of the store, per conversation and in all: requests, tokens, compactions, money saved. Works while a gateway runs.',
    )
    .option('--limit <n>', 'the most conversations to list', '20');
  addSettingFlags({ command: report, keys: ['store.dir'] });
  report.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul gateway report', 'the newest conversations and the totals'],
        ['longhaul gateway report --json', 'as JSON'],
      ],
    })}`,
  );
  bind<{ readonly limit: string }>({ command: report, action: printReport });
}

/** Adds the flags that every command with a gateway has. */
export function addGatewayFlags({ command }: { readonly command: Command }): void {
  command
    .option('--upstream <name=url>', 'a provider by name; repeatable', collect, [])
    .option('--window <tokens>', 'keep conversations within this many tokens, e.g. 100k')
    .option('--summarizer <how>', 'extractive, or model: with the key of the caller', 'extractive')
    .option('--max-summary-cost <dollars>', 'the most that summaries by a model may cost per conversation')
    .option('--report <usage>', 'the usage that clients see: compacted or original', 'compacted')
    .option('--recall', 'offer the model a tool to read what was compacted away')
    .option('--memory', 'give new conversations the notes of earlier sessions in their repository')
    .option('--no-memory', 'do not take what conversations learned to memory either')
    .option('--dry-run', 'forward everything untouched; report what would have been done');
  addSettingFlags({ command, keys: ['store.dir', 'compaction.preset', 'otel.enabled'] });
}

const runGateway: CommandAction<GatewayFlags> = async (invocation) => {
  const { io, json, options, paint, settings } = invocation;
  const resolved = await settings();
  const { createGateway, clientSettings } = await import('@longhaul/gateway');
  const dir = storeDir({ io, resolved });
  const telemetry = await startTelemetry({ values: resolved.values, io });
  const observer = telemetry.gateway();
  const gateway = await createGateway({
    ...readFlags(options),
    dir,
    ...memoryOption({ io, dir, options, values: resolved.values }),
    preset: policyOf({ values: resolved.values, env: io.env }),
    ...(observer && { telemetry: observer }),
    env: io.env,
    onAccess: (line) => void io.stderr.write(`${line}\n`),
  });
  const clients = clientSettings({ url: gateway.url });
  try {
    if (json) await io.stdout.write(`${JSON.stringify({ url: gateway.url, token: gateway.token, clients })}\n`);
    else {
      const { strong, faint } = paint('stdout');
      const rows = clients.map(({ client, line }) => [client, line]);
      const lines = [
        `${strong(gateway.url)}  ${faint('Ctrl-C stops it')}`,
        '',
        ...fitLines({ lines: columns({ rows }), width: tableWidth(io) }),
      ];
      await io.stdout.write(`${lines.join('\n')}\n`);
    }
    await abortOnInterrupt({
      io,
      work: (signal) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    });
  } finally {
    await gateway.close();
    await telemetry.close();
  }
  return 0;
};

const printReport: CommandAction<{ readonly limit: string }> = async (invocation) => {
  const { io, options, settings, paint } = invocation;
  const { readGatewayReport } = await import('@longhaul/gateway');
  const dir = storeDir({ io, resolved: await settings() });
  const limit = wholeAbove({ flag: '--limit', text: options.limit, most: 10_000 });
  const report = readGatewayReport({ dir, limit });
  if (!report)
    throw new LonghaulError({
      code: 'no-gateway-report',
      message: 'No gateway has used this store.',
      hint: 'Start one with `longhaul gateway` or `longhaul wrap CLIENT`, or name another store with --store.',
    });
  await printResult({
    invocation,
    value: report,
    lines: () => reportLines({ report, paint: paint('stdout'), width: tableWidth(io) }),
  });
  return 0;
};

function reportLines({
  report,
  paint: { strong, faint },
  width,
}: {
  readonly report: GatewayReport;
  readonly paint: Paint;
  readonly width: number;
}) {
  const money = (saved: number | null) => (saved === null ? '–' : `$${saved.toFixed(2)}`);
  const cells = (of: RequestTotals) => [
    number(of.requests),
    number(of.tokensReceived),
    number(of.tokensForwarded),
    number(of.tokensCached),
    number(of.compactions),
    money(of.saved),
  ];
  const rows = [
    ['session', 'client', 'requests', 'received', 'forwarded', 'cached', 'compactions', 'saved'].map(faint),
    ...report.conversations.map((each) => [each.session.slice(0, 13), printable(each.client), ...cells(each)]),
    [strong('all'), '', ...cells(report.totals)],
  ];
  const { p50, p99 } = report.overhead;
  return [
    ...columns({ rows, width }),
    '',
    faint(`tokens received are estimated; added time p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`),
  ];
}

/** The flags as options of the gateway; what is wrong is said before anything starts. */
function readFlags(flags: GatewayFlags): GatewayOptions {
  const { token } = flags;
  return {
    ...readSharedFlags(flags),
    host: flags.host,
    port: wholeAbove({ flag: '--port', text: flags.port, most: 65_535 }),
    ...(token !== undefined && { token }),
  };
}

/** The same for the flags of `addGatewayFlags`. */
export function readSharedFlags(flags: SharedGatewayFlags): GatewayOptions {
  const { window, maxSummaryCost } = flags;
  return {
    upstreams: Object.fromEntries(flags.upstream.map(namedUrl)),
    summarizer: oneOf({ flag: '--summarizer', text: flags.summarizer, allowed: ['extractive', 'model'] as const }),
    report: oneOf({ flag: '--report', text: flags.report, allowed: ['compacted', 'original'] as const }),
    recall: flags.recall ?? false,
    dryRun: flags.dryRun ?? false,
    ...(window !== undefined && { window: tokenCount({ flag: '--window', text: window, least: 1_000 }) }),
    ...(maxSummaryCost !== undefined && { maxSummaryCost: dollars(maxSummaryCost) }),
  };
}

/** The memory of a gateway as its flags and the settings say. */
export function memoryOption({
  options,
  ...of
}: Omit<Parameters<typeof gatewayMemory>[0], 'isDelivering'> & {
  readonly options: Pick<SharedGatewayFlags, 'memory'>;
}): Pick<GatewayOptions, 'memory'> {
  if (!(options.memory ?? of.values.memory.enabled)) return {};
  return { memory: gatewayMemory({ ...of, isDelivering: options.memory === true }) };
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function namedUrl(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw badUsage(`--upstream ${text} is not NAME=URL.`, 'For example --upstream anthropic=https://api.anthropic.com.');
}

function oneOf<T extends string>({ flag, text, allowed }: { flag: string; text: string; allowed: readonly T[] }): T {
  const found = allowed.find((one) => one === text);
  if (found !== undefined) return found;
  throw badUsage(
    `${flag} ${text} is not one of ${allowed.join(', ')}.`,
    `Use ${flag} ${allowed.join(` or ${flag} `)}.`,
  );
}

function wholeAbove({ flag, text, most }: { flag: string; text: string; most: number }): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw badUsage(`${flag} ${text} is not a whole number from 0 to ${most}.`, `For example ${flag} 4141.`);
}

function dollars(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw badUsage(`--max-summary-cost ${text} is not an amount of dollars.`, 'For example --max-summary-cost 0.50.');
}

function badUsage(message: string, hint: string): LonghaulError {
  return new LonghaulError({ code: 'bad-usage', message, hint });
}
