import type { JudgeFinding } from './findings.ts';
import { isArray, isObject, type JsonRecord } from './json.ts';
import { emptyArray, missing, refuse, tooLong, unsupported, wrongPattern, wrongType } from './openai-error.ts';

const name = /^[a-zA-Z0-9_-]+$/;

/** A function name: letters, digits, underscores and dashes, "with a maximum length of 64" (SDK doc). */
export function judgeFunctionName({ value, path }: { value: unknown; path: string }): JudgeFinding {
  if (value === undefined) return missing(path);
  if (typeof value !== 'string') return wrongType({ path, expected: 'a string', value });
  if (!name.test(value)) return wrongPattern({ path, pattern: '^[a-zA-Z0-9_-]+$' });
  return value.length > 64 ? tooLong({ path, limit: 64, length: value.length }) : undefined;
}

/** Tool definitions of Chat Completions (`tools[].function`) and of Responses (flat). */
export function judgeTools({ body, nested }: { body: JsonRecord; nested: boolean }): JudgeFinding {
  const { tools, tool_choice: choice } = body;
  if (tools !== undefined && tools !== null) {
    if (!isArray(tools)) return wrongType({ path: 'tools', expected: 'an array of objects', value: tools });
    // Chat Completions refuses an empty list ("[] is too short - 'tools'"); Responses accepts it (codex sends one).
    if (nested && tools.length === 0) return emptyArray('tools');
    for (const [at, tool] of tools.entries()) {
      const finding = judgeTool({ tool, path: `tools[${at}]`, nested });
      if (finding) return finding;
    }
  }
  if (nested && choice !== undefined && choice !== null && tools === undefined)
    return refuse({
      path: 'tool_choice',
      message: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    });
  return judgeChoice(choice);
}

function judgeTool({ tool, path, nested }: { tool: unknown; path: string; nested: boolean }): JudgeFinding {
  if (!isObject(tool)) return wrongType({ path, expected: 'an object', value: tool });
  if (tool.type === undefined) return missing(`${path}.type`);
  if (tool.type !== 'function')
    return nested && tool.type !== 'custom'
      ? unsupported({ path: `${path}.type`, value: tool.type, values: ['function', 'custom'] })
      : undefined;
  if (!nested) return judgeFunctionName({ value: tool.name, path: `${path}.name` });
  if (!isObject(tool.function)) return missing(`${path}.function`);
  return judgeFunctionName({ value: tool.function.name, path: `${path}.function.name` });
}

function judgeChoice(choice: unknown): JudgeFinding {
  if (choice === undefined || choice === null || isObject(choice)) return undefined;
  return ['none', 'auto', 'required'].includes(String(choice))
    ? undefined
    : unsupported({ path: 'tool_choice', value: choice, values: ['none', 'auto', 'required'] });
}
