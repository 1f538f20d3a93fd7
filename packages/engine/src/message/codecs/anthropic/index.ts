import { isArray, isObject, type Json, type JsonObject } from '../../../json.ts';
import type { Message } from '../../message.ts';
import type { Codec } from '../codec.ts';
import { readTools, writeTool } from '../tools.ts';
import { assemble, writeCache } from '../wire.ts';
import { decodeBlock, decodeItem } from './decode.ts';
import { encodeBlocks, encodeItems } from './encode.ts';

const dialect = 'anthropic';

/** Anthropic's Messages API: `{ system, messages: [{ role, content }] }`. */
export const anthropic: Codec = {
  dialect,
  itemsKey: 'messages',
  decode: (items) => (items as readonly Json[]).map(decodeItem),
  encode: encodeItems,

  readHead: ({ system }) => {
    if (typeof system === 'string') {
      const text = { type: 'text', origin: 'engine', text: system } as const;
      return [{ role: 'system', parts: [text], wire: { dialect, form: 'string' } }];
    }
    if (!isArray(system)) return [];
    return [{ role: 'system', parts: system.map((block) => decodeBlock(block, 'system')), wire: { dialect } }];
  },

  writeHead: (head) => {
    const [only, ...others] = head;
    const [part] = only?.parts ?? [];
    if (only?.wire?.form === 'string' && others.length === 0 && part?.type === 'text' && !part.cache) {
      return { members: { system: part.text }, items: [] };
    }
    const blocks = head.flatMap((message) => encodeBlocks(asNative(message)));
    return { members: blocks.length > 0 || only?.wire ? { system: blocks } : {}, items: [] };
  },

  readTools: ({ tools }) =>
    readTools({
      tools,
      functionOf: (tool) => ({ definition: isObject(tool.input_schema) ? tool : undefined, schemaKey: 'input_schema' }),
    }),

  writeTools: (tools): JsonObject => ({
    tools: tools.map((tool) => assemble({ ...writeTool(tool, 'input_schema'), cache_control: writeCache(tool.cache) })),
  }),
};

/** In the head a system message is itself, wherever it came from; only inside the list does it need a disguise. */
function asNative(message: Message): Message {
  return isObject(message.wire) && message.wire.dialect === dialect ? message : { ...message, wire: { dialect } };
}
