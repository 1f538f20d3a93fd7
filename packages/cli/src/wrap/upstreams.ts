import { LonghaulError } from 'longhaul';
import type { ClientPlan, Endpoint } from './client.ts';

/** The upstreams of a gateway by name, and where a client finds each. */
export interface UpstreamTable {
  readonly upstreams: Readonly<Record<string, string>>;
  /** The base URL of an endpoint at a gateway. */
  readonly baseUrl: (input: { readonly gateway: string; readonly endpoint: Endpoint }) => string;
}

/**
 * Gives each endpoint of a client an upstream of its own, so that one gateway can serve a client with many providers.
 *
 * @example
 * const table = upstreamTable({ plan, overrides: [] });
 * table.baseUrl({ gateway: 'http://127.0.0.1:4141', endpoint }); // 'http://127.0.0.1:4141/openai/v1'
 */
export function upstreamTable({
  plan,
  overrides,
}: {
  readonly plan: ClientPlan;
  /** Each `NAME=URL`: an endpoint or provider, and the address to use in place of its own. */
  readonly overrides: readonly string[];
}): UpstreamTable {
  const replaced = new Map(overrides.map(readOverride));
  const unknown = [...replaced.keys()].find(
    (name) => !plan.endpoints.some((endpoint) => endpoint.name === name || endpoint.provider === name),
  );
  if (unknown !== undefined) throw unknownEndpoint({ name: unknown, plan });
  const entries = plan.endpoints.map((endpoint, at) => {
    const url = replaced.get(endpoint.name) ?? replaced.get(endpoint.provider) ?? endpoint.baseUrl;
    return { endpoint, url, name: pathName({ endpoint, at }) };
  });
  return {
    upstreams: Object.fromEntries(entries.map(({ name, url }) => [name, url])),
    baseUrl: ({ gateway, endpoint }) => {
      const entry = entries.find((one) => one.endpoint.name === endpoint.name);
      // The version stays in the path, because some clients look for it.
      const version = /\/v\d+(?:beta|alpha)?(?=\/?$)/.exec(entry?.url ?? '')?.[0] ?? '';
      return `${gateway}/${entry?.name ?? ''}${version}`;
    },
  };
}

/** A name that can be a part of a path and is not a route of the gateway. */
function pathName({ endpoint: { name }, at }: { readonly endpoint: Endpoint; readonly at: number }): string {
  return /^[\w.-]+$/.test(name) && !/^(?:t|longhaul|v\d.*)$/.test(name) && !/^\.+$/.test(name)
    ? name
    : `upstream-${at + 1}`;
}

function readOverride(text: string): [string, string] {
  const [, name = '', url = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return [name, url];
  throw new LonghaulError({
    code: 'bad-usage',
    message: `--upstream ${JSON.stringify(text)} is not an address.`,
    hint: 'Write it as NAME=URL, e.g. --upstream anthropic=https://api.anthropic.com.',
  });
}

function unknownEndpoint({ name, plan }: { readonly name: string; readonly plan: ClientPlan }): LonghaulError {
  const names = [...new Set(plan.endpoints.flatMap((endpoint) => [endpoint.name, endpoint.provider]))];
  return new LonghaulError({
    code: 'bad-usage',
    message: `The client has no provider "${name}".`,
    hint: `Known for this client: ${names.join(', ')}.`,
  });
}
