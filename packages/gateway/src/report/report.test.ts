import { expect, it, vi } from 'vitest';
import { FakeAgent } from '../fixtures/agent.ts';
import { start, work } from '../fixtures/start.ts';
import { savedBy } from './record.ts';
import { readGatewayReport } from './request-log.ts';

const info = { prices: { input: 3, output: 15 }, cache: { how: 'explicit', readFactor: 0.1 } } as const;

it('counts what was saved net of cache writes', () => {
  const warm = { input: 100, output: 50, cacheRead: 20_000, cacheWrite: 500 };
  expect(savedBy({ usage: warm, received: 100_000, previous: 99_000, info })).toBeGreaterThan(0);
  // A compaction writes the whole prompt anew, which costs more than reading the old one from the cache.
  const cold = { input: 0, output: 50, cacheRead: 0, cacheWrite: 60_000 };
  expect(savedBy({ usage: cold, received: 100_000, previous: 99_000, info })).toBeLessThan(0);
  const same = { input: 1_000, output: 5, cacheRead: 0, cacheWrite: 0 };
  // What summaries by a model cost is not saved.
  expect(savedBy({ usage: same, received: 1_000, previous: 0, summaries: 0.5, info })).toBeCloseTo(-0.5);
  expect(savedBy({ usage: same, received: 1_000, previous: 0, info })).toBeCloseTo(0);
  expect(savedBy({ usage: same, received: 2_000, previous: 0, info: { cache: info.cache } })).toBeNull();
});

it('reports each request: access line, metrics, totals, conversations', async () => {
  const lines: string[] = [];
  await using at = await start({ onAccess: (line) => lines.push(line) });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url, headers: { 'user-agent': 'fake-agent/1.0' } });
  agent.say('Read all files.');
  await work({ agent, turns: 15 });
  // A request is recorded when its response has ended.
  await vi.waitFor(() => expect(at.gateway().totals().requests).toBe(15));
  const { token, totals } = at.gateway();
  const get = (path: string) => fetch(at.url() + path, { headers: { 'x-longhaul-token': token } });

  const access = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request');
  expect(access).toHaveLength(15);
  expect(access[0]).toMatchObject({ client: 'fake-agent', action: 'unchanged', status: 200, upstream: 'anthropic' });
  expect(access.map(({ action }) => action)).toContain('compacted');
  expect(access.map(({ action }) => action)).toContain('rewritten');
  expect(lines.join('\n')).not.toContain('secret-of-the-caller');
  expect(lines.join('\n')).not.toContain('src/file-');

  const sums = totals();
  expect(sums).toMatchObject({ requests: 15, sessions: [expect.any(String)] });
  expect(sums.tokensReceived).toBeGreaterThan(sums.tokensForwarded);
  expect(sums.compactions).toBeGreaterThan(0);

  expect(await (await get('/longhaul/metrics')).text()).toMatch(
    /longhaul_gateway_requests_total\{.*action="unchanged".*\} \d/,
  );
  const report = readGatewayReport({ dir: at.dir });
  expect(report?.totals).toMatchObject({ requests: 15, compactions: sums.compactions });
  expect(await (await get('/longhaul/report')).json()).toEqual(report);

  const { conversations } = (await (await get('/longhaul/conversations')).json()) as { conversations: object[] };
  expect(conversations).toMatchObject([{ client: 'fake-agent', requests: 15, title: 'Read all files.', owner: null }]);
  const [id] = sums.sessions;
  const shown = (await (await get(`/longhaul/conversations/${id}`)).json()) as { items: { parts: object[] }[] };
  expect(JSON.stringify(shown.items)).toContain('<summary>');
  expect((await get('/longhaul/conversations/nothing')).status).toBe(404);
  expect((await fetch(`${at.url()}/longhaul/conversations`)).status).toBe(401);
  const { paths } = (await (await get('/longhaul/openapi.json')).json()) as { paths: object };
  expect(Object.keys(paths)).toContain('/longhaul/conversations/{id}');
});

it.each([
  ['anthropic', true, 'input_tokens'],
  ['anthropic', false, 'input_tokens'],
  ['openai-chat', true, 'prompt_tokens'],
  ['openai-responses', true, 'input_tokens'],
  ['gemini', false, 'promptTokenCount'],
] as const)(
  'reports the usage of the original prompt where that is asked for: %s, streamed: %s',
  async (dialect, stream, name) => {
    await using at = await start({ report: 'original' });
    const agent = new FakeAgent({ dialect, url: at.url, stream });
    agent.say('Read all files.');
    await work({ agent, turns: 14 });
    const text = await (await agent.send()).text();
    const counts = [
      ...text.matchAll(new RegExp(`"(?:${name}|cache_read_input_tokens|cache_creation_input_tokens)":(\\d+)`, 'g')),
    ];
    const reported = counts
      .slice(0, dialect === 'anthropic' ? 3 : 1)
      .reduce((sum, [, count]) => sum + Number(count), 0);
    const sent = at.loopback.requests.at(-1)?.text.length ?? 0;
    const made = JSON.stringify(agent.body()).length;
    expect(made).toBeGreaterThan(sent * 1.2);
    // The provider counts a token for four characters.
    expect(reported).toBeGreaterThan((made / 4) * 0.7);
  },
);
