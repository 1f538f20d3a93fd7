import { pathToFileURL } from 'node:url';
import type {
  CallToolResult,
  Client,
  GetPromptResult,
  Prompt,
  Resource,
  Tool,
  Transport,
} from '@modelcontextprotocol/client';
import packageFile from '../../package.json' with { type: 'json' };
import { isRecord } from '../input/is-record.ts';
import { childEnvironment } from '../io/child-environment.ts';
import type { ProcessEnvironment } from '../io/io.ts';
import { clip } from '../text/clip.ts';
import { printable } from '../text/printable.ts';
import type { McpAuth } from './auth.ts';
import { type ConfiguredServer, expanded } from './config.ts';

/** What a server is doing. */
export type ServerState = 'starting' | 'ready' | 'needs-login' | 'failed' | 'off';

/** Limits of one server. */
interface ConnectionLimits {
  /** Milliseconds to start and to list tools. */
  readonly startMs: number;
  /** Milliseconds without progress until a call fails. */
  readonly callMs: number;
}

/** What a connection needs. */
export interface ConnectionInput {
  readonly server: ConfiguredServer;
  /** The folder of the agent: servers start in it and learn it as a root. */
  readonly cwd: string;
  readonly env: ProcessEnvironment;
  readonly limits: ConnectionLimits;
  readonly auth: McpAuth;
  /** The list of tools has changed, or the server has ended. */
  readonly onChange: () => void;
  /** One line for the user. */
  readonly onNotice: (text: string) => void;
}

/** A larger message ends the connection. Bytes. */
const largestMessage = 10 * 1024 * 1024;
/** More tools of one server are left out. */
const mostTools = 500;
/** A larger schema is no use to a model. Characters of JSON. */
const largestSchema = 64 * 1024;
/** A server that dies is started again this often. */
const mostRestarts = 3;
/** A server that changes its tools more often is not followed any longer. */
const mostChanges = 20;
/** A server has this long to end by itself. Milliseconds. */
const endMs = 200;
/** Changes close together are one. Milliseconds. */
const debounceMs = 100;

/**
 * The connection to one MCP server. Failures are states, not exceptions: a server that hangs or dies costs one line, and
 * its tools answer with an error until it is back.
 */
export class McpConnection {
  readonly #input: ConnectionInput;
  #client: Client | undefined;
  #pid: () => number | null = () => null;
  #starting: Promise<void> | undefined;
  #state: ServerState = 'starting';
  #why: string | undefined;
  #tools: readonly Tool[] = [];
  #restarts = 0;
  #changes = 0;

  constructor(input: ConnectionInput) {
    this.#input = input;
  }

  get name(): string {
    return this.#input.server.name;
  }

  get server(): ConfiguredServer {
    return this.#input.server;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why it is not ready. */
  get why(): string | undefined {
    return this.#why;
  }

  /** As listed last; kept when the server dies, so that requests stay the same. */
  get tools(): readonly Tool[] {
    return this.#state === 'off' ? [] : this.#tools;
  }

  /** Starts the server and lists its tools. Never rejects. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#state = 'starting';
    const signal = AbortSignal.timeout(this.#input.limits.startMs);
    let client: Client | undefined;
    let errorText = () => '';
    try {
      const opened = await this.#open();
      ({ client, errorText } = opened);
      const options = { signal, timeout: this.#input.limits.startMs };
      await client.connect(opened.transport, options);
      client.onclose = () => this.#ended({ client: opened.client, errorText });
      this.#client = client;
      await this.#list(client, signal);
      this.#state = 'ready';
      this.#why = undefined;
    } catch (error) {
      this.#client = undefined;
      void client?.close().catch(() => undefined);
      this.#fail({ error: signal.aborted ? new Error(`it did not answer within ${this.#seconds}`) : error, errorText });
    }
    this.#input.onChange();
  }

  get #seconds(): string {
    return `${this.#input.limits.startMs / 1000} s`;
  }

  async #open(): Promise<{
    readonly client: Client;
    readonly transport: Transport;
    readonly errorText: () => string;
  }> {
    const { server, env, cwd, auth } = this.#input;
    const definition = expanded({ server, env });
    const sdk = await import('@modelcontextprotocol/client');
    const isWeb = 'url' in definition;
    const client = new sdk.Client(
      { name: 'longhaul', version: packageFile.version },
      {
        capabilities: { roots: {} },
        versionNegotiation: { mode: isWeb ? 'auto' : 'legacy' },
        // A schema of the server must not make this process evaluate its patterns.
        jsonSchemaValidator: {
          getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
        },
        listChanged: { tools: { autoRefresh: false, debounceMs, onChanged: () => void this.#relist() } },
      },
    );
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(cwd).href }] }));
    if (isWeb) {
      const options = {
        requestInit: { headers: definition.headers },
        fetch: boundedFetch,
        ...(await auth.transportOptions({ server, url: definition.url })),
      };
      const url = new URL(definition.url);
      const transport =
        definition.type === 'sse'
          ? new sdk.SSEClientTransport(url, options)
          : new sdk.StreamableHTTPClientTransport(url, options);
      return { client, transport, errorText: () => '' };
    }
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const transport = new StdioClientTransport({
      command: definition.command,
      args: definition.args,
      cwd: definition.cwd ?? cwd,
      env: { ...childEnvironment(env), ...definition.env },
      stderr: 'pipe',
      maxBufferSize: largestMessage,
    });
    let last = '';
    // The library reads on until the process ends.
    client.onerror = ({ message }) => {
      if (!/exceeded maximum size/.test(message)) return;
      last = 'it sent a message of more than 10 MB';
      endProcess({ pid: transport.pid, signal: 'SIGKILL' });
    };
    transport.stderr?.on('data', (data: Buffer) => {
      last = (last + data.toString('utf8')).slice(-2_000);
    });
    this.#pid = () => transport.pid;
    return { client, transport, errorText: () => last.trim().split('\n').at(-1) ?? '' };
  }

  async #list(client: Client, signal: AbortSignal): Promise<void> {
    if (!client.getServerCapabilities()?.tools) return;
    const { tools } = await client.listTools(undefined, { signal, cacheMode: 'refresh' });
    const usable = tools.filter((tool) => JSON.stringify(tool.inputSchema).length <= largestSchema);
    const left = tools.length - Math.min(usable.length, mostTools);
    if (left > 0) this.#input.onNotice(`The MCP server ${this.name} has ${left} tools that are too large or too many.`);
    this.#tools = usable.slice(0, mostTools);
  }

  /** The server says that its tools have changed. */
  async #relist(): Promise<void> {
    const client = this.#client;
    this.#changes += 1;
    if (this.#changes === mostChanges)
      this.#input.onNotice(`The MCP server ${this.name} keeps changing its tools; further changes are ignored.`);
    if (!client || this.#changes >= mostChanges) return;
    try {
      await this.#list(client, AbortSignal.timeout(this.#input.limits.startMs));
      this.#input.onChange();
    } catch (error) {
      this.#input.onNotice(`The MCP server ${this.name} did not list its changed tools: ${reason(error)}`);
    }
  }

  #ended({ client, errorText }: { readonly client: Client; readonly errorText: () => string }): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#fail({ error: new Error('the connection was closed'), errorText });
    this.#input.onChange();
  }

  #fail({ error, errorText }: { readonly error: unknown; readonly errorText: () => string }): void {
    const isUnauthorized = isRecord(error) || error instanceof Error ? isAuthError(error) : false;
    this.#state = isUnauthorized ? 'needs-login' : 'failed';
    const detail = errorText();
    this.#why = isUnauthorized
      ? `needs a login: longhaul mcp login ${this.name}`
      : `is not available: ${reason(error)}${detail === '' ? '' : ` (${clip({ text: printable(detail), length: 200 })})`}`;
    this.#input.onNotice(`The MCP server ${this.name} ${this.#why}`);
  }

