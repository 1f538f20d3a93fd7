import type { LoopbackCall, LoopbackRequest } from 'longhaul/testing';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** A tool that a client declared. */
export interface DeclaredTool {
  readonly name: string;
  /** Its JSON schema; empty for tools with free text as input. */
  readonly schema: JsonRecord;
  readonly isFreeText: boolean;
}

/** The tools of a request, in any dialect. */
export function toolsIn({ dialect, body }: Pick<LoopbackRequest, 'dialect' | 'body'>): DeclaredTool[] {
  return records(body.tools).flatMap((tool) => toolsOf({ dialect, tool }));
}

function toolsOf({
  dialect,
  tool,
}: {
  readonly dialect: LoopbackRequest['dialect'];
  readonly tool: JsonRecord;
}): DeclaredTool[] {
  switch (dialect) {
    case 'anthropic':
      return [declared({ name: tool.name, schema: tool.input_schema })];
    case 'openai-chat':
      return isRecord(tool.function) ? [declared({ name: tool.function.name, schema: tool.function.parameters })] : [];
    case 'openai-responses':
      return tool.type === 'function' || tool.type === 'custom'
        ? [{ ...declared({ name: tool.name, schema: tool.parameters }), isFreeText: tool.type === 'custom' }]
        : [];
    case 'gemini':
      return records(tool.functionDeclarations).map((one) =>
        declared({ name: one.name, schema: one.parametersJsonSchema ?? one.parameters }),
      );
  }
}

/** Tools that run a command, read a file or start a sub-agent, by the names that clients give them. */
const kinds = {
  shell: ['bash', 'exec_command', 'shell', 'shell_command', 'run_shell_command', 'exec', 'run_command', 'run_commands'],
  read: ['read', 'read_file', 'view', 'view_file', 'read_files'],
  agent: ['agent', 'task', 'spawn_agent', 'invoke_agent', 'generalist', 'codebase_investigator'],
} as const;

/** The first tool of a kind that the client declared. */
export function findTool({
  tools,
  kind,
}: {
  readonly tools: readonly DeclaredTool[];
  readonly kind: keyof typeof kinds;
}): DeclaredTool | undefined {
  for (const name of kinds[kind]) {
    const found = tools.find((tool) => tool.name.toLowerCase() === name);
    if (found) return found;
  }
  return undefined;
}

/** A call that reads a file with what the client has for it. */
export function readCall({
  tools,
  path,
  isShell,
}: {
  readonly tools: readonly DeclaredTool[];
  readonly path: string;
  /** Prefer a command to a tool that reads files. */
  readonly isShell: boolean;
}): LoopbackCall | undefined {
  const [shell, read] = [findTool({ tools, kind: 'shell' }), findTool({ tools, kind: 'read' })];
  const tool = isShell ? (shell ?? read) : (read ?? shell);
  if (!tool) return undefined;
  const command = `cat ${path}`;
  if (tool.isFreeText) return { name: tool.name, arguments: command };
  const values = {
    command,
    cmd: command,
    commands: [command],
    filepath: path,
    path,
    absolutepath: path,
    files: [{ path }],
    description: 'Read a note',
  };
  return { name: tool.name, arguments: filled({ schema: tool.schema, values }) };
}

/** A call that starts a sub-agent. */
export function agentCall({ tool, prompt }: { readonly tool: DeclaredTool; readonly prompt: string }): LoopbackCall {
  const values = {
    prompt,
    message: prompt,
    task: prompt,
    objective: prompt,
    description: 'Look at one note',
    name: 'helper',
    agentname: 'generalist',
    subagenttype: 'general-purpose',
    agenttype: 'default',
    runinbackground: false,
  };
  return { name: tool.name, arguments: filled({ schema: tool.schema, values }) };
}

/** An object that a schema accepts: given values by property name without case and punctuation, defaults for what is required. */
export function filled({
  schema,
  values,
}: {
  readonly schema: JsonRecord;
  readonly values: Readonly<Record<string, unknown>>;
}): Record<string, unknown> {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const entries = Object.entries(isRecord(schema.properties) ? schema.properties : {}).flatMap(([name, property]) => {
    const known = values[name.toLowerCase().replace(/[^a-z]/g, '')];
    const type = typeOf(property);
    const choices = isRecord(property) && Array.isArray(property.enum) ? property.enum : [];
    if (known !== undefined && choices.length > 0 && !choices.includes(known)) return [[name, choices[0]]];
    if (known !== undefined && type === 'array') return [[name, Array.isArray(known) ? known : ['bash', '-lc', known]]];
    if (known !== undefined && (type === typeof known || type === '')) return [[name, known]];
    return required.has(name) ? [[name, choices[0] ?? defaults[type] ?? 'x']] : [];
  });
  return Object.fromEntries(entries);
}

const defaults: Readonly<Record<string, unknown>> = { boolean: false, number: 1, integer: 1, array: [], object: {} };

function typeOf(property: unknown): string {
  if (!isRecord(property)) return '';
  const { type, anyOf } = property;
  if (Array.isArray(type)) return String(type.find((one) => one !== 'null') ?? '').toLowerCase();
  if (typeof type === 'string') return type.toLowerCase();
  return Array.isArray(anyOf) ? (anyOf.map(typeOf).find((one) => one !== '' && one !== 'null') ?? '') : '';
}

function declared({ name, schema }: { readonly name: unknown; readonly schema: unknown }): DeclaredTool {
  return { name: String(name), schema: isRecord(schema) ? schema : {}, isFreeText: false };
}

export function records(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
