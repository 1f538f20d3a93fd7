import type { Json, JsonObject } from '../../../json.ts';
import type { Codec } from '../codec.ts';
import { readTools, writeTool } from '../tools.ts';
import { decodeItem } from './decode.ts';
import { encodeItems } from './encode.ts';

const dialect = 'openai-responses';

/** OpenAI's Responses API: `{ instructions, input: [items] }`. */
export const openaiResponses: Codec = {
  dialect,
  itemsKey: 'input',
  decode: (items) => (items as readonly Json[]).map(decodeItem),
  encode: encodeItems,

  readHead: ({ instructions }) => {
    if (typeof instructions !== 'string') return [];
    const text = { type: 'text', origin: 'engine', text: instructions } as const;
    return [{ role: 'system', parts: [text], wire: { dialect, form: 'instructions' } }];
  },

  writeHead: (head) => {
    const texts = head.flatMap((message) => message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
    return { members: texts.length > 0 ? { instructions: texts.join('\n\n') } : {}, items: [] };
  },

  readTools: ({ tools }) =>
    readTools({
      tools,
      functionOf: (tool) => ({ definition: tool.type === 'function' ? tool : undefined, schemaKey: 'parameters' }),
    }),

  writeTools: (tools): JsonObject => ({
    tools: tools.map((tool) => ({ type: 'function', ...writeTool(tool, 'parameters') })),
  }),
};
