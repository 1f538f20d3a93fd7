import { timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import packageFile from '../../package.json' with { type: 'json' };
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import { agents } from '../scan/agents.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { withReadOnlyStore, withStore } from '../store/with-store.ts';

interface McpFlags {
  readonly all?: true;
  readonly follow?: string;
  readonly port?: string;
  readonly token?: string;
}

/** `longhaul mcp`. */
export function addMcpCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('mcp')
    .description(
      'Serves the sessions of the current folder to any MCP client: tools sessions, search, recall and frontier, and the sessions as resources. Read-only, with secrets masked. Over stdin and stdout, or over HTTP with --port.',
    )
    .usage('[options]')
    .option('--all', 'the sessions of all folders')
    .option(
      '--follow <agent>',
      `import what this agent has written in the current folder before each answer: ${agents.map(({ name }) => name).join(', ')}`,
    )
    .option('--port <n>', 'serve HTTP on this port of 127.0.0.1 (0 for a free one), at /mcp')
    .option('--token <text>', 'with --port: what clients must send as a bearer token');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['claude mcp add longhaul -- longhaul mcp', 'earlier sessions for Claude Code'],
        ['codex mcp add longhaul -- longhaul mcp', 'the same for Codex'],
        ['longhaul mcp --follow claude-code', 'with the running session of Claude Code'],
        ['longhaul mcp --port 4142 --token "$TOKEN"', 'over HTTP'],
      ],
    })}`,
  );
  bind<McpFlags>({ command, action: serveMcp });
}

const serveMcp: CommandAction<McpFlags> = async (invocation) => {
  const { io, json, options } = invocation;
  const { token } = options;
  const port = options.port === undefined ? undefined : wholeNumber({ flag: '--port', text: options.port, least: 0 });
  if (token !== undefined && port === undefined) throw tokenWithoutPort();
  const { createMcpServer } = await import('longhaul/adapters/mcp');
  const open = options.follow === undefined ? withReadOnlyStore : withStore;
  return await open({
    invocation,
    work: async (opened) => {
      const { store } = opened;
      const cwd = invocation.cwd();
      const { follow } = options;
      const { followAgent } = await import('../import/follow.ts');
      const beforeCall = follow === undefined ? undefined : await followAgent({ io, opened, agent: follow, cwd });
      // An unknown agent is an error now, not at the first call.
      await beforeCall?.();
      const create = () =>
        createMcpServer({
          store,
          version: packageFile.version,
          secrets: secretsOf(io.env),
          ...(!options.all && { cwd }),
          ...(beforeCall && { beforeCall }),
        });
      await abortOnInterrupt({
        io,
        work: async (signal) => {
          if (port === undefined) return await overStdio({ create, signal });
          const server = await startHttp({ create, port, ...(token !== undefined && { token }) });
          await io.stdout.write(json ? `${JSON.stringify({ url: server.url })}\n` : `${server.url}  Ctrl-C stops it\n`);
          await aborted(signal);
          await server.close();
        },
      });
      return 0;
    },
  });
};

type CreateServer = () => ReturnType<typeof import('longhaul/adapters/mcp').createMcpServer>;

/** Serves until the client closes stdin or the command is interrupted. */
async function overStdio({ create, signal }: { readonly create: CreateServer; readonly signal: AbortSignal }) {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const handle = serveStdio(create);
  const closed = new Promise<void>((resolve) => process.stdin.once('close', resolve).once('end', resolve));
  await Promise.race([closed, aborted(signal)]);
  await handle.close();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function tokenWithoutPort(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: '--token is only for HTTP.',
    hint: 'Add --port, or leave --token out: over stdin and stdout only the program that started it is connected.',
  });
}

/**
 * Serves MCP over HTTP on 127.0.0.1 at /mcp. Requests whose Host or Origin is another machine are refused, so that a web
 * page cannot read sessions by DNS rebinding.
 */
async function startHttp({
  create,
  port,
  token,
}: {
  readonly create: CreateServer;
  readonly port: number;
  readonly token?: string;
}): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const [{ serve }, mcp] = await Promise.all([import('@hono/node-server'), import('@modelcontextprotocol/server')]);
  const handler = mcp.createMcpHandler(create);
  const answer = async (request: Request): Promise<Response> => {
    const refused =
      mcp.hostHeaderValidationResponse(request, mcp.localhostAllowedHostnames()) ??
      mcp.originValidationResponse(request, mcp.localhostAllowedOrigins());
    if (refused) return refused;
    if (new URL(request.url).pathname !== '/mcp') return problem({ status: 404, message: 'The MCP endpoint is /mcp.' });
    if (token !== undefined && !isBearer({ request, token })) {
      return problem({ status: 401, message: 'Send the token of `longhaul mcp --token` as Authorization: Bearer.' });
    }
    return await handler.fetch(request);
  };
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>();
  const server = serve({ fetch: answer, port, hostname: '127.0.0.1' }, resolve);
  server.once('error', reject);
  const { port: bound } = await promise;
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    async close() {
      await handler.close();
      const closed = new Promise<void>((done) => server.close(() => done()));
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

function isBearer({ request, token }: { readonly request: Request; readonly token: string }): boolean {
  const sent = Buffer.from(request.headers.get('authorization') ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

function problem({ status, message }: { readonly status: number; readonly message: string }): Response {
  return Response.json({ error: { message } }, { status });
}
