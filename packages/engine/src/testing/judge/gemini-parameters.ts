import { invalidArgument } from './gemini-error.ts';
import { isObject, type Json } from './json.ts';
import type { Finding } from './verdict.ts';

/** What the SDK sends beside `generationConfig`, for the Gemini API and for Vertex; the service takes snake case as well. */
const known = new Set([
  ...['model', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'safetySettings', 'generationConfig'],
  ...['cachedContent', 'labels', 'serviceTier', 'store', 'modelArmorConfig', 'continuationToken'],
  ...['automaticContinuation', 'generationOutputConfig', 'outputConfig', 'generateContentRequest'],
]);

/** What stands beside the contents. "Unknown name" is the real wording; that of the ranges is close, from memory. */
export function judgeParameters(body: Json): Finding {
  const path = Object.keys(body).find((key) => !known.has(camel(key)));
  if (path !== undefined)
    return invalidArgument({
      path,
      message: `Invalid JSON payload received. Unknown name "${path}": Cannot find field.`,
    });
  const config = body.generationConfig ?? body.generation_config;
  if (config === undefined || config === null) return undefined;
  if (!isObject(config))
    return invalidArgument({
      path: 'generationConfig',
      message: "Invalid value at 'generation_config' (type.googleapis.com/GenerationConfig)",
    });
  return (
    judgeRange({ value: config.temperature, camelName: 'temperature', name: 'temperature', max: 2 }) ??
    judgeRange({ value: config.topP ?? config.top_p, camelName: 'topP', name: 'top_p', max: 1 })
  );
}

function judgeRange({
  value,
  camelName,
  name,
  max,
}: {
  value: unknown;
  camelName: string;
  name: string;
  max: number;
}): Finding {
  if (typeof value !== 'number' || (value >= 0 && value <= max)) return undefined;
  return invalidArgument({
    path: `generationConfig.${camelName}`,
    message: `* GenerateContentRequest.generation_config.${name}: ${name} must be in the range [0.0, ${max}.0].\n`,
  });
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
