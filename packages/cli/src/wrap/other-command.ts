import { LonghaulError } from 'longhaul';
import { type ClientPlan, type ClientSetup, type Endpoint, type Provider, providerUrls } from './client.ts';

/** The variables that the providers' SDKs read. */
const knownVariables: Readonly<Record<string, Provider>> = {
  ANTHROPIC_BASE_URL: 'anthropic',
  OPENAI_BASE_URL: 'openai',
  OPENAI_API_BASE: 'openai',
  GOOGLE_GEMINI_BASE_URL: 'gemini',
};

/** A variable of a command, and the endpoint that its value leads to. */
interface Variable {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** The value, with a placeholder for the address; without one it is the address. */
  readonly template: string | undefined;
}

/**
 * The plan for a command that is not in the table of clients: variables that hold the address of the gateway. What such a
 * variable held before is the upstream.
 *
 * @example
 * commandPlan({ setup, variables: ['MY_LLM_URL={openai}'] });
 */
export function commandPlan({
  setup,
  variables,
}: {
  readonly setup: ClientSetup;
  /** Each `NAME` or `NAME=VALUE`; `{anthropic}`, `{openai}` and `{gemini}` in a value are the addresses. */
  readonly variables: readonly string[];
}): ClientPlan {
  const wanted = (variables.length > 0 ? variables : Object.keys(knownVariables)).map((text) => read({ text, setup }));
  const plain = wanted.flatMap((one) => ('endpoint' in one ? [] : [[one.name, one.value] as const]));
  const led = wanted.filter((one) => 'endpoint' in one);
  return {
    endpoints: unique(led.map(({ endpoint }) => endpoint)),
    notes: [],
    launch: async ({ baseUrl }) => ({
      args: [],
      env: Object.fromEntries([
        ...plain,
        ...led.map(({ name, endpoint, template }) => [
          name,
          (template ?? `{${endpoint.provider}}`).replace(/\{(anthropic|openai|gemini)\}/g, () => baseUrl(endpoint)),
        ]),
      ]),
    }),
  };
}

function read({
  text,
  setup: { env },
}: {
  readonly text: string;
  readonly setup: ClientSetup;
}): Variable | { readonly name: string; readonly value: string } {
  const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined)
    throw new LonghaulError({
      code: 'bad-usage',
      message: `--env ${JSON.stringify(text)} is not a variable.`,
      hint: 'Write --env NAME or --env NAME=VALUE, e.g. --env OPENAI_BASE_URL={openai}.',
    });
  const named = /\{(anthropic|openai|gemini)\}/.exec(value ?? '')?.[1];
  if (value !== undefined && named === undefined) return { name, value };
  const provider = (named as Provider | undefined) ?? providerByName(name);
  // A client may prefer a variable that is not set to the one that is: both lead to the configured address.
  const siblings = Object.keys(knownVariables).filter((each) => knownVariables[each] === provider);
  const set = [name, ...siblings].find((each) => isAddress(env[each]));
  return {
    name,
    template: value,
    // Two variables may lead to different upstreams of the same kind.
    endpoint:
      set === undefined
        ? { name: provider, provider, baseUrl: providerUrls[provider] }
        : { name: `${provider}-${set}`, provider, baseUrl: env[set] ?? '' },
  };
}

function isAddress(value: string | undefined): boolean {
  return value !== undefined && /^https?:/.test(value) && URL.canParse(value);
}

function providerByName(variable: string): Provider {
  const known = knownVariables[variable];
  if (known) return known;
  if (/ANTHROPIC|CLAUDE/i.test(variable)) return 'anthropic';
  return /GEMINI|GOOGLE/i.test(variable) ? 'gemini' : 'openai';
}

function unique(endpoints: readonly Endpoint[]): Endpoint[] {
  return [...new Map(endpoints.map((endpoint) => [endpoint.name, endpoint])).values()];
}
