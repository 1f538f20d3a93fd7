import type { Carry, Connection } from './dispatch.ts';
import { unset } from './headers.ts';
import { carryBy, loadSdk, sdkMargin } from './sdk.ts';

/** By Anthropic's SDK. */
export function carryAnthropic({
  connection,
  load = () => import('@anthropic-ai/sdk'),
}: {
  readonly connection: Connection;
  readonly load?: () => Promise<typeof import('@anthropic-ai/sdk')>;
}): Carry {
  const { baseUrl, apiKey, authToken, headers, fetch, limits } = connection;
  return carryBy({
    path: '/v1/messages',
    headers,
    async connect() {
      const { default: Anthropic } = await loadSdk({ name: '@anthropic-ai/sdk', load });
      // A gateway may ask for no key; the SDK wants one all the same, and must not look for it by itself.
      const key = apiKey ?? (authToken === undefined ? 'none' : null);
      return new Anthropic({
        // Other SDKs want the version in the address, so it is often there.
        ...{ baseURL: baseUrl.replace(/\/v1$/, ''), apiKey: key, authToken: authToken ?? null },
        defaultHeaders: unset(process.env.ANTHROPIC_CUSTOM_HEADERS),
        ...{ fetch, timeout: limits.headMs + sdkMargin, maxRetries: 0, logLevel: 'off' },
      });
    },
  });
}
