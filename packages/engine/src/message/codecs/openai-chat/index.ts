import type { Json, JsonObject } from '../../../json.ts';
import type { Message } from '../../message.ts';
import type { Codec } from '../codec.ts';
import { readTools, writeTool } from '../tools.ts';
import { decodeItem } from './decode.ts';
import { encodeItems } from './encode.ts';

/** OpenAI's Chat Completions, and every server that speaks it: `{ messages: [{ role, content, tool_calls }] }`. */
export const openaiChat: Codec = {
  dialect: 'openai-chat',
  itemsKey: 'messages',
  decode: (items) => (items as readonly Json[]).map(decodeItem),
  encode: encodeItems,

  // The head lives in the list itself, as its leading system messages: `readConversation` splits it off.
  readHead: (): Message[] => [],
  writeHead: (head) => ({ members: {}, items: encodeItems(head) }),

  readTools: ({ tools }) =>
    readTools({ tools, functionOf: (tool) => ({ definition: tool.function, schemaKey: 'parameters' }) }),

  writeTools: (tools): JsonObject => ({
    tools: tools.map((tool) => ({ type: 'function', function: writeTool(tool, 'parameters') })),
  }),
};
