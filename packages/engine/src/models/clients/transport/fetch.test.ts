import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { textOf } from '../../wire/bound-body.ts';
import { wireLimits } from '../../wire/limits.ts';
import { serve } from '../fixtures/raw-server.ts';
import { createFetch } from './fetch.ts';

it('services far away are reached through the proxy of the environment, servers on this machine are not', async () => {
  const passed: string[] = [];
  await using proxy = await serve((request, response) => {
    passed.push(request.url ?? '');
    response.end('by proxy');
  });
  await using server = await serve((_, response) => void response.end('straight'));
  const env = { HTTP_PROXY: proxy.url };
  const local = createFetch({ place: 'local', env });
  expect(await textOf((await local(server.url)).reader)).toBe('straight');
  const excepted = createFetch({ place: 'remote', env: { ...env, NO_PROXY: '127.0.0.1' } });
  expect(await textOf((await excepted(server.url)).reader)).toBe('straight');
  expect(passed).toEqual([]);
  const remote = createFetch({ place: 'remote', env });
  expect(await textOf((await remote(`${server.url}/v1`)).reader)).toBe('by proxy');
  expect(passed).toEqual([`${server.url}/v1`]);
});

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('plain bytes are asked for, and %s is read all the same', async (encoding, compress) => {
  let asked: string | undefined;
  await using server = await serve((request, response) => {
    asked = request.headers['accept-encoding'];
    response.writeHead(200, { 'content-encoding': encoding }).end(compress('Grüße '.repeat(1000)));
  });
  const answer = await createFetch({ place: 'local' })(server.url);
  expect(await textOf(answer.reader)).toBe('Grüße '.repeat(1000));
  expect(asked).toBe('identity');
});

it('a compressed body that expands without end is bounded', async () => {
  await using server = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('0'.repeat(4_000_000)));
  });
  const limits = { ...wireLimits.local, answerBytes: 100_000 };
  const answer = await createFetch({ place: 'local', limits })(server.url);
  await expect(textOf(answer.reader)).rejects.toMatchObject({ code: 'too-large' });
});

it('connections are used again', async () => {
  const ports = new Set<number | undefined>();
  await using server = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('ok');
  });
  const send = createFetch({ place: 'local' });
  for (let count = 0; count < 3; count += 1) expect(await textOf((await send(server.url)).reader)).toBe('ok');
  expect(ports.size).toBe(1);
});
