import type { Io, ProcessEnvironment } from '../io/io.ts';

/** The providers whose protocols the gateway speaks. */
export type Provider = 'anthropic' | 'openai' | 'gemini';

/** An address that a client sends its requests to when there is no gateway. */
export interface Endpoint {
  /** The client's name for it; unique among the endpoints of one client. */
  readonly name: string;
  readonly provider: Provider;
  /** As the client would be configured with it, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
}

/** What a client is started with. */
interface ClientLaunch {
  /** Variables in addition to the environment. */
  readonly env: ProcessEnvironment;
  /** Arguments before those of the user. */
  readonly args: readonly string[];
  /** The arguments of the user, if one of them had to be replaced. */
  readonly userArgs?: readonly string[];
}

/** How a client is led to the gateway. */
export interface ClientPlan {
  /** Empty if the client is configured for something that the gateway cannot serve. */
  readonly endpoints: readonly Endpoint[];
  /** Printed before the client starts, one line each. */
  readonly notes: readonly string[];
  /** What the client needs, given the address of each endpoint at the gateway. */
  readonly launch: (input: LaunchInput) => Promise<ClientLaunch>;
}

interface LaunchInput {
  /** The endpoint's base URL at the gateway. */
  readonly baseUrl: (endpoint: Endpoint) => string;
  /** Writes a file for the client into a temporary folder that is removed when the client ends; returns its path. */
  readonly file: (input: { readonly name: string; readonly text: string }) => Promise<string>;
}

/** What a plan is made from. Nothing of the client is changed. */
export interface ClientSetup {
  readonly env: ProcessEnvironment;
  readonly args: readonly string[];
  readonly home: string;
  readonly cwd: string;
  /** The text of a file; `undefined` if it cannot be read. */
  readonly read: (...path: readonly string[]) => Promise<string | undefined>;
}

/** A client that `longhaul wrap` knows. */
export interface KnownClient {
  /** As typed: `longhaul wrap NAME`. It is also the program that is started. */
  readonly name: string;
  readonly title: string;
  readonly plan: (setup: ClientSetup) => Promise<ClientPlan>;
}

/** The default addresses. */
export const providerUrls: Readonly<Record<Provider, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  gemini: 'https://generativelanguage.googleapis.com',
};

/**
 * The setup of a client in the environment of this process.
 *
 * @example
 * const plan = await client.plan(setupOf({ io, args: ['-p', 'hi'] }));
 */
export function setupOf({ io, args }: { readonly io: Io; readonly args: readonly string[] }): ClientSetup {
  return {
    env: io.env,
    args,
    home: io.home,
    cwd: io.cwd,
    read: async (...path) => {
      try {
        const chunks: Uint8Array[] = [];
        for await (const chunk of io.files.read(path.join('/'))) chunks.push(chunk);
        return Buffer.concat(chunks).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
