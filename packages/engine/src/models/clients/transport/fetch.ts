import { boundedFetch } from '../../wire/bounded-fetch.ts';
import { type WireLimits, wireLimits } from '../../wire/limits.ts';
import type { EnvironmentVariables } from '../settings.ts';

/**
 * A bounded `fetch` with its own connections, since those of Node give up after five minutes. Remote services are reached
 * through the proxy that the environment names, servers on this machine never are. Loaded when it is first used.
 */
export function createFetch({
  place,
  env = {},
  limits = wireLimits[place],
}: {
  readonly place: keyof typeof wireLimits;
  readonly env?: EnvironmentVariables;
  readonly limits?: WireLimits;
}): typeof fetch {
  let opened: Promise<typeof fetch> | undefined;
  const send: typeof fetch = async (input, init) => {
    opened ??= open();
    return (await opened)(input, init);
  };
  return boundedFetch({ fetch: send, limits });

  async function open(): Promise<typeof fetch> {
    const { Agent, EnvHttpProxyAgent, fetch: carry } = await import('undici');
    const waits = { headersTimeout: limits.headMs, bodyTimeout: limits.idleMs };
    const proxies = place === 'local' ? undefined : proxiesOf(env);
    const dispatcher = proxies ? new EnvHttpProxyAgent({ ...waits, ...proxies }) : new Agent(waits);
    type Init = Parameters<typeof carry>[1];
    // Two declarations of one standard: the types differ, the values do not.
    return async (input, init) =>
      (await carry(input as Parameters<typeof carry>[0], { ...(init as Init), dispatcher })) as unknown as Response;
  }
}

/** The agent reads the process's own environment for what it is not given, so it is given all or not used. */
function proxiesOf(env: EnvironmentVariables) {
  const of = (name: string) => env[name] ?? env[name.toUpperCase()] ?? '';
  const [httpProxy, httpsProxy, noProxy] = [of('http_proxy'), of('https_proxy'), of('no_proxy')];
  return httpProxy === '' && httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy };
}
