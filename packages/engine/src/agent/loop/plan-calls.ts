import { isObject, type JsonObject, parseJson } from '../../json.ts';
import type { Message, ToolCallPart, ToolDefinition } from '../../message/index.ts';
import type { Access } from '../permission.ts';
import type { Tool } from '../tool.ts';
import type { PlannedCall } from './call.ts';

/** The calls of an answer, each with what it would access. Has no side effects. */
export async function planCalls({
  message,
  tools,
}: {
  readonly message: Message;
  readonly tools: readonly Tool[];
}): Promise<PlannedCall[]> {
  const calls = message.parts.filter((part) => part.type === 'tool_call');
  return await Promise.all(calls.map((call, index) => planCall({ call, index, tools })));
}

async function planCall({
  call,
  index,
  tools,
}: {
  readonly call: ToolCallPart;
  readonly index: number;
  readonly tools: readonly Tool[];
}): Promise<PlannedCall> {
  const tool = tools.find(({ definition }) => definition.name === call.name);
  const nothing = { call, index, input: {}, access: { kind: 'none' } as const };
  if (!tool) return { ...nothing, problem: unknownTool({ name: call.name, tools }) };
  const input = inputOf(call);
  if (!input) return { ...nothing, problem: badArguments };
  const judged = await accessOf({ tool, input });
  const once = tool.isOnce ? { isOnce: true } : {};
  return 'why' in judged
    ? { ...nothing, input, problem: judged.why }
    : { call, index, input, access: judged.access, ...once };
}

/** The definitions that are sent to the model. */
export function sentDefinitions(tools: readonly Tool[]): ToolDefinition[] {
  return tools.flatMap(({ definition, isHidden }) => (isHidden ? [] : [definition]));
}

/** What a call would access; if the tool cannot tell, the call does not run. */
export async function accessOf({
  tool,
  input,
}: {
  readonly tool: Tool;
  readonly input: JsonObject;
}): Promise<{ readonly access: Access } | { readonly why: string }> {
  try {
    return { access: await tool.access(input) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { why: `It was not run: what it would access could not be determined: ${words}` };
  }
}

/** Models omit the arguments if there are none. */
function inputOf({ arguments: written, freeform }: ToolCallPart): JsonObject | undefined {
  if (freeform) return { input: written };
  const value = written.trim() === '' ? {} : parseJson(written);
  return isObject(value) ? value : undefined;
}

const badArguments =
  'It was not run: its arguments are not a JSON object. If they were cut off, shorten them or split the work into several calls.';

function unknownTool({ name, tools }: { readonly name: string; readonly tools: readonly Tool[] }): string {
  const names = sentDefinitions(tools)
    .map((definition) => definition.name)
    .join(', ');
  return `Unknown tool ${JSON.stringify(name)}. ${names === '' ? 'No tools are available.' : `Available tools: ${names}.`}`;
}
