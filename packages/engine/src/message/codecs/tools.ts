import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { ToolDefinition } from '../message.ts';

/**
 * Reads the tools that a client offers. `functionOf` finds name, description and schema inside one entry; a provider's
 * own server-side tools have none of these and are passed over.
 */
export function readTools(input: {
  readonly tools: Json | undefined;
  readonly functionOf: (tool: JsonObject) => { readonly definition: Json | undefined; readonly schemaKey: string };
}): ToolDefinition[] {
  if (!isArray(input.tools)) return [];
  return input.tools.flatMap((tool): ToolDefinition[] => {
    if (!isObject(tool)) return [];
    const { definition, schemaKey } = input.functionOf(tool);
    if (!isObject(definition) || typeof definition.name !== 'string') return [];
    const { name, description } = definition;
    const schema = definition[schemaKey];
    const inputSchema = isObject(schema) ? schema : { type: 'object', properties: {} };
    return [{ name, ...(typeof description === 'string' && { description }), inputSchema }];
  });
}

/** One tool under the names of a dialect; the members of the schema keep their order. */
export function writeTool(tool: ToolDefinition, schemaKey: string): JsonObject {
  const { name, description, inputSchema } = tool;
  return { name, ...(description !== undefined && { description }), [schemaKey]: inputSchema };
}
