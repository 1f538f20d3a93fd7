import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readGatewayReport } from '@longhaul/gateway';
import { Agent, request } from 'undici';
import type { ServerData } from './server.ts';

/** A server in a thread of its own. */
interface BenchServer {
  readonly url: string;
  memory(): Promise<{ readonly memory: number; readonly rss: number }>;
  stop(): Promise<unknown>;
}

const agent = new Agent({ connections: 400 });

/**
 * The time that the gateway adds to the first byte, against a direct connection and a bare hono proxy, in one run and in
 * turn. The body grows by one exchange per request, as an agent's does, so all but the newest items are known.
 */
export async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'longhaul-bench-gateway-'));
  const provider = await startServer({ kind: 'provider' });
  const proxy = await startServer({ kind: 'proxy', upstream: provider.url });
  const gateway = await startServer({ kind: 'gateway', upstream: provider.url, dir });
  const servers = { direct: provider, 'hono proxy': proxy, gateway };
  try {
    for (const kilobytes of [40, 400]) await firstByte({ servers, kilobytes, requests: 150 });
    const { overhead } = readGatewayReport({ dir }) ?? {};
    if (overhead)
      console.log(
        `inside the gateway, from the last byte of the body until it is sent on: p50 ${overhead.p50.toFixed(2)} ms, p99 ${overhead.p99.toFixed(2)} ms`,
      );
    await floor();
    await concurrent({ servers, streams: 200 });
    await growth({ gateway, requests: Number(process.env.BENCH_REQUESTS ?? 5_000) });
  } finally {
    for (const server of [gateway, proxy, provider]) await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

type Servers = Readonly<Record<string, BenchServer>>;

async function firstByte({ servers, kilobytes, requests }: { servers: Servers; kilobytes: number; requests: number }) {
  const times = new Map(Object.keys(servers).map((name) => [name, [] as number[]]));
  const history = conversation({ kilobytes, seed: kilobytes });
  for (let at = 0; at < requests + 10; at += 1) {
    const body = bodyOf(history);
    for (const [name, { url }] of Object.entries(servers)) {
      const time = await timeToFirstByte({ url, body });
      // The first ones warm up.
      if (at >= 10) times.get(name)?.push(time);
    }
    history.push({ role: 'assistant', content: [{ type: 'text', text: 'Yes. ' }] }, message(`Question ${at}?`, 400));
  }
  const direct = times.get('direct') ?? [];
  console.log(`time to the first byte, ${kilobytes} kB bodies with a known prefix, ${requests} requests each:`);
  for (const [name, all] of times) {
    const [p50, p99] = [quantile(all, 0.5), quantile(all, 0.99)];
    const added = `added p50 ${(p50 - quantile(direct, 0.5)).toFixed(2)} ms, p99 ${(p99 - quantile(direct, 0.99)).toFixed(2)} ms`;
    console.log(`  ${name.padEnd(12)} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; ${added}`);
  }
}

/** What cannot be avoided: reading the body once. */
async function floor() {
  const body = Buffer.from(bodyOf(conversation({ kilobytes: 400, seed: 1 })));
  const time = (work: () => void) => {
    const all = Array.from({ length: 50 }, () => {
      const from = performance.now();
      work();
      return performance.now() - from;
    });
    return quantile(all, 0.5).toFixed(2);
  };
  const { createHash } = await import('node:crypto');
  const parse = time(() => void JSON.parse(body.toString('utf8')));
  const hash = time(() => void createHash('sha256').update(body).digest());
  console.log(`floor for a 400 kB body: JSON.parse ${parse} ms, sha256 ${hash} ms`);
}

async function concurrent({ servers, streams }: { servers: Servers; streams: number }) {
  console.log(`${streams} concurrent streams of 50 chunks, one every 10 ms:`);
  for (const [name, { url }] of Object.entries(servers)) {
    const from = performance.now();
    const all = await Promise.all(
      Array.from({ length: streams }, (_, seed) =>
        timeToFirstByte({ url, body: bodyOf(conversation({ kilobytes: 20, seed: 10_000 + seed })), chunks: 50 }),
      ),
    );
    const whole = ((performance.now() - from) / 1000).toFixed(2);
    console.log(
      `  ${name.padEnd(12)} first byte p50 ${quantile(all, 0.5).toFixed(0)} ms, p99 ${quantile(all, 0.99).toFixed(0)} ms; all done after ${whole} s`,
    );
  }
}

async function growth({ gateway, requests }: { gateway: BenchServer; requests: number }) {
  const marks: number[] = [];
  for (let at = 0; at < requests; at += 1) {
    const history = conversation({ kilobytes: 2, seed: 100_000 + (at % 200) });
    for (let turn = 0; turn < Math.floor(at / 200) % 10; turn += 1)
      history.push({ role: 'assistant', content: [{ type: 'text', text: 'Yes. ' }] }, message(`Turn ${turn}`, 50));
    await timeToFirstByte({ url: gateway.url, body: bodyOf(history) });
    if (at % Math.floor(requests / 5) === 0) marks.push((await gateway.memory()).rss);
  }
  const shown = marks.map((bytes) => `${(bytes / 1_048_576).toFixed(0)} MB`).join(', ');
  console.log(`memory of the whole process over ${requests} requests in 200 conversations: ${shown}`);
}

async function timeToFirstByte({
  url,
  body,
  chunks = 1,
}: {
  url: string;
  body: string;
  chunks?: number;
}): Promise<number> {
  const from = performance.now();
  const response = await request(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-chunks': String(chunks) },
    body,
    dispatcher: agent,
  });
  let first: number | undefined;
  for await (const _ of response.body) first ??= performance.now() - from;
  if (response.statusCode !== 200) throw new Error(`The server answered with ${response.statusCode}.`);
  return first ?? performance.now() - from;
}

interface Item {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

const words = 'the file reads a value and returns what was asked for while tests keep their order and names'.split(' ');

function message(start: string, length: number): Item {
  const text = Array.from({ length }, (_, at) => words[(at * 7 + start.length) % words.length]).join(' ');
  return { role: 'user', content: [{ type: 'text', text: `${start} ${text}` }] };
}

function conversation({ kilobytes, seed }: { kilobytes: number; seed: number }): Item[] {
  const items: Item[] = [message(`Conversation ${seed}.`, 100)];
  for (let size = 0; size < kilobytes * 1000; size += 4_000)
    items.push({ role: 'assistant', content: [{ type: 'text', text: 'Yes. ' }] }, message(`Part ${size}`, 760));
  return items;
}

function bodyOf(messages: readonly Item[]): string {
  const system = [{ type: 'text', text: 'You are a careful agent. '.repeat(40) }];
  return JSON.stringify({ model: 'claude-opus-5', max_tokens: 1000, stream: true, system, messages });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function startServer(data: ServerData): Promise<BenchServer> {
  const worker = new Worker(new URL('./server.ts', import.meta.url), { workerData: data });
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  const { url } = await next<{ readonly url: string }>();
  return {
    url,
    memory() {
      const answer = next<{ readonly memory: number; readonly rss: number }>();
      worker.postMessage('memory');
      return answer;
    },
    stop: () => worker.terminate(),
  };
}