  /** The client, after a restart if the server has died. */
  async #ready(): Promise<Client> {
    if (this.#starting) await this.#starting;
    if (!this.#client && this.#state === 'failed' && this.#restarts < mostRestarts) {
      this.#restarts += 1;
      await this.start();
    }
    if (this.#client) return this.#client;
    throw new Error(`The MCP server ${this.name} ${this.#why ?? 'is off'}.`);
  }

  async call(of: {
    readonly tool: string;
    readonly input: Record<string, unknown>;
    readonly signal: AbortSignal;
    readonly onProgress: (text: string) => void;
    /** Whether the tool is still what the caller meant: a server that was started again may have others. */
    readonly isStill: () => boolean;
  }): Promise<CallToolResult> {
    const client = await this.#ready();
    if (!of.isStill())
      throw new Error('The tool has changed since the call was made, so it was not run. Call it again.');
    return await client.callTool(
      { name: of.tool, arguments: of.input },
      {
        signal: of.signal,
        timeout: this.#input.limits.callMs,
        resetTimeoutOnProgress: true,
        onprogress: ({ message }) => void (message !== undefined && of.onProgress(`${message}\n`)),
      },
    );
  }

  async prompts(): Promise<readonly Prompt[]> {
    const client = this.#client;
    if (!client?.getServerCapabilities()?.prompts) return [];
    return (await client.listPrompts(undefined, this.#options)).prompts;
  }

  async prompt(of: { readonly name: string; readonly arguments: Record<string, string> }): Promise<GetPromptResult> {
    return await (await this.#ready()).getPrompt(of, this.#options);
  }

  async resources(): Promise<readonly Resource[]> {
    const client = this.#client;
    if (!client?.getServerCapabilities()?.resources) return [];
    return (await client.listResources(undefined, this.#options)).resources;
  }

  async resource(uri: string) {
    return (await (await this.#ready()).readResource({ uri }, this.#options)).contents;
  }

  get #options() {
    return { timeout: this.#input.limits.callMs };
  }

  async close(): Promise<void> {
    this.#state = 'off';
    const client = this.#client;
    this.#client = undefined;
    await this.#starting;
    // The library waits two seconds for a server that does not end with its input.
    const pid = this.#pid();
    const timer = setTimeout(() => endProcess({ pid, signal: 'SIGTERM' }), endMs);
    await client?.close().catch(() => undefined);
    clearTimeout(timer);
  }
}

function endProcess({ pid, signal }: { readonly pid: number | null; readonly signal: NodeJS.Signals }): void {
  try {
    if (pid !== null) process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Requests to a server; an answer that exceeds the limit is an error. A stream of events may go on. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.body) return response;
  let [total, isLong] = [0, false];
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        // Of a stream, one event counts: an empty line ends it.
        const end = isStream ? endOfEvent(chunk) : -1;
        total = end < 0 ? total + chunk.length : chunk.length - end;
        isLong ||= total > largestMessage;
        if (isLong) controller.error(new Error('the answer is larger than 10 MB'));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function endOfEvent(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at -= 1) {
    if (chunk[at] === 10 && (chunk[at - 1] === 10 || (chunk[at - 1] === 13 && chunk[at - 2] === 10))) return at;
  }
  return -1;
}

function isAuthError(error: object): boolean {
  return error.constructor.name === 'UnauthorizedError' || ('status' in error && error.status === 401);
}

/** The message of an error, in one line. */
export function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return clip({ text: printable(text), length: 300 });
}
