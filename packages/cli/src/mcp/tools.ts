import { createHash } from 'node:crypto';
import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import type { Tool, ToolOutcome } from 'longhaul/agent';
import type { ContentPart, JsonObject } from 'longhaul/message';
import { type McpConnection, reason } from './connection.ts';

/** Providers accept names of this form and length. */
const longestName = 64;
/** Longer descriptions are cut: they are sent with every request. Characters. */
const longestDescription = 2_000;
/** A larger picture is left out. Characters of base64. */
const largestImage = 5 * 1024 * 1024;

/**
 * The name of something of a server, as the model and rules use it. Names of servers have no `__`, so the result names
 * exactly one server, whatever the tool is called.
 *
 * @example
 * qualifiedName({ server: 'github', name: 'create_issue' }); // 'mcp__github__create_issue'
 */
export function qualifiedName({ server, name }: { readonly server: string; readonly name: string }): string {
  const whole = `mcp__${server}__${name.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (whole.length <= longestName) return whole;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${whole.slice(0, longestName - 9)}_${hash}`;
}

/**
 * The tools of a server as tools of the agent. Of several with the same name, which rules could not tell apart, only the
 * first is used; `onNotice` gets a line about the others.
 */
export function agentTools({
  connection,
  approvals,
  onNotice,
}: {
  readonly connection: McpConnection;
  /** What was shown when the arguments of a call were judged. Shared by all versions of a tool. */
  readonly approvals: WeakMap<JsonObject, string>;
  readonly onNotice: (text: string) => void;
}): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const tool of connection.tools) {
    const name = qualifiedName({ server: connection.name, name: tool.name });
    const key = name.toLowerCase();
    if (tools.has(key))
      onNotice(`The MCP server ${connection.name} has two tools called ${name}; the second is not used.`);
    else tools.set(key, agentTool({ connection, tool, name, approvals }));
  }
  return [...tools.values()];
}

function agentTool(of: {
  readonly connection: McpConnection;
  readonly tool: ServerTool;
  readonly name: string;
  readonly approvals: WeakMap<JsonObject, string>;
}): Tool {
  const { connection, tool, name, approvals } = of;
  // JSON of the wire; the library keeps members that it does not know.
  const inputSchema = tool.inputSchema as JsonObject;
  const description = (tool.description ?? '').slice(0, longestDescription).toWellFormed();
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([connection.server.definition, tool.name, tool.description, inputSchema]))
    .digest('hex')
    .slice(0, 16);
  return {
    definition: { name, description, inputSchema },
    access(input) {
      approvals.set(input, fingerprint);
      return {
        kind: 'remote',
        server: connection.name,
        tool: name,
        isReadOnly: tool.annotations?.readOnlyHint === true,
        fingerprint,
      };
    },
    preview: async (input) => JSON.stringify(input, undefined, 2),
    async run({ input, signal, onOutput }) {
      // The server may have replaced the tool after the user was asked.
      const isSame = () => approvals.get(input) === fingerprint && isCurrent();
      if (!isSame())
        return failure(`The tool ${name} has changed since the call was made, so it was not run. Call it again.`);
      try {
        const result = await connection.call({
          tool: tool.name,
          input,
          signal,
          onProgress: (text) => onOutput?.(text),
          isStill: isSame,
        });
        return outcomeOf(result);
      } catch (error) {
        if (signal.aborted) throw error;
        return failure(reason(error));
      }
    },
  };

  function isCurrent(): boolean {
    const now = connection.tools.find((one) => one.name === tool.name);
    return (
      now !== undefined &&
      (now === tool ||
        (now.description === tool.description && JSON.stringify(now.inputSchema) === JSON.stringify(tool.inputSchema)))
    );
  }
}

