import { LonghaulError } from 'longhaul';
import type { z } from 'zod';
import { isRecord } from '../input/is-record.ts';
import { parseJsonText } from '../input/parse-json.ts';
import { readText } from '../input/read-text.ts';
import type { Io, ProcessEnvironment } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import type { Settings } from '../settings/schema.ts';
import type { mcpServerSchema } from '../settings/tools.ts';
import { projectRoot, type TrustItem } from '../trust/trust.ts';

/** The name of a project's file of MCP servers, the same as Claude Code's. */
export const projectServersFile = '.mcp.json';

/** A configured MCP server. */
export interface ConfiguredServer {
  readonly name: string;
  readonly scope: 'user' | 'project';
  /** As written; variables are not expanded. */
  readonly definition: z.output<typeof mcpServerSchema>;
  /** Of servers of the project: what the user must trust before it is used. */
  readonly trust?: TrustItem;
}

/** The configured servers, and one sentence for each entry that cannot be used. */
export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly string[];
}

/**
 * The MCP servers of the settings and of the `.mcp.json` in the root of the project. A server of the user takes precedence
 * over one of the project with the same name.
 *
 * @example
 * const { servers, problems } = await configuredServers({ io, values });
 */
export async function configuredServers({
  io,
  values,
}: {
  readonly io: Pick<Io, 'cwd' | 'platform' | 'files'>;
  readonly values: Pick<Settings, 'mcp'>;
}): Promise<ConfiguredServers> {
  const own = Object.entries(values.mcp.servers).map(([name, definition]) => ({
    name,
    scope: 'user' as const,
    definition,
  }));
  const { servers, problems } = await projectServers({ io });
  const taken = new Set(own.map(({ name }) => name.toLowerCase()));
  return { servers: [...own, ...servers.filter(({ name }) => !taken.has(name.toLowerCase()))], problems };
}

/** A list of servers is small; a larger file is a mistake or an attack. */
const largestFile = 1024 * 1024;

async function projectServers({
  io,
}: {
  readonly io: Pick<Io, 'cwd' | 'platform' | 'files'>;
}): Promise<ConfiguredServers> {
  const path = pathOf(io).join(await projectRoot({ io }), projectServersFile);
  if (!(await io.files.stat(path).catch(() => undefined))) return { servers: [], problems: [] };
  try {
    const limit = { bytes: largestFile, hint: 'Check that this is the right file.' };
    const text = await readText({ name: path, from: { files: io.files, path }, limit });
    const content = parseJsonText({ text, name: path });
    const members = isRecord(content) ? content.mcpServers : undefined;
    if (!isRecord(members)) return { servers: [], problems: [`${path} has no object "mcpServers"; it is not used.`] };
    return await readMembers({ members, path });
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    return { servers: [], problems: [`${error.message} Its MCP servers are not used.`] };
  }
}

async function readMembers(of: {
  readonly members: Readonly<Record<string, unknown>>;
  readonly path: string;
}): Promise<ConfiguredServers> {
  // Loaded here: most projects have no such file, and schemas take long to make.
  const { mcpServerName, mcpServerSchema } = await import('../settings/tools.ts');
  const servers: ConfiguredServer[] = [];
  const problems: string[] = [];
  const names = new Set<string>();
  for (const [name, member] of Object.entries(of.members)) {
    const about = `The MCP server ${JSON.stringify(name)} in ${of.path}`;
    const parsed = mcpServerSchema.safeParse(member);
    if (!mcpServerName.safeParse(name).success) {
      problems.push(`${about} has an invalid name; use letters, digits, - and single _, at most 32.`);
    } else if (names.has(name.toLowerCase())) {
      problems.push(`${about} has the name of another one; names are not case-sensitive.`);
    } else if (!parsed.success) {
      problems.push(`${about} is invalid: give it a command with args and env, or a url with headers.`);
    } else {
      names.add(name.toLowerCase());
      const definition = parsed.data;
      const trust = {
        kind: 'MCP server',
        name,
        summary: definitionText(definition),
        content: JSON.stringify(definition),
      };
      servers.push({ name, scope: 'project', definition, trust });
    }
  }
  return { servers, problems };
}

/** What a server runs or connects to, in one line. Values of variables and headers are not shown: they may be keys. */
export function definitionText(definition: ConfiguredServer['definition']): string {
  if ('url' in definition) return definition.url;
  const names = Object.keys(definition.env);
  const env = names.length > 0 ? ` (with ${names.join(', ')})` : '';
  return [definition.command, ...definition.args].join(' ') + env;
}

/** Names of variables that hold keys of models; a server of a project must not receive them. */
const modelKey = /(?:API_?KEY|ANTHROPIC|OPENAI|GEMINI|LONGHAUL)/i;

/**
 * A definition with its variables replaced: `${NAME}` and `${NAME:-default}`, as in Claude Code. A variable that is not
 * set is an error, and so is an API key in a definition of a project.
 *
 * @example
 * expanded({ server, env: process.env });
 */
export function expanded({
  server,
  env,
}: {
  readonly server: ConfiguredServer;
  readonly env: ProcessEnvironment;
}): ConfiguredServer['definition'] {
  const text = (value: string) =>
    value.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback: string | undefined) => {
      if (server.scope === 'project' && modelKey.test(name)) {
        throw unusable({ server, why: `asks for ${name}, and servers of a project get no API keys of models` });
      }
      const found = env[name] ?? fallback;
      if (found === undefined) throw unusable({ server, why: `needs the environment variable ${name}` });
      return found;
    });
  const texts = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, text(value)]));
  const { definition } = server;
  if ('url' in definition) return { ...definition, url: text(definition.url), headers: texts(definition.headers) };
  return {
    ...definition,
    command: text(definition.command),
    args: definition.args.map(text),
    env: texts(definition.env),
  };
}

function unusable({ server, why }: { readonly server: ConfiguredServer; readonly why: string }): LonghaulError {
  return new LonghaulError({
    code: 'mcp-server-unusable',
    message: `The MCP server ${server.name} ${why}.`,
    hint: 'Set the variable, or define the server in your own settings with `longhaul mcp add`.',
  });
}
