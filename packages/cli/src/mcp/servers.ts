import { LonghaulError } from 'longhaul';
import type { Tool, ToolSource } from 'longhaul/agent';
import { dataPart, type JsonObject, type Message, type TextPart } from 'longhaul/message';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { closest } from '../text/closest.ts';
import { openAuth } from './auth.ts';
import type { ConfiguredServer } from './config.ts';
import { McpConnection, reason, type ServerState } from './connection.ts';
import { agentTools, deferredTools, qualifiedName } from './tools.ts';

/** A server as lists show it. */
export interface ServerStatus {
  readonly name: string;
  readonly scope: ConfiguredServer['scope'];
  readonly state: ServerState;
  /** Why it is not ready. */
  readonly why?: string;
  /** The names of its tools, as the model knows them. */
  readonly tools: readonly string[];
}

/** A prompt of a server, as a slash command. */
export interface McpPrompt {
  /** Without the slash: `mcp__SERVER__PROMPT`. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly isRequired: boolean }[];
}

/** A resource of a server, as a mention. */
interface McpResource {
  /** Without the @: `SERVER:URI`. */
  readonly mention: string;
  readonly name: string;
  readonly description: string;
}

/**
 * The MCP servers of an agent: a source of tools, and what a terminal needs for `/mcp`, slash commands and mentions.
 */
export interface McpServers extends ToolSource {
  readonly list: () => readonly ServerStatus[];
  /** Starts a server again, e.g. after a login. */
  readonly restart: (name: string) => Promise<ServerStatus>;
  /** Turns a server off until the end of the process. */
  readonly stop: (name: string) => Promise<ServerStatus>;
  readonly prompts: () => Promise<readonly McpPrompt[]>;
  /** The parts of a message for `/mcp__SERVER__PROMPT words…`. */
  readonly prompt: (of: { readonly name: string; readonly words: readonly string[] }) => Promise<readonly TextPart[]>;
  readonly resources: () => Promise<readonly McpResource[]>;
  /** The content of `@SERVER:URI` as data; `undefined` if there is no such server. */
  readonly resource: (mention: string) => Promise<TextPart | undefined>;
  readonly close: () => Promise<void>;
}

/** The text of one resource or prompt that a message gets. Characters. */
const longestText = 256 * 1024;

/**
 * Starts the servers and waits until each is ready or has failed. Never rejects because of a server.
 *
 * @example
 * const servers = await openServers({ io, configured, values, count, onNotice: (text) => console.error(text) });
 * const agent = await createAgent({ session, model, toolSources: [servers] });
 */
export async function openServers({
  io,
  configured,
  values,
  count,
  onNotice,
}: {
  readonly io: Pick<Io, 'cwd' | 'env' | 'home' | 'platform' | 'folder'>;
  readonly configured: readonly ConfiguredServer[];
  readonly values: Pick<Settings, 'mcp'>;
  /** Counts the tokens of a text. */
  readonly count: (text: string) => number;
  /** Gets one line for each thing the user should know about a server. */
  readonly onNotice: (text: string) => void;
}): Promise<McpServers> {
  const { startSeconds, callSeconds, deferShare } = values.mcp;
  const auth = openAuth({ io });
  const approvals = new WeakMap<JsonObject, string>();
  let current: { readonly tools: readonly Tool[]; readonly tokens: number } | undefined;
  let deferred: readonly Tool[] | undefined;
  const connections = configured.map(
    (server) =>
      new McpConnection({
        server,
        cwd: io.cwd,
        env: io.env,
        limits: { startMs: startSeconds * 1000, callMs: callSeconds * 1000 },
        auth,
        onNotice,
        onChange: () => {
          current = undefined;
          deferred = undefined;
        },
      }),
  );
  await Promise.all(connections.map((connection) => connection.start()));
  return {
    tools({ window }) {
      current ??= read();
      if (current.tokens <= window * deferShare) return current.tools;
      deferred ??= deferredTools(current.tools);
      return deferred;
    },
    list: () => connections.map(statusOf),
    async restart(name) {
      const connection = named(name);
      await connection.close();
      await connection.start();
      return statusOf(connection);
    },
    async stop(name) {
      const connection = named(name);
      await connection.close();
      current = undefined;
      deferred = undefined;
      return statusOf(connection);
    },
    prompts: listPrompts,
    async prompt({ name, words }) {
      const connection = connections.find((one) => name.startsWith(`mcp__${one.name}__`));
      const prompts = (await connection?.prompts()) ?? [];
      const found = prompts.find((one) => qualifiedName({ server: connection?.name ?? '', name: one.name }) === name);
      if (!connection || !found) throw unknownPrompt({ name, known: (await listPrompts()).map((one) => one.name) });
      const given = argumentsOf({ name, names: found.arguments ?? [], words });
      const { messages } = await connection.prompt({ name: found.name, arguments: given });
      const text = messages
        .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
        .join('\n\n');
      return [
        { type: 'text', origin: 'human', text: [`/${name}`, ...words].join(' ') },
        // The user chose the prompt, but a server wrote it: it has the authority of neither.
        {
          type: 'text',
          origin: 'engine',
          text: `The user ran the prompt ${found.name} of the MCP server ${connection.name}. Do what its text asks for, as far as the user's own words and rules allow it.`,
        },
        dataPart({
          from: 'file',
          path: `mcp:${connection.name}/${found.name}`,
          text: text.slice(0, longestText).toWellFormed(),
        }),
      ];
    },
    async resources() {
      const all = await Promise.all(
        connections.map(async (connection) => {
          const resources = await connection.resources().catch(() => []);
          return resources.map(({ uri, name, description = '' }) => ({
            mention: `${connection.name}:${uri}`,
            name,
            description,
          }));
        }),
      );
      return all.flat();
    },
    async resource(mention) {
      const connection = connections.find(({ name }) => mention.startsWith(`${name}:`));
      if (!connection) return undefined;
      const uri = mention.slice(connection.name.length + 1);
      try {
        const contents = await connection.resource(uri);
        const text = contents.map((part) => ('text' in part ? part.text : '[not text]')).join('\n');
        return dataPart({ from: 'file', path: mention, text: text.slice(0, longestText).toWellFormed() });
      } catch (error) {
        onNotice(`@${mention} could not be read: ${reason(error)}`);
        return undefined;
      }
    },
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };

  async function listPrompts(): Promise<readonly McpPrompt[]> {
    const all = await Promise.all(
      connections.map(async (connection) => {
        const prompts = await connection.prompts().catch(() => []);
        return prompts.map((prompt) => ({
          name: qualifiedName({ server: connection.name, name: prompt.name }),
          description: prompt.description ?? prompt.title ?? '',
          arguments: (prompt.arguments ?? []).map((argument) => ({
            name: argument.name,
            description: argument.description ?? '',
            isRequired: argument.required === true,
          })),
        }));
      }),
    );
    return all.flat();
  }

  function read() {
    const tools = connections.flatMap((connection) => agentTools({ connection, approvals, onNotice }));
    return { tools, tokens: count(JSON.stringify(tools.map(({ definition }) => definition))) };
  }

  function named(name: string): McpConnection {
    const found = connections.find((connection) => connection.name === name);
    if (found) return found;
    const near = closest({ word: name, candidates: connections.map((connection) => connection.name) });
    throw new LonghaulError({
      code: 'mcp-server-missing',
      message: `There is no MCP server called ${JSON.stringify(name)}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
      hint: 'List them with `longhaul mcp list`.',
    });
  }
}

/** `@SERVER:URI` at the start of a word. */
const mention = /(?<![^\s([{,;])@([A-Za-z0-9][\w-]{0,31}:[^\s"]{1,2000})/gu;

/**
 * A message of the user with what it takes from servers: a slash command `/mcp__SERVER__PROMPT …` becomes the text of that
 * prompt, and `@SERVER:URI` attaches the resource.
 *
 * @example
 * await withServerContent({ message: user('Compare with @docs:file:///api.md'), servers });
 */
export async function withServerContent({
  message,
  servers,
}: {
  readonly message: Message;
  readonly servers: Pick<McpServers, 'prompt' | 'resource'>;
}): Promise<Message> {
  const [first, ...others] = message.parts;
  if (first?.type !== 'text' || first.origin !== 'human') return message;
  const [, name, words = ''] = /^\s*\/(mcp__[\w-]+)(?:\s([\s\S]*))?$/.exec(first.text) ?? [];
  if (name !== undefined) {
    const parts = await servers.prompt({ name, words: words.split(/\s+/).filter((word) => word !== '') });
    return { ...message, parts: [...parts, ...others] };
  }
  const mentions = new Set(
    [...first.text.matchAll(mention)].map(([, found = '']) => found.replace(/[.,;!?)\]}]{1,8}$/u, '')),
  );
  const found = await Promise.all([...mentions].map((one) => servers.resource(one)));
  return { ...message, parts: [...message.parts, ...found.flatMap((part) => part ?? [])] };
}

function statusOf(connection: McpConnection): ServerStatus {
  const { name, server, state, why } = connection;
  const tools = connection.tools.map((tool) => qualifiedName({ server: name, name: tool.name }));
  return { name, scope: server.scope, state, ...(why !== undefined && { why }), tools };
}

/** Words of a slash command as arguments of a prompt: one each, the last gets the rest. */
function argumentsOf(of: {
  readonly name: string;
  readonly names: readonly { readonly name: string; readonly required?: boolean | undefined }[];
  readonly words: readonly string[];
}): Record<string, string> {
  const { names, words } = of;
  const values = names.map(
    ({ name }, at) => [name, at === names.length - 1 ? words.slice(at).join(' ') : (words[at] ?? '')] as const,
  );
  const given = Object.fromEntries(values.filter(([, value]) => value !== ''));
  const missing = names.find(({ name, required }) => required && given[name] === undefined);
  if (!missing) return given;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `/${of.name} needs ${missing.name}.`,
    hint: `Write /${of.name} ${names.map(({ name }) => name.toUpperCase()).join(' ')}`,
  });
}

function unknownPrompt({ name, known }: { readonly name: string; readonly known: readonly string[] }): LonghaulError {
  const near = closest({ word: name, candidates: known });
  return new LonghaulError({
    code: 'bad-usage',
    message: `There is no prompt /${name}.${near === undefined ? '' : ` Did you mean /${near}?`}`,
    hint: 'List servers and their prompts with `longhaul mcp list`.',
  });
}
