import type { Carry, Connection } from './dispatch.ts';
import { unset } from './headers.ts';
import { carryBy, loadSdk, sdkMargin } from './sdk.ts';

/** By OpenAI's SDK, for its own service and for every compatible one. */
export function carryOpenAI({
  connection,
  path,
  load = () => import('openai'),
}: {
  readonly connection: Connection;
  readonly path: '/chat/completions' | '/responses';
  readonly load?: () => Promise<typeof import('openai')>;
}): Carry {
  const { baseUrl, apiKey, headers, fetch, limits } = connection;
  return carryBy({
    path,
    headers,
    async connect() {
      const { default: OpenAI } = await loadSdk({ name: 'openai', load });
      return new OpenAI({
        // Local servers ask for no key; the SDK wants one all the same.
        ...{ baseURL: baseUrl, apiKey: apiKey ?? 'none' },
        ...{ organization: null, project: null, adminAPIKey: null },
        defaultHeaders: unset(process.env.OPENAI_CUSTOM_HEADERS),
        ...{ fetch, timeout: limits.headMs + sdkMargin, maxRetries: 0, logLevel: 'off' },
      });
    },
  });
}
