import type { Carry, Connection } from './carry.ts';
import { loadSdk } from './sdk.ts';

const name = '@anthropic-ai/sdk';

/** By Anthropic's SDK: headers, authentication, errors. A body that is a text goes out as it is. */
export function carryAnthropic({
  connection,
  load = () => import('@anthropic-ai/sdk'),
}: {
  readonly connection: Connection;
  readonly load?: () => Promise<typeof import('@anthropic-ai/sdk')>;
}): Carry {
  const { baseUrl, apiKey, authToken, headers, fetch, patience } = connection;
  let client: ReturnType<typeof connect> | undefined;
  return async ({ text, headers: more, signal }) => {
    client ??= connect();
    const sdk = await client;
    return sdk
      .post('/v1/messages', {
        body: text,
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...more },
        signal,
        stream: true,
      })
      .asResponse();
  };

  async function connect() {
    const { default: Anthropic } = await loadSdk({ name, load });
    // A gateway may ask for no key; the SDK wants one all the same, and must not look for it by itself.
    const key = apiKey ?? (authToken === undefined ? 'none' : null);
    return new Anthropic({
      ...{ baseURL: baseUrl, apiKey: key, authToken: authToken ?? null, defaultHeaders: { ...headers } },
      ...{ fetch, timeout: patience, maxRetries: 0, logLevel: 'off' },
    });
  }
}
