import { isArray, isObject, type JsonObject } from '../../../json.ts';
import type { Codec } from '../codec.ts';
import { readTools, writeTool } from '../tools.ts';
import { createCallNames } from './call-names.ts';
import { decodeItems, decodePart } from './decode.ts';
import { encodeItems, encodeParts } from './encode.ts';

const dialect = 'gemini';

/** Google's generateContent: `{ systemInstruction, contents: [{ role, parts }] }`. */
export const gemini: Codec = {
  dialect,
  itemsKey: 'contents',
  decode: decodeItems,
  encode: encodeItems,

  readHead: ({ systemInstruction }) => {
    if (!isObject(systemInstruction) || !isArray(systemInstruction.parts)) return [];
    const { parts, ...fields } = systemInstruction;
    const names = createCallNames();
    return [
      {
        role: 'system',
        parts: parts.map((part, index) => decodePart({ part, role: 'system', names, index })),
        wire: { dialect, fields },
      },
    ];
  },

  writeHead: (head) => {
    const parts = head.flatMap((message) => {
      const native = { ...message, wire: { dialect } } as const;
      return encodeParts({ message: native, names: new Map(), isFirstOfTurn: false });
    });
    const fields = head[0]?.wire?.dialect === dialect ? head[0].wire.fields : undefined;
    return { members: parts.length > 0 ? { systemInstruction: { ...fields, parts } } : {}, items: [] };
  },

  readTools: ({ tools }) =>
    (isArray(tools) ? tools : []).flatMap((group) =>
      readTools({
        tools: isObject(group) ? group.functionDeclarations : undefined,
        functionOf: (tool) => ({
          definition: tool,
          schemaKey: tool.parametersJsonSchema === undefined ? 'parameters' : 'parametersJsonSchema',
        }),
      }),
    ),

  writeTools: (tools): JsonObject => ({
    tools: [{ functionDeclarations: tools.map((tool) => writeTool(tool, 'parametersJsonSchema')) }],
  }),
};
