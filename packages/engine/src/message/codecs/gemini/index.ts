import { isArray, isObject, type Json, type JsonObject } from '../../../json.ts';
import type { Codec } from '../codec.ts';
import { readTools, writeTool } from '../tools.ts';
import { assemble } from '../wire.ts';
import { createCallNames } from './call-names.ts';
import { decodeItems, decodePart } from './decode.ts';
import { encodeItems, encodeParts } from './encode.ts';
import { quietSchema } from './spelling.ts';

const dialect = 'gemini';

/** Google's generateContent: `{ systemInstruction, contents: [{ role, parts }] }`. */
export const gemini: Codec = {
  dialect,
  itemsKey: 'contents',
  decode: (items) => decodeItems(items as readonly Json[]),
  encode: encodeItems,

  readHead: (body) => {
    const isSnake = body.systemInstruction === undefined;
    const instruction = isSnake ? body.system_instruction : body.systemInstruction;
    if (!isObject(instruction) || !isArray(instruction.parts)) return [];
    const { parts, ...fields } = instruction;
    const names = createCallNames();
    const decoded = parts.map((part, index) => decodePart({ part, role: 'system', names, index }));
    return [{ role: 'system', parts: decoded, wire: { dialect, fields, ...(isSnake && { form: 'snake' }) } }];
  },

  writeHead: (head) => {
    const parts = head.flatMap((message) => {
      const native = { ...message, wire: { dialect } } as const;
      return encodeParts({ message: native, names: new Map(), mayLackSignature: true });
    });
    const wire = head[0]?.wire?.dialect === dialect ? head[0].wire : undefined;
    const key = wire?.form === 'snake' ? 'system_instruction' : 'systemInstruction';
    return { members: parts.length > 0 ? { [key]: assemble({ parts }, wire) } : {}, items: [] };
  },

  readTools: ({ tools }) =>
    (isArray(tools) ? tools : []).flatMap((group) =>
      readTools({
        tools: isObject(group) ? (group.functionDeclarations ?? group.function_declarations) : undefined,
        functionOf: (tool) => {
          const schema = tool.parametersJsonSchema ?? tool.parameters_json_schema ?? quietSchema(tool.parameters);
          return { definition: { ...tool, schema }, schemaKey: 'schema' };
        },
      }),
    ),

  writeTools: (tools): JsonObject => ({
    tools: [{ functionDeclarations: tools.map((tool) => writeTool(tool, 'parametersJsonSchema')) }],
  }),
};
