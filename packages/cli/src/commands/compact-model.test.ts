import { describe, expect, test } from 'vitest';
import { withWork } from './work.fixture.ts';

const url = 'https://summaries.example/v1';
const small = ['--window', '12000'] as const;
const model = [...small, '--summarizer', 'model', '--endpoint', url] as const;
const summary = '<summary><title>Importer</title>\n## Progress\nThe importer was measured, seed by seed.</summary>';

interface Sent {
  readonly url: string;
  readonly authorization: string | null;
  readonly body: { readonly systemPrompt: string; readonly prompt: string };
}

/** A world with an endpoint in it that gives this answer. */
async function withEndpoint({ gives, ...given }: { gives: () => Promise<Response> } & Parameters<typeof withWork>[0]) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { headers, url } = new Request(input, init);
    sent.push({ url, authorization: headers.get('authorization'), body: JSON.parse(String(init?.body)) });
    return await gives();
  };
  return { ...(await withWork({ ...given, fetch })), sent };
}

const well = async () => Response.json({ summary });

describe('compact with a model behind an endpoint', () => {
  test('puts its words among what is certain, sends the key that a variable holds, and says who was asked', async () => {
    const { call, json, id, sent } = await withEndpoint({ gives: well, env: { MY_KEY: 'sesame' } });
    const { code, stdout } = await call('compact', id, ...model, '--endpoint-key-variable', 'MY_KEY', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nSummary by https:\/\/summaries\.example \(simple\): 1 call, \d+\.\d s\.\n/);
    expect(sent).toMatchObject([{ url, authorization: 'Bearer sesame' }]);
    expect(sent[0]?.body.prompt).toContain('Make the importer fast.');
    const { value } = await json('compact', id, ...model);
    expect(value).toMatchObject({
      installed: true,
      strategy: 'simple',
      attempts: [{ outcome: 'accepted', why: null }],
    });
    expect(value.summary).toContain('The importer was measured, seed by seed.');
    expect(value.summary).toContain('- Never push to main. (@2.1:1-1)');
  });

  test('takes it from the settings of the user, and not from those of a project', async () => {
    const file = JSON.stringify({ compaction: { summarizer: 'model', endpoint: { url } } });
    const mine = { '/home/me/.config/longhaul/config.json': file };
    const theirs = { '/project/longhaul.config.json': file };
    const { json, id, sent } = await withEndpoint({ gives: well, files: mine });
    expect((await json('compact', id, ...small, '--dry-run')).value.strategy).toBe('simple');
    expect(sent).toHaveLength(1);
    const { call, sent: away } = await withEndpoint({ gives: well, files: theirs });
    const { code, stderr } = await call('compact', 'last', ...small, '--dry-run');
    expect({ code, away }).toEqual({ code: 0, away: [] });
    expect(stderr).toContain(
      'The endpoint in /project/longhaul.config.json is not used, because it comes from the project.',
    );
    expect(stderr).toContain('The summarizer in /project/longhaul.config.json is not used');
  });

  test.each([
    [
      'is down',
      () => Promise.reject(new TypeError('fetch failed')),
      'The endpoint could not be reached: fetch failed.',
    ],
    ['is no such thing', async () => new Response('<html>'), 'The endpoint answered without a summary.'],
    [
      'wants another key',
      async () => new Response('no', { status: 401 }),
      'The endpoint answered with status 401: no.',
    ],
    ['says nothing', async () => Response.json({ summary: '' }), 'The answer was empty.'],
    ['hangs', () => new Promise<Response>(() => undefined), /No answer within \d+ ms\./],
  ])('that %s: it is done without it, and one sentence says why', async (_, gives, why) => {
    const { call, id } = await withEndpoint({ gives });
    const { code, stdout, stderr } = await call('compact', id, ...model, '--endpoint-timeout', '1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [reported = ''] = /\nhttps:\/\/summaries\.example gave .*\n/.exec(stdout) ?? [];
    expect(reported).toContain('gave no usable summary, so an extractive one was made.');
    expect(reported).toMatch(why);
    expect(stdout).toContain('reverts it.');
  });
});
