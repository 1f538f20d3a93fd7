import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FetchSettings, fetchTool, isPrivateAddress, type ResolveName } from './fetch.ts';
import { htmlText } from './html-text.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const local: FetchSettings = { privateHosts: ['127.0.0.1', 'public.example'] };

async function fetched(of: {
  readonly url: string;
  readonly settings?: FetchSettings;
  readonly resolve?: ResolveName;
  readonly input?: object;
}) {
  const { url, settings = local, resolve, input } = of;
  const tool = fetchTool({ settings, ...(resolve && { resolve }) });
  const { content, isError } = await tool.run({
    input: { url, ...input },
    callId: 'c',
    signal: new AbortController().signal,
  });
  return { text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''), isError: isError === true };
}

describe('private addresses', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data/',
    'http://192.168.1.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://localhost/',
    'http://localhost./',
  ])('%s is refused', async (url) => {
    const { text, isError } = await fetched({ url, settings: {} });
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('private network') });
  });

  test('a name that resolves to one is refused, also among public addresses', async () => {
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::ffff:10.0.0.1']]) {
      const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      expect((await fetched({ url: 'http://evil.example/', settings: {}, resolve })).text).toContain('private network');
    }
    expect(['8.8.8.8', '2606:4700::1111', '1.1.1.1'].some(isPrivateAddress)).toBe(false);
  });

  test('the connection goes to the address that was checked', async () => {
    const base = await serve((_, response) => response.end('pinned'));
    let asked = 0;
    const resolve: ResolveName = async () => {
      asked += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const url = base.replace('127.0.0.1', 'public.example');
    expect((await fetched({ url, resolve })).text).toContain('pinned');
    expect(asked).toBe(1);
  });
});

test('redirects: to another host reported, to loopback refused, in circles ended', async () => {
  const base = await serve((request, response) => {
    const to = { '/other': 'http://example.com/x', '/again': '/again', '/ok': '/page', '/file': 'file:///etc/passwd' }[
      request.url ?? ''
    ];
    if (to !== undefined) response.writeHead(302, { location: to }).end();
    else if (request.url === '/loop') response.writeHead(302, { location: 'http://localhost:1/' }).end();
    else response.end('the page');
  });
  expect((await fetched({ url: `${base}/other` })).text).toContain('redirects to another host: http://example.com/x');
  expect((await fetched({ url: `${base}/loop` })).text).toContain('Fetch that address if you need it');
  expect((await fetched({ url: 'http://localhost:1/' })).text).toContain('private network');
  expect((await fetched({ url: `${base}/again` })).text).toContain('more than 5 times');
  expect((await fetched({ url: `${base}/file` })).text).toContain('not a web address');
  expect((await fetched({ url: `${base}/ok` })).text).toContain('the page');
});

test('limits: size, compressed bombs, time, types, pages', async () => {
  const base = await serve((request, response) => {
    const bomb = { 'content-encoding': 'gzip', 'content-type': 'text/plain' };
    if (request.url === '/bomb') response.writeHead(200, bomb).end(gzipSync('0'.repeat(5_000_000)));
    else if (request.url === '/slow') return;
    else if (request.url === '/pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF');
    else if (request.url === '/gone') response.writeHead(404).end('no such page');
    else if (request.url === '/latin')
      response.writeHead(200, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0xe4]));
    else response.end('0123456789');
  });
  const small = { ...local, maxBytes: 1_000 };
  expect((await fetched({ url: `${base}/bomb`, settings: small })).text).toMatch(/0{1000}\s+\[The answer was longer/);
  expect((await fetched({ url: `${base}/slow`, settings: { ...local, timeoutMs: 300 } })).text).toContain(
    'did not answer within 0.3 s',
  );
  expect((await fetched({ url: `${base}/pdf` })).text).toContain('is not text (application/pdf)');
  expect(await fetched({ url: `${base}/gone` })).toMatchObject({
    isError: true,
    text: expect.stringContaining('(404)'),
  });
  expect((await fetched({ url: `${base}/latin` })).text).toContain('ä');
  expect((await fetched({ url: base, input: { start: 2, max_chars: 3 } })).text).toMatch(
    /234\s+\[5 more characters; read on with start 5/,
  );
});

test.each([
  '',
  'example.com',
  'ftp://a/',
  'file:///etc/passwd',
  'http://user:pass@example.com/',
  'javascript:alert(1)',
])('%s is not an address', async (url) => expect((await fetched({ url })).isError).toBe(true));

test('permission is asked for the host', async () => {
  const access = await fetchTool().access({ url: 'https://EXAMPLE.com./a?b#c' });
  expect(access).toEqual({ kind: 'fetch', url: 'https://example.com./a?b', host: 'example.com' });
});

describe('HTML', () => {
  test('becomes readable text', () => {
    const html =
      '<head><title>T</title><style>x{}</style></head><body><h1>A &amp; B</h1><p>See <a href="/d?x=1&amp;y=2"> the\n docs </a>, <a href="javascript:x()">not this</a>.<ul><li>one<li>two</ul><pre>a\n  b</pre><script>if (a < b) alert("</p>")</script><table><tr><td>1</td><td>2</td></tr></table>3 < 4</body>';
    expect(htmlText({ html, base: 'https://h.example/' })).toBe(
      '# A & B\n\nSee [the docs](https://h.example/d?x=1&y=2), not this.\n\n- one\n- two\n\n```\na\n  b\n```\n\n1 | 2\n\n3 < 4',
    );
  });

  test('of any kind is read without failure, and scripts never appear', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '<p>',
      '<script>',
      'SECRET',
      '</script>',
      '"',
      "'",
      '<!--',
      '-->',
      '&#',
      '&amp',
      '<a href=',
      '<pre>',
      '</pre>',
      'text',
      '<svg',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const html = pieces.join('');
        expect(typeof htmlText({ html, base: 'https://h/' })).toBe('string');
        expect(
          htmlText({ html: `<script>SECRET${html.replaceAll('</script', '')}</script>ok`, base: 'https://h/' }),
        ).not.toContain('SECRETS');
      }),
      { numRuns: 200 },
    );
    expect(htmlText({ html: '<script>SECRET</script>ok', base: 'https://h/' })).toBe('ok');
  });
});
