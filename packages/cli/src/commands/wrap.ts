import type { Command } from 'commander';
import { startTelemetry } from '../agent/telemetry.ts';
import { policyOf } from '../compaction/policy-of.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import type { ClientExit, ProcessEnvironment } from '../io/io.ts';
import { storeDir } from '../store/store-dir.ts';
import { type ClientPlan, closingLines, commandPlan, knownClients, setupOf, upstreamTable } from '../wrap/index.ts';
import { addGatewayFlags, memoryOption, readSharedFlags, type SharedGatewayFlags } from './gateway.ts';

interface WrapOptions extends SharedGatewayFlags {
  readonly env?: readonly string[];
  readonly quiet?: true;
}

const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];

/** `longhaul wrap CLIENT`. */
export function addWrapCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const names = knownClients.map(({ name }) => name).join(', ');
  const command = program
    .command('wrap')
    .description(
      'Runs another agent with its terminal, behind a gateway that keeps its conversation inside the context window and in the store. Nothing of the agent is changed: it is led to the gateway by variables and arguments, and the address, proxy or login it is configured for becomes the upstream. Options for longhaul go before the name of the agent, options for the agent after it.',
    )
    .usage('[options] CLIENT [ARGUMENTS…]')
    .argument('<CLIENT>', `${names}; or any other command`)
    .argument('[ARGUMENTS...]', 'passed on as they are')
    .option('--env <NAME=VALUE>', 'for other commands: a variable that gets the address of the gateway', collect)
    .option('--quiet', 'print nothing when the client ends');
  addGatewayFlags({ command });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul wrap claude', 'Claude Code in a conversation that does not outgrow its window'],
        ['longhaul wrap --window 100k codex exec "Fix the tests"', 'in a window of 100,000 tokens'],
        ['longhaul wrap --env LLM_URL={openai} ./my-agent', 'a command with a variable of its own'],
        ['longhaul search --session last TEXT', 'search the conversation afterwards, or while it runs'],
      ],
    })}\n\nThe exit code is that of the client.`,
  );
  bind<WrapOptions>({ command, action: wrap });
}

const wrap: CommandAction<WrapOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [name = '', ...rest] = args;
  const client = knownClients.find((known) => known.name === baseName(name));
  const setup = setupOf({ io, args: rest });
  const variables = options.env ?? [];
  const plan = client && variables.length === 0 ? await client.plan(setup) : commandPlan({ setup, variables });
  const title = client?.title ?? name;
  for (const note of plan.notes) await io.stderr.write(`longhaul: ${note}\n`);
  const { code, signal } =
    plan.endpoints.length === 0
      ? await io.runClient({ command: name, args: rest, env: io.env, cwd: io.cwd })
      : await runBehindGateway({ invocation, name, rest, plan, title });
  if (signal !== undefined) io.raise(signal);
  return code;
};

async function runBehindGateway({
  invocation,
  name,
  rest,
  plan,
  title,
}: {
  readonly invocation: Invocation & { readonly options: WrapOptions };
  readonly name: string;
  readonly rest: readonly string[];
  readonly plan: ClientPlan;
  readonly title: string;
}): Promise<ClientExit> {
  const { io, options } = invocation;
  const resolved = await invocation.settings();
  const table = upstreamTable({ plan, overrides: options.upstream });
  const dir = storeDir({ io, resolved });
  const telemetry = await startTelemetry({ values: resolved.values, io });
  const observer = telemetry.gateway();
  const gatewayOptions = {
    ...readSharedFlags(options),
    dir,
    ...memoryOption({ io, dir, options, values: resolved.values, folder: io.cwd }),
    preset: policyOf({ values: resolved.values, env: io.env }),
    upstreams: table.upstreams,
    ...(observer && { telemetry: observer }),
    env: io.env,
  };
  const gateway = await io.startGateway(gatewayOptions).catch(async (error: unknown) => {
    // The client must not be unusable because the store is.
    const reason = error instanceof Error ? error.message : String(error);
    await io.stderr.write(`longhaul: The gateway could not be started, so ${title} runs without it: ${reason}\n`);
    return undefined;
  });
  if (!gateway) return await io.runClient({ command: name, args: rest, env: io.env, cwd: io.cwd });
  const folder = await io.temporaryFolder();
  try {
    const launch = await plan.launch({
      baseUrl: (endpoint) => table.baseUrl({ gateway: gateway.url, endpoint }),
      file: async ({ name: file, text }) => {
        const path = `${folder.path}/${file}`;
        await io.files.create({ path, text, mode: 0o600 });
        return path;
      },
    });
    const code = await io.runClient({
      command: name,
      args: [...launch.args, ...(launch.userArgs ?? rest)],
      env: { ...io.env, ...proxyVariables(io.env), ...launch.env },
      cwd: io.cwd,
    });
    await gateway.close();
    // A client that could not be started has nothing to report; its error is enough.
    if (!options.quiet) await io.stderr.write(`${closingLines({ title, totals: gateway.totals() }).join('\n')}\n`);
    return code;
  } finally {
    await gateway.close();
    await folder.remove();
    await telemetry.close();
  }
}

/** The name of the program in a path. */
function baseName(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? command).replace(/\.(?:exe|cmd)$/i, '');
}

const local = ['127.0.0.1', 'localhost'];

/**
 * Variables that keep a client from sending requests for the gateway to an HTTP proxy. The gateway itself uses the proxy.
 *
 * @example
 * proxyVariables({ HTTPS_PROXY: 'http://proxy:3128' }); // { NO_PROXY: '127.0.0.1,localhost', no_proxy: … }
 */
function proxyVariables(env: ProcessEnvironment): ProcessEnvironment {
  const isSet = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].some((name) => env[name] || env[name.toLowerCase()]);
  if (!isSet) return {};
  const existing = (env.NO_PROXY ?? env.no_proxy ?? '').split(',').map((host) => host.trim());
  if (existing.includes('*')) return {};
  const hosts = [...new Set([...existing.filter((host) => host !== ''), ...local])].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
