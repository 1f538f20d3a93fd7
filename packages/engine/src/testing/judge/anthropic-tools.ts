import { invalid } from './anthropic-error.ts';
import { isArray, isObject, type Json } from './json.ts';
import type { Finding } from './verdict.ts';

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;

/** Tool definitions and `tool_choice`. */
export function judgeTools(body: Json): Finding {
  return judgeDefinitions(body.tools) ?? judgeChoice(body);
}

function judgeDefinitions(tools: unknown): Finding {
  if (tools === undefined) return undefined;
  if (!isArray(tools)) return invalid({ path: 'tools', message: 'tools: Input should be a valid list' });
  const names = new Set<string>();
  for (const [at, tool] of tools.entries()) {
    const path = `tools[${at}]`;
    if (!isObject(tool)) return invalid({ path, message: `tools.${at}: Input should be a valid dictionary` });
    const finding = judgeDefinition({ tool, path, name: `tools.${at}` });
    if (finding) return finding;
    if (typeof tool.name !== 'string') continue;
    if (names.has(tool.name)) return invalid({ path, message: 'tools: Tool names must be unique.' });
    names.add(tool.name);
  }
  return undefined;
}

function judgeDefinition({ tool, path, name }: { tool: Json; path: string; name: string }): Finding {
  // Tools with a dated type ("bash_20250124") are Anthropic's own and bring their schema.
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom')
    return typeof tool.type === 'string'
      ? undefined
      : invalid({ path, message: `${name}.type: Input should be a valid string` });
  const custom = `${name}.custom`;
  if (tool.name === undefined) return invalid({ path, message: `${custom}.name: Field required` });
  if (typeof tool.name !== 'string' || !namePattern.test(tool.name))
    return invalid({ path, message: `${custom}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'` });
  if (tool.input_schema === undefined) return invalid({ path, message: `${custom}.input_schema: Field required` });
  if (!isObject(tool.input_schema))
    return invalid({ path, message: `${custom}.input_schema: Input should be a valid dictionary` });
  if (tool.input_schema.type === undefined)
    return invalid({ path, message: `${custom}.input_schema.type: Field required` });
  if (tool.input_schema.type !== 'object')
    return invalid({ path, message: `${custom}.input_schema.type: Input should be 'object'` });
  return undefined;
}

function judgeChoice(body: Json): Finding {
  const { tool_choice: choice, tools } = body;
  if (choice === undefined) return undefined;
  if (!isObject(choice))
    return invalid({ path: 'tool_choice', message: 'tool_choice: Input should be a valid dictionary' });
  if (!['auto', 'any', 'tool', 'none'].includes(String(choice.type)))
    return invalid({
      path: 'tool_choice',
      message: `tool_choice: Input tag '${String(choice.type)}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    });
  const given = isArray(tools) ? tools : [];
  if (given.length === 0 && choice.type !== 'none')
    return invalid({
      path: 'tool_choice',
      message: 'tool_choice: tool_choice may only be specified while providing tools.',
    });
  if (choice.type !== 'tool') return undefined;
  if (typeof choice.name !== 'string')
    return invalid({ path: 'tool_choice', message: 'tool_choice.tool.name: Field required' });
  if (!given.some((tool) => isObject(tool) && tool.name === choice.name))
    return invalid({ path: 'tool_choice', message: `Tool '${choice.name}' not found in provided tools` });
  return undefined;
}
