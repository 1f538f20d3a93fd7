import type { Carry, Connection } from './carry.ts';
import { loadSdk } from './sdk.ts';

const name = 'openai';

/** By OpenAI's SDK, for its own service and for every compatible one. A body that is a text goes out as it is. */
export function carryOpenAI({
  connection,
  path,
  load = () => import('openai'),
}: {
  readonly connection: Connection;
  readonly path: '/chat/completions' | '/responses';
  readonly load?: () => Promise<typeof import('openai')>;
}): Carry {
  const { baseUrl, apiKey, headers, fetch, patience } = connection;
  let client: ReturnType<typeof connect> | undefined;
  return async ({ text, headers: more, signal }) => {
    client ??= connect();
    const sdk = await client;
    return sdk
      .post(path, {
        body: text,
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...more },
        signal,
        stream: true,
      })
      .asResponse();
  };

  async function connect() {
    const { default: OpenAI } = await loadSdk({ name, load });
    return new OpenAI({
      // Local servers ask for no key; the SDK wants one all the same.
      ...{ baseURL: baseUrl, apiKey: apiKey ?? 'none', defaultHeaders: { ...headers } },
      ...{ fetch, timeout: patience, maxRetries: 0, logLevel: 'off' },
    });
  }
}
