import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession, openSqliteStore } from 'longhaul/session';
import { type JudgeDialect, judge } from 'longhaul/testing';
import { describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from './gateway.ts';

/** What a client sent in a short conversation of two processes, and what it was answered; see `clients/record.ts`. */
interface Recording {
  readonly items: readonly unknown[];
  readonly requests: readonly {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The items are indexes. */
    readonly body: Readonly<Record<string, unknown>>;
    readonly items: string;
    readonly contentType: string;
    readonly response: string;
  }[];
}

const folder = new URL('./fixtures/recorded/', import.meta.url);
const names = readdirSync(folder).map((name) => name.replace('.json', ''));

function read(name: string) {
  const { items, requests } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Recording;
  return requests.map(({ body, items: key, ...rest }) => ({
    ...rest,
    key,
    body: JSON.stringify({ ...body, [key]: (body[key] as readonly number[]).map((index) => items[index]) }),
  }));
}

const dialectOf = (path: string): JudgeDialect =>
  path.includes('/messages')
    ? 'anthropic'
    : path.includes('/chat/')
      ? 'openai-chat'
      : path.includes('/responses')
        ? 'openai-responses'
        : 'gemini';

/** Sends a recording through a gateway that is started anew every so many requests. */
async function replay({
  name,
  window,
  every,
}: {
  readonly name: string;
  readonly window?: number;
  readonly every: number;
}) {
  const dir = await mkdtemp(join(tmpdir(), 'longhaul-recorded-'));
  const requests = read(name);
  const forwarded: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    forwarded.push(Buffer.concat(chunks).toString('utf8'));
    const answer = requests[forwarded.length - 1];
    response.writeHead(200, { 'content-type': answer?.contentType ?? '' });
    response.end(answer?.response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstreams = { anthropic: url, openai: url, gemini: url };
  let gateway: Gateway | undefined;
  try {
    for (const [at, { path, headers, body, response }] of requests.entries()) {
      if (at % every === 0) await gateway?.close();
      if (at % every === 0)
        gateway = await createGateway({ dir, upstreams, env: {}, ...(window !== undefined && { window }) });
      const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
      const answer = await fetch(`${gateway?.url}${path}`, sent);
      expect(await answer.text()).toBe(response);
    }
    await gateway?.close();
    const store = await openSqliteStore({ dir });
    const sessions = await Promise.all(
      (await store.list()).map(async ({ header }) => {
        const session = await openSession({ store, id: header.id });
        const entries = await session.path();
        return entries.filter(({ type }) => type === 'message').length;
      }),
    );
    await store.close();
    return { requests, forwarded, sessions };
  } finally {
    server.close();
    await rm(dir, { recursive: true, force: true });
  }
}

describe.each(names)('%s', (name) => {
  it('is forwarded byte for byte, in one session over two processes, with a restart before every request', async () => {
    const { requests, forwarded, sessions } = await replay({ name, every: 1 });
    expect(forwarded).toEqual(requests.map(({ body }) => body));
    const longest = Math.max(...requests.map(({ body, key }) => (JSON.parse(body)[key] as unknown[]).length));
    // The main conversation has everything; titles and checks are sessions of their own.
    expect(Math.max(...sessions)).toBeGreaterThanOrEqual(longest);
    expect(sessions.filter((length) => length > 4)).toHaveLength(1);
  });
});

// One for each way of writing answers back.
describe.each(['claude', 'codex', 'gemini'])('%s', (name) => {
  it('stays legal in a window that is far too small', async () => {
    const { requests, forwarded } = await replay({ name, window: 1_500, every: 4 });
    expect(forwarded).toHaveLength(requests.length);
    const verdicts = forwarded.map((body, at) =>
      judge({ dialect: dialectOf(requests[at]?.path ?? ''), body: JSON.parse(body), options: { verify: () => true } }),
    );
    expect(verdicts.filter(({ legal }) => !legal)).toEqual([]);
    expect(forwarded.some((body, at) => body !== requests[at]?.body)).toBe(true);
  });
});
