import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { login, openAuth } from './auth.ts';

/** An MCP server that demands a login, and the authorization server that gives it. */
async function protectedServer(): Promise<string> {
  let base = '';
  const answerTo = (pathname: string, body: string): readonly [number, object] => {
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return [200, { resource: `${base}/mcp`, authorization_servers: [base] }];
    if (pathname.startsWith('/.well-known/'))
      return [
        200,
        {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        },
      ];
    if (pathname === '/register') return [201, { ...JSON.parse(body), client_id: 'client-1' }];
    if (pathname === '/token' && body.includes('code=secret-code') && body.includes('code_verifier='))
      return [200, { access_token: 'token-1', token_type: 'Bearer', refresh_token: 'refresh-1', expires_in: 3600 }];
    return pathname === '/token' ? [400, { error: 'invalid_grant' }] : [401, { error: 'unauthorized' }];
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => {
      body += data.toString();
    });
    request.on('end', () => {
      const [status, value] = answerTo(new URL(request.url ?? '/', base).pathname, body);
      const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
      if (status === 401) response.setHeader('www-authenticate', `Bearer resource_metadata="${metadata}"`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return `${base}/mcp`;
}

test('a login saves tokens in the configuration of the user, and only the right answer of the browser counts', async () => {
  const url = await protectedServer();
  const io = { ...memoryIo(), unique: () => 'state' };
  const auth = openAuth({ io });
  const statuses: number[] = [];
  /** What a browser does after the user has agreed; first an answer with a forged state. */
  const show = async (address: string) => {
    const { searchParams } = new URL(address);
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code: 'forged', state: 'wrong' }).toString();
    statuses.push((await fetch(back)).status);
    back.search = new URLSearchParams({ code: 'secret-code', state: searchParams.get('state') ?? '' }).toString();
    statuses.push((await fetch(back)).status);
  };
  await login({ io, auth, url, show: (address) => void show(address), signal: new AbortController().signal });
  await expect.poll(() => statuses).toEqual([404, 200]);
  const saved = new TextDecoder().decode(io.content.get('/home/me/.config/longhaul/mcp-auth.json'));
  expect(JSON.parse(saved)[url]).toMatchObject({
    client: { client_id: 'client-1' },
    tokens: { access_token: 'token-1' },
  });
  expect(await auth.isLoggedIn(url)).toBe(true);
  expect(await auth.logout(url)).toBe(true);
  expect(await auth.isLoggedIn(url)).toBe(false);
});
