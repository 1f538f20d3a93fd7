import type { GatewayOptions } from '@longhaul/gateway';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { policyOf } from '../compaction/policy-of.ts';
import { examplesHelp } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { storeDir } from '../store/store-dir.ts';
import { columns } from '../text/table.ts';

/** The flags that every command with a gateway has. */
export interface SharedGatewayFlags {
  readonly upstream: readonly string[];
  readonly window?: string;
  readonly summarizer: string;
  readonly maxSummaryCost?: string;
  readonly report: string;
  readonly recall?: true;
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
    .option('--dry-run', 'forward everything untouched; report what would have been done');
  addSettingFlags({ command, keys: ['store.dir', 'compaction.preset'] });
}

const runGateway: CommandAction<GatewayFlags> = async (invocation) => {
  const { io, json, options, paint, settings } = invocation;
  const resolved = await settings();
  const { createGateway, clientSettings } = await import('@longhaul/gateway');
  const gateway = await createGateway({
    ...readFlags(options),
    dir: storeDir({ io, resolved }),
    preset: policyOf({ values: resolved.values, env: io.env }),
    env: io.env,
  });
  const clients = clientSettings({ url: gateway.url });
  try {
    if (json) await io.stdout.write(`${JSON.stringify({ url: gateway.url, token: gateway.token, clients })}\n`);
    else {
      const { strong, faint } = paint('stdout');
      const rows = clients.map(({ client, line }) => [client, line]);
      const lines = [`${strong(gateway.url)}  ${faint('Ctrl-C stops it')}`, '', ...columns({ rows })];
      await io.stdout.write(`${lines.join('\n')}\n`);
    }
    await abortOnInterrupt({
      io,
      work: (signal) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    });
  } finally {
    await gateway.close();
  }
  return 0;
};

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
