import { expect, it } from 'vitest';
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
  expect(await (await local(server.url)).text()).toBe('straight');
  const excepted = createFetch({ place: 'remote', env: { ...env, NO_PROXY: '127.0.0.1' } });
  expect(await (await excepted(server.url)).text()).toBe('straight');
  expect(passed).toEqual([]);
  const remote = createFetch({ place: 'remote', env });
  expect(await (await remote(`${server.url}/v1`)).text()).toBe('by proxy');
  expect(passed).toEqual([`${server.url}/v1`]);
});