/** A result as parts with the origin `tool`; nothing in it speaks for a person. */
function outcomeOf({ content, structuredContent, isError }: CallToolResult): ToolOutcome {
  const parts = content.map(partOf);
  const structured =
    parts.length === 0 && structuredContent !== undefined ? [textPart(JSON.stringify(structuredContent))] : [];
  return { content: [...parts, ...structured], ...(isError && { isError: true as const }) };
}

function partOf(block: CallToolResult['content'][number]): ContentPart {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'image':
      return block.data.length > largestImage
        ? textPart(`[a picture of ${block.data.length} characters was left out]`)
        : {
            type: 'image',
            origin: 'tool',
            source: { kind: 'base64', mediaType: block.mimeType, data: block.data },
          };
    case 'resource_link':
      return textPart(`[resource ${block.uri}${block.description === undefined ? '' : `: ${block.description}`}]`);
    case 'resource':
      return textPart(
        'text' in block.resource
          ? `[resource ${block.resource.uri}]\n${block.resource.text}`
          : `[resource ${block.resource.uri}, not text]`,
      );
    default:
      return textPart(`[${block.type} was left out]`);
  }
}

function textPart(text: string): ContentPart {
  return { type: 'text', origin: 'tool', text };
}

function failure(text: string): ToolOutcome {
  return { content: [textPart(text)], isError: true };
}

/** Tools found at once, and characters of the answer. */
const mostFound = 10;
const longestAnswer = 30_000;
/** Names in the description of the search; more are only counted. */
const mostNamed = 100;

/**
 * Two tools in place of many: one finds tools by words, one calls what was found. Both stay the same however many tools
 * there are, so that requests do.
 */
export function deferredTools(tools: readonly Tool[]): readonly Tool[] {
  const names = tools.map(({ definition }) => definition.name);
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  const find: Tool = {
    definition: {
      name: 'find_tools',
      description: `Finds further tools by words that describe what is needed, and returns their names, descriptions and arguments. Call what it finds with use_tool. There are ${names.length}: ${names.slice(0, mostNamed).join(', ')}${more}.`,
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'Words, or the name of a tool.' } },
        required: ['query'],
        additionalProperties: false,
      },
    },
    access: () => ({ kind: 'none' }),
    async run({ input }) {
      const found = ranked({ tools, query: typeof input.query === 'string' ? input.query : '' });
      if (found.length === 0) return { content: [textPart('No tool matches. Use other words.')] };
      const text = found.map(({ definition }) => JSON.stringify(definition)).join('\n');
      return { content: [textPart(text.slice(0, longestAnswer).toWellFormed())] };
    },
  };
  const target = (input: JsonObject) => tools.find(({ definition }) => definition.name === input.name);
  const inner = (input: JsonObject): JsonObject =>
    typeof input.input === 'object' && input.input !== null && !Array.isArray(input.input)
      ? (input.input as JsonObject)
      : input;
  const use: Tool = {
    definition: {
      name: 'use_tool',
      description: 'Calls a tool that find_tools has found.',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The name of the tool, exactly as found.' },
          input: { type: 'object', description: 'Its arguments, as its schema says.' },
        },
        required: ['name', 'input'],
        additionalProperties: false,
      },
    },
    access: async (input) => (await target(input)?.access(inner(input))) ?? { kind: 'none' },
    preview: async (input) => await target(input)?.preview?.(inner(input)),
    run: async (call) =>
      (await target(call.input)?.run({ ...call, input: inner(call.input) })) ??
      failure('There is no tool of this name. Find one with find_tools first.'),
  };
  return [find, use, ...tools.map((tool): Tool => ({ ...tool, isHidden: true }))];
}

/** The tools that contain most words of a query, in their names first. */
function ranked({ tools, query }: { readonly tools: readonly Tool[]; readonly query: string }): readonly Tool[] {
  const words = query
    .slice(0, 500)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return tools
    .map((tool) => {
      const { name, description = '' } = tool.definition;
      const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
      const score = words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : inText.includes(word) ? 1 : 0), 0);
      return { tool, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostFound)
    .map(({ tool }) => tool);
}
