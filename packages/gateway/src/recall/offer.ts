import { codecs, type Dialect, type Json, type JsonObject, type ToolDefinition } from 'longhaul/message';
import { readSpans } from '../body-spans.ts';
import type { ClientRequest } from '../client-request.ts';
import { isRecord, listOf } from '../json.ts';
import { recallName } from './filter.ts';

/** The tool as the model sees it. */
const recallDefinition: ToolDefinition = {
  name: recallName,
  description:
    'Looks up what was said or shown earlier in this conversation and is no longer in front of you. Give `handle` (such as "@12", "@12.2" or "@12:40-80", as summaries and notes about elided output name them) for the exact text, with `page` for the next part of a long one; or give `query` (a few words or identifiers) to search everything.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'What to read exactly: @12, @12.2 (part), @12:40-80 (lines).' },
      page: { type: 'integer', description: 'Which part of a long text; 1 is the first.' },
      query: { type: 'string', description: 'Words, names, paths or numbers to search for.' },
    },
  },
};

/** The request with the tool among its tools where it can get it, so that its tokens are counted from the start. */
export function withRecall(request: ClientRequest): ClientRequest {
  return canOffer(request) ? { ...request, tools: [...request.tools, recallDefinition] } : request;
}

/** Whether a request of `withRecall` can get the tool. */
export function isRecallable({ tools }: Pick<ClientRequest, 'tools'>): boolean {
  return tools.at(-1) === recallDefinition;
}

/** Whether a request can get the tool: its calls can be taken out of the answer. */
function canOffer({ dialect, tools, member }: Pick<ClientRequest, 'dialect' | 'tools' | 'member'>): boolean {
  if (tools.length === 0 || tools.some(({ name }) => name === recallName)) return false;
  switch (dialect) {
    case 'anthropic': {
      const choice = member('tool_choice') ?? null;
      return choice === null || (isRecord(choice) && choice.type === 'auto');
    }
    case 'openai-chat':
      return isAuto(member('tool_choice')) && (member('n') ?? 1) === 1;
    case 'openai-responses':
      return isAuto(member('tool_choice')) && member('background') !== true;
    case 'gemini': {
      const config = member('toolConfig') ?? member('tool_config');
      const calling = isRecord(config) ? (config.functionCallingConfig ?? config.function_calling_config) : undefined;
      return !isRecord(calling) || calling.mode === undefined || calling.mode === 'AUTO';
    }
  }
}

function isAuto(choice: unknown): boolean {
  return choice === undefined || choice === null || choice === 'auto';
}

/**
 * The body with the tool as the last one; `undefined` where it has no list of tools.
 *
 * @example
 * const offered = offerRecall({ body, dialect: 'anthropic' });
 */
export function offerRecall({
  body,
  dialect,
}: {
  readonly body: Buffer;
  readonly dialect: Dialect;
}): Buffer | undefined {
  const [tool] = listOf(codecs[dialect].writeTools([recallDefinition]).tools);
  if (dialect === 'gemini') return declareLast({ body, tool });
  return tool === undefined ? undefined : insertLast({ body, member: 'tools', values: [tool as JsonObject] });
}

/** The member of a tool of Gemini that has the functions of the client. */
function declaring(tool: Json | undefined): 'functionDeclarations' | 'function_declarations' | undefined {
  return (['functionDeclarations', 'function_declarations'] as const).find(
    (name) => isRecord(tool) && Array.isArray(tool[name]),
  );
}

/** Gemini knows the functions of its first tool only (langchaingo#1245), so that a further tool would not be offered. */
function declareLast({ body, tool }: { readonly body: Buffer; readonly tool: Json | undefined }): Buffer | undefined {
  const span = readSpans({ bytes: body, itemsKey: 'tools' })?.members.get('tools');
  const tools = span && listOf(JSON.parse(body.toString('utf8', span.start, span.end)) as Json);
  const at = tools?.findIndex((each) => declaring(each) !== undefined) ?? -1;
  const [given, name] = [tools?.[at], declaring(tools?.[at])];
  const own = isRecord(tool) ? listOf(tool.functionDeclarations) : [];
  if (!span || !tools || !isRecord(given) || name === undefined || own.length === 0) return undefined;
  const declared = tools.with(at, { ...given, [name]: [...listOf(given[name]), ...own] });
  return Buffer.concat([body.subarray(0, span.start), Buffer.from(JSON.stringify(declared)), body.subarray(span.end)]);
}

/** The body with more values at the end of one of its lists. */
export function insertLast({
  body,
  member,
  values,
}: {
  readonly body: Buffer;
  readonly member: string;
  readonly values: readonly unknown[];
}): Buffer | undefined {
  const list = readSpans({ bytes: body, itemsKey: member });
  const span = list?.members.get(member);
  if (!span || list?.items === undefined) return undefined;
  const text = values.map((value) => JSON.stringify(value)).join(',');
  const separator = list.items.length > 0 && text !== '' ? ',' : '';
  const end = span.end - 1;
  return Buffer.concat([body.subarray(0, end), Buffer.from(separator + text), body.subarray(end)]);
}
