import { createServer } from 'node:http';
import type {
  AuthProvider,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { LonghaulError } from 'longhaul';
import { z } from 'zod';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { userFilePath } from '../settings/locations.ts';
import type { ConfiguredServer } from './config.ts';

const fileName = 'mcp-auth.json';

/** Registration and tokens by the address of the server. The library defines their members. */
const saved = z.record(
  z.string(),
  z.object({ client: z.looseObject({}).optional(), tokens: z.looseObject({}).optional() }),
);

interface Credentials {
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
}

/** Logins to MCP servers: a file of the user with mode 0600, never the log. */
export interface McpAuth {
  /** Options of a transport that sends the saved token and refreshes it; it never opens a browser. */
  readonly transportOptions: (of: {
    readonly server: ConfiguredServer;
    readonly url: string;
  }) => Promise<{ readonly authProvider?: AuthProvider | OAuthClientProvider }>;
  readonly isLoggedIn: (url: string) => Promise<boolean>;
  readonly logout: (url: string) => Promise<boolean>;
  /** The provider of an interactive login. */
  readonly provider: (of: {
    readonly url: string;
    readonly redirectUrl: string;
    readonly state: string;
    readonly onRedirect: (address: URL) => void;
  }) => OAuthClientProvider;
}

/**
 * Opens the saved logins.
 *
 * @example
 * const auth = openAuth({ io });
 * await auth.isLoggedIn('https://mcp.example.com/mcp');
 */
export function openAuth({ io }: { readonly io: Pick<Io, 'env' | 'home' | 'platform' | 'folder'> }): McpAuth {
  // Folders are written with mode 0600, whole or not at all.
  const files = io.folder(pathOf(io).dirname(userFilePath({ io })));
  return {
    async transportOptions({ server, url }) {
      const given = 'headers' in server.definition ? Object.keys(server.definition.headers) : [];
      if (given.some((name) => name.toLowerCase() === 'authorization')) return {};
      // Without a login the answer 401 is an error at once, instead of a registration that the user did not ask for.
      if (!(await read())[url]?.tokens) return { authProvider: { token: async () => undefined } };
      return {
        authProvider: providerOf({
          url,
          redirectUrl: 'http://127.0.0.1/callback',
          state: '',
          onRedirect: () => undefined,
        }),
      };
    },
    isLoggedIn: async (url) => (await read())[url]?.tokens !== undefined,
    async logout(url) {
      const { [url]: known, ...others } = await read();
      await write(others);
      return known !== undefined;
    },
    provider: providerOf,
  };

  function providerOf(of: Parameters<McpAuth['provider']>[0]): OAuthClientProvider {
    const { url, redirectUrl, state, onRedirect } = of;
    let verifier = '';
    let discovered: OAuthDiscoveryState | undefined;
    const change = async (next: Credentials) => {
      const all = await read();
      await write({ ...all, [url]: { ...all[url], ...next } });
    };
    return {
      redirectUrl,
      clientMetadata: {
        client_name: 'Longhaul',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      state: () => state,
      clientInformation: async () => (await read())[url]?.client,
      saveClientInformation: async (client) => await change({ client }),
      tokens: async () => (await read())[url]?.tokens,
      saveTokens: async (tokens) => await change({ tokens }),
      redirectToAuthorization: (address) => onRedirect(address),
      saveCodeVerifier: (text) => {
        verifier = text;
      },
      codeVerifier: () => verifier,
      // Binds the answer of the browser to the authorization server that was asked.
      saveDiscoveryState: (found) => {
        discovered = found;
      },
      discoveryState: () => discovered,
      async invalidateCredentials(scope) {
        if (scope === 'all' || scope === 'client') await change({ client: undefined });
        if (scope === 'all' || scope === 'tokens') await change({ tokens: undefined });
      },
    };
  }

  async function read(): Promise<Record<string, Credentials>> {
    const text = await files.read(fileName).catch(() => undefined);
    if (text === undefined) return {};
    try {
      // The library validates the members when it uses them.
      return saved.parse(JSON.parse(text)) as Record<string, Credentials>;
    } catch {
      return {};
    }
  }

  async function write(all: Record<string, Credentials>): Promise<void> {
    await files.write({ name: fileName, text: `${JSON.stringify(all, undefined, 2)}\n` });
  }
}

/** A login that the user does not finish ends after this time. Milliseconds. */
const patience = 5 * 60_000;

/**
 * Logs in to an HTTP server with OAuth: prints an address for the browser, waits for the redirect to a loopback port, and
 * saves the tokens.
 *
 * @example
 * await login({ io, auth, server, url: 'https://mcp.example.com/mcp', show: (address) => console.error(address), signal });
 */
export async function login({
  io,
  auth,
  url,
  show,
  signal,
}: {
  readonly io: Pick<Io, 'unique'>;
  readonly auth: McpAuth;
  readonly url: string;
  readonly show: (address: string) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const sdk = await import('@modelcontextprotocol/client');
  const state = `${io.unique()}${io.unique()}${io.unique()}`;
  const callback = await listenForCallback({ state, signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) });
  try {
    const redirectUrl = callback.url;
    // An earlier registration has the port of an earlier login.
    await auth.logout(url);
    const authProvider = auth.provider({ url, redirectUrl, state, onRedirect: (address) => show(address.href) });
    const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { authProvider });
    const client = new sdk.Client({ name: 'longhaul', version: '0' }, { versionNegotiation: { mode: 'auto' } });
    try {
      await client.connect(transport);
      throw noLoginNeeded(url);
    } catch (error) {
      if (!sdk.UnauthorizedError.isInstance(error)) throw error;
    } finally {
      await client.close().catch(() => undefined);
    }
    await transport.finishAuth(await callback.answer);
  } finally {
    callback.close();
  }
}

/** A loopback server that receives the redirect of the browser once. */
async function listenForCallback(of: { readonly state: string; readonly signal: AbortSignal }): Promise<{
  readonly url: string;
  readonly answer: Promise<URLSearchParams>;
  readonly close: () => void;
}> {
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  // The caller may fail before it waits for the answer.
  promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = pathname === '/callback' && searchParams.get('state') === of.state;
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(isOurs ? 'Done. You can close this window.\n' : 'Not found.\n');
    if (isOurs) resolve(searchParams);
  });
  of.signal.addEventListener('abort', () => reject(notFinished()), { once: true });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    answer: promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function noLoginNeeded(url: string): LonghaulError {
  return new LonghaulError({
    code: 'mcp-login',
    message: `${url} did not ask for a login.`,
    hint: 'Nothing to do: the server can be used as it is.',
  });
}

function notFinished(): LonghaulError {
  return new LonghaulError({
    code: 'mcp-login',
    message: 'The login was not finished in the browser.',
    hint: 'Run the command again and open the address that it prints.',
  });
}
