import { invalidArgument } from './gemini-error.ts';
import { badName, field, functionName } from './gemini-parts.ts';
import { isArray, isObject, type Json } from './json.ts';
import type { Finding } from './verdict.ts';

/** Function declarations: a legal name each, and each name once. */
export function judgeTools(body: Json): Finding {
  if (body.tools === undefined) return undefined;
  if (!isArray(body.tools)) return invalidArgument({ path: 'tools', message: "Invalid value at 'tools'" });
  const names = new Set<string>();
  for (const [at, tool] of body.tools.entries()) {
    const declarations = isObject(tool) ? field({ value: tool, name: 'functionDeclarations' }) : undefined;
    for (const [index, declaration] of (isArray(declarations) ? declarations : []).entries()) {
      const path = `tools[${at}].functionDeclarations[${index}]`;
      const name = `GenerateContentRequest.tools[${at}].function_declarations[${index}].name`;
      if (!isObject(declaration) || typeof declaration.name !== 'string' || !functionName.test(declaration.name))
        return badName({ path, name });
      if (names.has(declaration.name))
        return invalidArgument({ path, message: `Duplicate function declaration found: ${declaration.name}` });
      names.add(declaration.name);
    }
  }
  return undefined;
}
