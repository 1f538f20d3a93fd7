import type { Command } from 'commander';
import { applyEdits, modify, parse } from 'jsonc-parser';
import { LonghaulError } from 'longhaul';
import { examplesHelp } from '../help.ts';
import { isRecord } from '../input/is-record.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { login, openAuth } from '../mcp/auth.ts';
import {
  type ConfiguredServer,
  configuredServers,
  definitionText,
  expanded,
  projectServersFile,
} from '../mcp/config.ts';
import type { ServerStatus } from '../mcp/servers.ts';
import { printResult } from '../output/print-result.ts';
import { userFilePath } from '../settings/locations.ts';
import { mcpServerName, mcpServerSchema } from '../settings/tools.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';
import { projectRoot, readTrust } from '../trust/trust.ts';

/** `longhaul mcp list|add|remove|login|logout`: the servers that the agent uses. */
export function addServerCommands({ command, bind }: { readonly command: Command; readonly bind: Bind }): void {
  const list = command
    .command('list')
    .summary('the MCP servers that the agent uses, with their tools and state')
    .description('Starts the configured MCP servers and lists their state and tools.')
    .usage('[options]')
    .option('--offline', 'do not start them');
  list.addHelpText('after', `\n${examplesHelp({ examples: [['longhaul mcp list', 'state and tools']] })}`);
  bind<{ readonly offline?: true }>({ command: list, action: listServers });

  const gather = (text: string, texts: readonly string[] = []) => [...texts, text];
  const add = command
    .command('add')
    .summary('configure a server for the agent')
    .description('Adds an MCP server to your settings, or with --project to the .mcp.json of the project.')
    .usage('NAME [options] -- COMMAND [ARGUMENTS…]\n       longhaul mcp add NAME URL [options]')
    .argument('<NAME>', 'a short name: letters, digits, - and _')
    .argument('<TARGET...>', 'a URL, or a command with its arguments after --')
    .option('--env <NAME=VALUE>', 'a variable for the command; repeatable', gather)
    .option('--header <NAME: VALUE>', 'a header for the URL; repeatable', gather)
    .option('--sse', 'the URL speaks the older protocol with server-sent events')
    .option('--project', `write to ${projectServersFile} in the root of the project instead`);
  add.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul mcp add files -- npx -y @modelcontextprotocol/server-filesystem .', 'a program'],
        ['longhaul mcp add docs https://mcp.example.com/mcp', 'a web server'],
        ["longhaul mcp add web https://mcp.example.com/mcp --header 'X-Team: blue'", 'with a header'],
      ],
    })}`,
  );
  bind<AddOptions>({ command: add, action: addServer });

  const remove = command
    .command('remove')
    .summary('remove a server')
    .description('Removes an MCP server from your settings, or with --project from the .mcp.json of the project.')
    .usage('NAME [options]')
    .argument('<NAME>', 'its name')
    .option('--project', `remove it from ${projectServersFile}`);
  remove.addHelpText(
    'after',
    `\n${examplesHelp({ examples: [['longhaul mcp remove files', 'it is not used any more']] })}`,
  );
  bind<{ readonly project?: true }>({ command: remove, action: removeServer });

  const signIn = command
    .command('login')
    .summary('log in to a server that asks for it (OAuth)')
    .description(
      'Prints an address for your browser and waits until you have logged in. The tokens are kept in your configuration, readable only by you, and never reach a session.',
    )
    .usage('NAME [options]')
    .argument('<NAME>', 'its name');
  signIn.addHelpText(
    'after',
    `\n${examplesHelp({ examples: [['longhaul mcp login docs', 'once; tokens are refreshed']] })}`,
  );
  bind<object>({ command: signIn, action: loginToServer });

  const signOut = command
    .command('logout')
    .summary('forget the login')
    .description('Deletes the saved tokens of a server.')
    .usage('NAME [options]')
    .argument('<NAME>', 'its name');
  signOut.addHelpText(
    'after',
    `\n${examplesHelp({ examples: [['longhaul mcp logout docs', 'the tokens are deleted']] })}`,
  );
  bind<object>({ command: signOut, action: logoutOfServer });
}

const listServers: CommandAction<{ readonly offline?: true }> = async (invocation) => {
  const { io, options, paint } = invocation;
  const { values } = await invocation.settings();
  const { servers, problems } = await configuredServers({ io, values });
  const trust = await readTrust({ io });
  const isUsed = ({ trust: item, definition }: ConfiguredServer) => !definition.disabled && (!item || trust.has(item));
  const states = options.offline ? [] : await tried(servers.filter(isUsed));
  const listed = servers.map((server) => {
    const found = states.find(({ name }) => name === server.name);
    const off = server.definition.disabled ? 'disabled' : isUsed(server) ? 'not started' : 'not trusted';
    return { server, state: found?.state ?? off, why: found?.why, tools: found?.tools ?? [] };
  });
  for (const notice of problems) await io.stderr.write(`${printable(notice)}\n`);
  await printResult({
    invocation,
    value: {
      servers: listed.map(({ server, state, why, tools }) => ({
        name: server.name,
        scope: server.scope,
        runs: definitionText(server.definition),
        state,
        why: why ?? null,
        tools,
      })),
      problems,
    },
    lines: () => {
      if (listed.length === 0) return ['No MCP servers are configured. Add one with `longhaul mcp add`.'];
      const { strong, faint } = paint('stdout');
      return columns({
        width: tableWidth(io),
        rows: listed.map(({ server, state, why, tools }) => [
          strong(printable(server.name)),
          server.scope,
          state === 'ready' ? count({ amount: tools.length, of: 'tool' }) : state,
          faint(printable(why ?? definitionText(server.definition))),
        ]),
      });
    },
  });
  return listed.some(({ state }) => state === 'failed' || state === 'needs-login') ? 1 : 0;

  async function tried(configured: readonly ConfiguredServer[]): Promise<readonly ServerStatus[]> {
    if (configured.length === 0) return [];
    const { openServers } = await import('../mcp/servers.ts');
    const opened = await openServers({
      io,
      configured,
      values,
      count: () => 0,
      // The table says it.
      onNotice: () => undefined,
    });
    try {
      return opened.list();
    } finally {
      await opened.close();
    }
  }
};

interface AddOptions {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly sse?: true;
  readonly project?: true;
}

const addServer: CommandAction<AddOptions> = async (invocation) => {
  const { args, options, io } = invocation;
  const [name = '', ...target] = args;
  if (!mcpServerName.safeParse(name).success) {
    throw badUsage({
      message: `${JSON.stringify(name)} cannot be the name of a server.`,
      hint: 'Use letters, digits, - and single _, at most 32.',
    });
  }
  const definition = definitionOf({ target, options });
  const { path } = await change({ io, isProject: options.project === true, name, value: definition });
  await printResult({
    invocation,
    value: { name, path },
    lines: () => [`Added ${name} to ${path}. Check it with: longhaul mcp list`],
  });
  return 0;
};

/** What the arguments of `add` say, without defaults. */
function definitionOf({
  target,
  options,
}: {
  readonly target: readonly string[];
  readonly options: AddOptions;
}): object {
  const [first = '', ...args] = target;
  const pairs = (texts: readonly string[] = [], separator: string, flag: string) =>
    Object.fromEntries(
      texts.map((text) => {
        const at = text.indexOf(separator);
        if (at < 1)
          throw badUsage({
            message: `${flag} needs a name and a value, not ${JSON.stringify(text)}.`,
            hint: `For example: ${flag} 'NAME${separator}VALUE'`,
          });
        return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      }),
    );
  const isWeb = /^https?:\/\//i.test(first) && args.length === 0;
  const [env, headers] = [pairs(options.env, '=', '--env'), pairs(options.header, ':', '--header')];
  const definition = isWeb
    ? { type: options.sse ? 'sse' : 'http', url: first, ...(options.header && { headers }) }
    : { command: first, ...(args.length > 0 && { args }), ...(options.env && { env }) };
  if (mcpServerSchema.safeParse(definition).success) return definition;
  throw badUsage({
    message: 'A server needs a URL, or a command.',
    hint: 'For example: longhaul mcp add NAME -- COMMAND',
  });
}

const removeServer: CommandAction<{ readonly project?: true }> = async (invocation) => {
  const { args, options, io } = invocation;
  const [name = ''] = args;
  const { path, isChanged } = await change({ io, isProject: options.project === true, name, value: undefined });
  if (!isChanged) throw await unknownServer({ invocation, name, where: ` in ${path}` });
  await printResult({ invocation, value: { name, path }, lines: () => [`Removed ${name} from ${path}.`] });
  return 0;
};

const formattingOptions = { tabSize: 2, insertSpaces: true, eol: '\n' };

/** Adds or removes a server in the file of the user or of the project; other values and comments stay. */
async function change(of: {
  readonly io: Io;
  readonly isProject: boolean;
  readonly name: string;
  readonly value: object | undefined;
}): Promise<{ readonly path: string; readonly isChanged: boolean }> {
  const { io, isProject, name, value } = of;
  const { join, dirname, basename } = pathOf(io);
  const path = isProject ? join(await projectRoot({ io }), projectServersFile) : userFilePath({ io });
  const at = isProject ? ['mcpServers'] : ['mcp', 'servers'];
  const folder = io.folder(dirname(path));
  const text = (await folder.read(basename(path))) ?? '{}\n';
  const root: unknown = parse(text);
  if (!isRecord(root)) {
    throw new LonghaulError({
      code: 'not-json',
      message: `${path} is not a JSON object; nothing was changed.`,
      hint: 'Repair the file first.',
    });
  }
  const before = at.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), root);
  const isKnown = isRecord(before) && name in before;
  if (value === undefined && !isKnown) return { path, isChanged: false };
  const edits = modify(text, [...at, name], value, { formattingOptions });
  await folder.write({ name: basename(path), text: applyEdits(text, edits) });
  return { path, isChanged: true };
}

const loginToServer: CommandAction<object> = async (invocation) => {
  const { io } = invocation;
  const { name, url } = await webServer(invocation);
  await abortOnInterrupt({
    io,
    work: async (signal) =>
      await login({
        io,
        auth: openAuth({ io }),
        url,
        signal,
        show: (address) =>
          void io.stderr.write(`Open this address in your browser to log in to ${name}:\n${printable(address)}\n`),
      }),
  });
  await printResult({ invocation, value: { name, url }, lines: () => [`Logged in to ${name}.`] });
  return 0;
};

const logoutOfServer: CommandAction<object> = async (invocation) => {
  const { name, url } = await webServer(invocation);
  const isChanged = await openAuth({ io: invocation.io }).logout(url);
  await printResult({
    invocation,
    value: { name, url, changed: isChanged },
    lines: () => [isChanged ? `Logged out of ${name}.` : `There was no login to ${name}.`],
  });
  return 0;
};

async function webServer(invocation: Invocation): Promise<{ readonly name: string; readonly url: string }> {
  const { io, args } = invocation;
  const [name = ''] = args;
  const { values } = await invocation.settings();
  const { servers } = await configuredServers({ io, values });
  const server = servers.find((one) => one.name === name);
  if (!server) throw await unknownServer({ invocation, name, where: '' });
  const definition = expanded({ server, env: io.env });
  if ('url' in definition) return { name, url: definition.url };
  throw badUsage({ message: `${name} is a program, which needs no login.`, hint: 'Give it keys with --env.' });
}

async function unknownServer(of: {
  readonly invocation: Invocation;
  readonly name: string;
  readonly where: string;
}): Promise<LonghaulError> {
  const { io, settings } = of.invocation;
  const { values } = await settings();
  const { servers } = await configuredServers({ io, values });
  const near = closest({ word: of.name, candidates: servers.map(({ name }) => name) });
  return new LonghaulError({
    code: 'mcp-server-missing',
    message: `There is no MCP server called ${JSON.stringify(of.name)}${of.where}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    hint: 'List them with `longhaul mcp list`.',
  });
}

function badUsage({ message, hint }: { readonly message: string; readonly hint: string }): LonghaulError {
  return new LonghaulError({ code: 'bad-usage', message, hint });
}
