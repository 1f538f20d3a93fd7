import { z } from 'zod';

/** One MCP server, in the format of Claude Code's `.mcp.json`. */
export const mcpServerSchema = z.union([
  z.strictObject({
    type: z.literal('stdio').default('stdio'),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().min(1).optional(),
    disabled: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.enum(['http', 'streamable-http', 'sse']).default('http'),
    url: z.string().min(1),
    headers: z.record(z.string(), z.string()).default({}),
    disabled: z.boolean().optional(),
  }),
]);

/** Names become part of the names of tools; `__` separates them there. */
export const mcpServerName = z
  .string()
  .regex(/^(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{0,31}(?<![_-])$/, 'letters, digits, - and single _, at most 32');

/** Settings of MCP servers that the agent uses. */
export const mcpSettings = z
  .strictObject({
    servers: z
      .record(mcpServerName, mcpServerSchema)
      .default({})
      .describe('MCP servers by name, in the format of `.mcp.json`; see docs/mcp.md.')
      // A server runs a program or receives data.
      .meta({ accepts: 'an object with one server per name, each with a command or a url', trusted: true }),
    enabled: z.boolean().default(true).describe('Whether the agent uses MCP servers.').meta({ flag: '--mcp' }),
    startSeconds: z
      .int()
      .min(1)
      .max(600)
      .default(30)
      .describe('Seconds that an MCP server has to start and list its tools; then the agent works without it.'),
    callSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(120)
      .describe('Seconds without progress after which a call of an MCP tool fails.'),
    deferShare: z
      .number()
      .min(0)
      .max(1)
      .default(0.1)
      .describe(
        'The share of the window from which tools of MCP servers are not sent with every request, but found with `find_tools`.',
      ),
  })
  .prefault({})
  .describe('MCP servers that the agent uses.');

/** Settings of the tool `fetch`. */
export const fetchSettings = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether the agent has the tool `fetch`.').meta({ flag: '--fetch' }),
    privateHosts: z
      .array(z.string().min(1))
      .default([])
      .describe('Hosts on this machine or in a private network that `fetch` may read, e.g. `localhost`.')
      .meta({ accepts: 'a list of hosts', trusted: true }),
    seconds: z.int().min(1).max(600).default(30).describe('Seconds that a request of `fetch` may take.'),
    bytes: z
      .int()
      .min(1_024)
      .max(100 * 1024 * 1024)
      .default(5 * 1024 * 1024)
      .describe('Bytes of an answer that `fetch` reads; the rest is left out.'),
  })
  .prefault({})
  .describe('Reading web pages.');

/** Settings of the checks after an edit. */
export const diagnosticsSettings = z
  .strictObject({
    mode: z
      .enum(['ask', 'on', 'off'])
      .default('ask')
      .describe(
        'Whether the checkers of a project (tsc, eslint, biome, ruff, cargo check) run after an edit, so that the agent sees new errors; `ask` asks once for each folder.',
      )
      // Checkers run code of the project.
      .meta({ flag: '--diagnostics', trusted: true }),
    seconds: z
      .int()
      .min(1)
      .max(600)
      .default(20)
      .describe('Seconds that one check may take; a slower one is not used again in the run.'),
  })
  .prefault({})
  .describe('Errors after an edit.');
