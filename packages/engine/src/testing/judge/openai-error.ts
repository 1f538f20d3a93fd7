import type { Illegal } from './findings.ts';

/** OpenAI's 400: `{"error":{"message","type":"invalid_request_error","param","code"}}`. */
export function refuse({
  path,
  message,
  param = path,
  code,
  status = 400,
}: {
  path: string;
  message: string;
  param?: string;
  code?: string;
  status?: number;
}): Illegal {
  return {
    legal: false,
    status,
    type: 'invalid_request_error',
    message,
    path,
    ...(param === '' ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  };
}

export function missing(path: string): Illegal {
  return refuse({ path, message: `Missing required parameter: '${path}'.`, code: 'missing_required_parameter' });
}

export function wrongType({ path, expected, value }: { path: string; expected: string; value: unknown }): Illegal {
  return refuse({
    path,
    message: `Invalid type for '${path}': expected ${expected}, but got ${nameOfType(value)} instead.`,
    code: 'invalid_type',
  });
}

export function unsupported({
  path,
  value,
  values,
}: {
  path: string;
  value: unknown;
  values: readonly string[];
}): Illegal {
  const quoted = values.map((each) => `'${each}'`);
  const list = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}` : quoted.join('');
  return refuse({
    path,
    message: `Invalid value: '${String(value)}'. Supported values are: ${list}.`,
    code: 'invalid_value',
  });
}

export function emptyArray(path: string): Illegal {
  return refuse({
    path,
    message: `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    code: 'empty_array',
  });
}

export function tooLong({ path, limit, length }: { path: string; limit: number; length: number }): Illegal {
  return refuse({
    path,
    message: `Invalid '${path}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`,
    code: 'string_above_max_length',
  });
}

export function wrongPattern({ path, pattern }: { path: string; pattern: string }): Illegal {
  return refuse({
    path,
    message: `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
    code: 'invalid_value',
  });
}

/** The error of both OpenAI endpoints for a body that is not valid JSON, including lone surrogates. */
export function unparsable(path: string): Illegal {
  return refuse({
    path,
    param: '',
    message:
      'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
  });
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number';
  return `a ${typeof value}`;
}
