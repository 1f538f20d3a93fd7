import type { Environment } from '../settings.ts';

/** Minutes in milliseconds. */
const minutes = 60_000;

/**
 * How long to wait for the head of an answer and between two pieces of it. A local server reads a long prompt before it
 * says anything, on a small machine for a long time; a service far away that is silent for long is gone.
 */
export const patience = {
  local: { head: 60 * minutes, body: 30 * minutes },
  remote: { head: 15 * minutes, body: 10 * minutes },
} as const;

/**
 * A `fetch` with connections of its own, since Node's gives up after five minutes. Services far away are reached through
 * the proxy that the environment names, servers on this machine never are. Loaded when it is first used.
 */
export function createFetch({
  place,
  env = {},
}: {
  readonly place: keyof typeof patience;
  readonly env?: Environment;
}): typeof fetch {
  let opened: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    opened ??= open();
    return (await opened)(input, init);
  };

  async function open(): Promise<typeof fetch> {
    const { Agent, EnvHttpProxyAgent, fetch: carry } = await import('undici');
    const { head, body } = patience[place];
    const waits = { headersTimeout: head, bodyTimeout: body };
    const proxies = place === 'local' ? undefined : proxiesOf(env);
    const dispatcher = proxies ? new EnvHttpProxyAgent({ ...waits, ...proxies }) : new Agent(waits);
    type Init = Parameters<typeof carry>[1];
    // Two declarations of one standard: the types differ, the values do not.
    return async (input, init) =>
      (await carry(input as Parameters<typeof carry>[0], { ...(init as Init), dispatcher })) as unknown as Response;
  }
}

/** The agent reads the process's own environment for what it is not given, so it is given all or not used. */
function proxiesOf(env: Environment) {
  const of = (name: string) => env[name] ?? env[name.toUpperCase()] ?? '';
  const [httpProxy, httpsProxy, noProxy] = [of('http_proxy'), of('https_proxy'), of('no_proxy')];
  return httpProxy === '' && httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy };
}
