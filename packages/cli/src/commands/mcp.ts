import { timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import type { McpWriting } from 'longhaul/adapters/mcp';
import type { Store } from 'longhaul/session';
import packageFile from '../../package.json' with { type: 'json' };
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp } from '../help.ts';
import { followAgent } from '../import/follow-agent.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import { type OpenBoard, openBoard } from '../memory/board.ts';
import { agents } from '../scan/agents.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { type Opened, withReadOnlyStore, withStore } from '../store/with-store.ts';
import { addServerCommands } from './mcp-servers.ts';

interface McpFlags {
  readonly all?: true;
  readonly follow?: string;
  readonly port?: string;
  readonly token?: string;
  readonly write?: true;
}

/** `longhaul mcp`. */
export function addMcpCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('mcp')
    .description(
      'Without a subcommand: serves the sessions of the current folder to any MCP client: tools sessions, search, recall, frontier and memory, and the sessions as resources. Read-only unless --write, with secrets masked. Over stdin and stdout, or over HTTP with --port.',
    )
    .usage('[options]\n       longhaul mcp list|add|remove|login|logout')
    .option('--all', 'the sessions of all folders')
    .option(
      '--follow <agent>',
      `import what this agent has written in the current folder before each answer: ${agents.map(({ name }) => name).join(', ')}`,
    )
    .option(
      '--write',
      'also offer tools that change sessions and memory: pin, unpin, label, compact, undo, remember, forget; the log only grows',
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
        ['longhaul mcp --write', 'pin rules, compact and remember on request'],
        ['longhaul mcp --port 4142 --token "$TOKEN"', 'over HTTP'],
      ],
    })}`,
  );
  bind<McpFlags>({ command, action: serveMcp });
  addServerCommands({ command, bind });
}

const serveMcp: CommandAction<McpFlags> = async (invocation) => {
  const { io, json, options } = invocation;
  const { token } = options;
  const port = options.port === undefined ? undefined : wholeNumber({ flag: '--port', text: options.port, least: 0 });
  if (token !== undefined && port === undefined) throw tokenWithoutPort();
  const { createMcpServer } = await import('longhaul/adapters/mcp');
  const { follow } = options;
  const serve = async (opened: Opened<Store>, leased?: Opened, beforeCall?: () => Promise<void>): Promise<number> => {
    const { dir, values } = opened;
    const cwd = invocation.cwd();
    const hasStore = (await io.files.stat(dir).catch(() => undefined)) !== undefined;
    const store = hasStore ? opened.store : lateStore({ io, dir, empty: opened.store });
    const board =
      hasStore && values.memory.enabled
        ? await openBoard({ io, dir, values, folder: cwd }).catch(() => undefined)
        : undefined;
    const write = leased && options.write ? await writingOf({ io, opened: leased, board, follow }) : undefined;
    const create = () =>
      createMcpServer({
        store,
        version: packageFile.version,
        secrets: secretsOf(io.env),
        ...(!options.all && { cwd }),
        ...(beforeCall && { beforeCall }),
        ...(board && { memory: board.memory }),
        ...(write && { write }),
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
    }).finally(async () => {
      board?.memory.close();
      if (store !== opened.store) await store.close();
    });
    return 0;
  };
  if (follow === undefined && !options.write) return await withReadOnlyStore({ invocation, work: serve });
  return await withStore({
    invocation,
    purpose: 'longhaul mcp',
    creates: true,
    work: async (opened) => {
      if (follow === undefined) return await serve(opened, opened);
      const bringIn = await followAgent({ io, opened, agent: follow, cwd: invocation.cwd() });
      // An unknown agent is an error now, not at the first call.
      await bringIn();
      return await serve(opened, opened, bringIn);
    },
  });
};

/** The writing tools: one change at a time, each while this process holds the lease of the session, and no longer. */
async function writingOf({
  io,
  opened: { store, values },
  board,
  follow,
}: {
  readonly io: Io;
  readonly opened: Opened;
  readonly board: OpenBoard | undefined;
  readonly follow: string | undefined;
}): Promise<McpWriting> {
  const [{ createEngine }, { targetOf }, { policyOf }, { summarizerOf }] = await Promise.all([
    import('longhaul/engine'),
    import('../session/target.ts'),
    import('../compaction/policy-of.ts'),
    import('../compaction/summarizer-of.ts'),
  ]);
  const summarizer = await summarizerOf({ values, io });
  const engine = await createEngine({
    store,
    secrets: secretsOf(io.env),
    clock: { now: io.now },
    policy: policyOf({ values, env: io.env }),
    ...(summarizer && { summarizer }),
  });
  let last: Promise<unknown> = Promise.resolve();
  return {
    engine,
    board,
    isFollowed: ({ source }) => follow !== undefined && source?.format === follow,
    target: async (session) => await targetOf({ session, settings: values, window: undefined }),
    exclusively: ({ session, work }) => {
      const done = last.then(async () => {
        await store.acquire({ session });
        return await work().finally(async () => await store.release());
      });
      last = done.catch(() => undefined);
      return done;
    },
  };
}

/** A store that another command may create while the server runs; empty until then, so that reading writes nothing. */
function lateStore({
  io,
  dir,
  empty,
}: {
  readonly io: Pick<Io, 'files' | 'openStore'>;
  readonly dir: string;
  readonly empty: Store;
}): Store {
  let opened: Promise<Store> | undefined;
  const current = async (): Promise<Store> => {
    const isThere = opened !== undefined || (await io.files.stat(dir).catch(() => undefined)) !== undefined;
    if (isThere) opened ??= io.openStore(dir);
    return (await opened) ?? empty;
  };
  return {
    ...empty,
    header: async (session) => await (await current()).header(session),
    head: async (session) => await (await current()).head(session),
    read: async (input) => await (await current()).read(input),
    list: async (input) => await (await current()).list(input),
    search: async (input) => await (await current()).search(input),
    close: async () => await (await opened)?.close(),
  };
}

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
