import type { Dialect } from '../judge/index.ts';
import type { WireError } from './wire-error.ts';

/** What a provider says of a request whose key is missing (`key` undefined) or wrong. */
export function keyError({ dialect, key }: { dialect: Dialect; key: string | undefined }): WireError {
  if (dialect === 'anthropic')
    return {
      status: 401,
      type: 'authentication_error',
      message: key === undefined ? 'x-api-key header is required' : 'invalid x-api-key',
    };
  if (dialect === 'gemini') return key === undefined ? geminiMissing : geminiWrong;
  return key === undefined
    ? {
        status: 401,
        type: 'invalid_request_error',
        message:
          "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      }
    : {
        status: 401,
        type: 'invalid_request_error',
        code: 'invalid_api_key',
        message:
          'Incorrect API key provided: ***. You can find your API key at https://platform.openai.com/account/api-keys.',
      };
}

const geminiMissing: WireError = {
  status: 403,
  type: 'PERMISSION_DENIED',
  message:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
};

const geminiWrong: WireError = {
  status: 400,
  type: 'INVALID_ARGUMENT',
  message: 'API key not valid. Please pass a valid API key.',
  details: [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
  ],
};
