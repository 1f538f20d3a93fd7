import type { JudgeFinding } from './findings.ts';
import { isArray, type JsonRecord } from './json.ts';
import { refuse, wrongType } from './openai-error.ts';

/** A number within its bounds; absent and null mean the default. The wording is that of real errors, from memory. */
export function judgeNumber({
  body,
  path,
  min,
  max = Number.POSITIVE_INFINITY,
  kind = 'decimal',
}: {
  body: JsonRecord;
  path: string;
  min: number;
  max?: number;
  kind?: 'decimal' | 'integer';
}): JudgeFinding {
  const value = body[path];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || (kind === 'integer' && !Number.isInteger(value)))
    return wrongType({ path, expected: kind === 'integer' ? 'an integer' : 'a decimal', value });
  if (value < min)
    return refuse({
      path,
      message: `Invalid '${path}': ${kind} below minimum value. Expected a value >= ${min}, but got ${value} instead.`,
      code: `${kind}_below_min_value`,
    });
  if (value > max)
    return refuse({
      path,
      message: `Invalid '${path}': ${kind} above maximum value. Expected a value <= ${max}, but got ${value} instead.`,
      code: `${kind}_above_max_value`,
    });
  return undefined;
}

/** A list with a maximum length. */
export function judgeLength({ body, path, limit }: { body: JsonRecord; path: string; limit: number }): JudgeFinding {
  const value = body[path];
  if (!isArray(value) || value.length <= limit) return undefined;
  return refuse({
    path,
    message: `Invalid '${path}': array too long. Expected an array with maximum length ${limit}, but got an array with length ${value.length} instead.`,
    code: 'array_above_max_length',
  });
}

/** "Only set this when you set `stream: true`" (SDK doc of both endpoints). */
export function judgeStreamOptions({ stream, stream_options: options }: JsonRecord): JudgeFinding {
  if (options === undefined || options === null || stream === true) return undefined;
  return refuse({
    path: 'stream_options',
    message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  });
}
