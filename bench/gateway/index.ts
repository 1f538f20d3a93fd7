import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Agent, request } from 'undici';
import type { ServerData, ServerUsage, UsageQuestion } from './server.ts';

/** A server in a process of its own. */
interface BenchServer {
  readonly url: string;
  usage(question?: UsageQuestion): Promise<ServerUsage>;
  stop(): Promise<unknown>;
}

type Servers = Readonly<Record<string, BenchServer>>;

const agent = new Agent({ connections: 400 });
const count = (name: string, preset: number) => Number(process.env[name] ?? preset);

/**
 * The bars: milliseconds added to the first byte of a 400 kB request with a known prefix, and how much live memory may grow
 * from the middle of the run to its end to be called flat.
 */
const bars = { p50: 3, p99: 15, memory: 1.1 };

/**
 * What the gateway costs, against a direct connection and a bare hono proxy, in one run and in turn. Counts that take
 * longer: `BENCH_SAMPLES`, `BENCH_STREAMS`, `BENCH_REQUESTS`, `BENCH_CONVERSATIONS`.
 */
export async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'longhaul-bench-gateway-'));
  const provider = await startServer({ kind: 'provider' });
  const proxy = await startServer({ kind: 'proxy', upstream: provider.url });
  let gateway = await startServer({ kind: 'gateway', upstream: provider.url, dir });
  const servers = { direct: provider, 'hono proxy': proxy, gateway };
  try {
    floor();
    const samples = count('BENCH_SAMPLES', 200);
    const small = conversation({ kilobytes: 40, seed: 1 });
    const large = conversation({ kilobytes: 400, seed: 2 });
    for (const history of [small, large]) await firstByte({ servers, history, samples });
    await growth({ servers: { 'hono proxy': proxy, gateway } });
    await concurrent({ servers, streams: count('BENCH_STREAMS', 200) });
    await memory({ gateway, requests: count('BENCH_REQUESTS', 1_000) });
    await conversations({ gateway, conversations: count('BENCH_CONVERSATIONS', 1_000) });
    const later = conversation({ kilobytes: 400, seed: 3 });
    await send({ url: gateway.url, body: bodyOf(later) });
    await gateway.stop();
    const from = performance.now();
    gateway = await startServer({ kind: 'gateway', upstream: provider.url, dir });
    console.log(`  started again on this store after ${(performance.now() - from).toFixed(0)} ms`);
    await firstByte({ servers: { direct: provider, gateway }, history: later, samples });
  } finally {
    for (const server of [gateway, proxy, provider]) await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The least that following a conversation takes if nothing is remembered: the body is parsed and hashed once. */
function floor(): void {
  const body = Buffer.from(bodyOf(conversation({ kilobytes: 400, seed: 1 })));
  const time = (work: () => void) => {
    const all = Array.from({ length: 50 }, () => {
      const from = performance.now();
      work();
      return performance.now() - from;
    });
    return quantile(all, 0.5).toFixed(2);
  };
  const parse = time(() => void JSON.parse(body.toString('utf8')));
  const digest = time(() => void hash('sha256', body));
  console.log(`floor for a 400 kB body without memory of earlier ones: JSON.parse ${parse} ms, sha256 ${digest} ms`);
}

/** A server gets this many requests one after the other, so that what it does after a response delays its own next one. */
const inARow = 20;

/**
 * The time from sending a request until the first byte of the body of the response. The body grows by one exchange per
 * request, as an agent's does, so all but the newest items are known. What is added is the difference of the quantiles to
 * those of the direct connection. The servers take turns of several requests: taking turns one by one, each would be
 * slowed by what the one before it does after its response, such as collecting garbage.
 */
async function firstByte({ servers, history, samples }: { servers: Servers; history: Item[]; samples: number }) {
  const warmUp = inARow;
  const times = new Map(Object.keys(servers).map((name) => [name, [] as number[]]));
  const before = new Map<string, number>();
  const kilobytes = Math.round(bodyOf(history).length / 1000);
  for (let from = 0; from < samples + warmUp; from += inARow) {
    const bodies = Array.from({ length: Math.min(inARow, samples + warmUp - from) }, () => {
      history.push(answered, message(`Question ${history.length}?`, 40));
      return bodyOf(history);
    });
    for (const [name, { url, usage }] of Object.entries(servers)) {
      if (from === warmUp) before.set(name, (await usage()).cpu);
      for (const body of bodies) {
        const { first } = await send({ url, body });
        if (from >= warmUp) times.get(name)?.push(first);
      }
    }
  }
  console.log(`time to the first byte, ${kilobytes} kB bodies with a known prefix, ${samples} requests each, ms:`);
  const direct = times.get('direct') ?? [];
  for (const [name, all] of times) {
    const [p50, p99] = [0.5, 0.99].map((share) => quantile(all, share)) as [number, number];
    const added = { p50: p50 - quantile(direct, 0.5), p99: p99 - quantile(direct, 0.99) };
    const cpu = (((await servers[name]?.usage())?.cpu ?? 0) - (before.get(name) ?? 0)) / samples;
    const isJudged = name === 'gateway' && kilobytes >= 400;
    const verdict = (share: 'p50' | 'p99') =>
      isJudged ? ` (bar ${bars[share]}: ${added[share] < bars[share] ? 'met' : 'missed'})` : '';
    console.log(
      `  ${name.padEnd(11)} p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}; added p50 ${added.p50.toFixed(2)}${verdict('p50')}, p99 ${added.p99.toFixed(2)}${verdict('p99')}; CPU of the process ${cpu.toFixed(2)} per request`,
    );
  }
}

/**
 * The cost of a request by the length of its history and by what is new. Any proxy has to receive and to send the body;
 * the bare one shows what that costs, though not the least that it could: it may cost more than the gateway.
 */
async function growth({ servers }: { servers: Readonly<Record<'hono proxy' | 'gateway', BenchServer>> }) {
  console.log('CPU per request, ms, by the size of the history and of what is new:');
  const costs: Readonly<Record<keyof typeof servers, number>>[] = [];
  for (const [kilobytes, added] of growthSizes) {
    const requests = 40;
    const cpu: number[] = [];
    for (const { url, usage } of [servers['hono proxy'], servers.gateway]) {
      const history = conversation({ kilobytes, seed: 5_000 + kilobytes + added });
      let before = 0;
      for (let at = 0; at < requests + 5; at += 1) {
        if (at === 5) before = (await usage()).cpu;
        await send({ url, body: bodyOf(history) });
        history.push(answered, message(`Question ${at}?`, added * 190));
      }
      cpu.push(((await usage()).cpu - before) / requests);
    }
    const [proxy = 0, gateway = 0] = cpu;
    costs.push({ 'hono proxy': proxy, gateway });
    console.log(
      `  ${String(kilobytes).padStart(5)} kB and ${String(added).padStart(2)} kB new: hono proxy ${proxy.toFixed(2)}, gateway ${gateway.toFixed(2)}`,
    );
  }
  const [small, , large] = costs;
  const grown = (name: keyof typeof servers) => ((large?.[name] ?? 0) - (small?.[name] ?? 0)).toFixed(2);
  console.log(`  from 40 to 1200 kB: hono proxy + ${grown('hono proxy')}, gateway + ${grown('gateway')}`);
}

/** Kilobytes of the history, and of what is new in each request. */
const growthSizes = [
  [40, 2],
  [400, 2],
  [1_200, 2],
  [400, 20],
] as const;

async function concurrent({ servers, streams }: { servers: Servers; streams: number }) {
  console.log(`${streams} concurrent streams of 50 chunks, one every 10 ms:`);
  for (const [name, { url }] of Object.entries(servers)) {
    const from = performance.now();
    const all = await Promise.all(
      Array.from({ length: streams }, (_, seed) =>
        send({ url, body: bodyOf(conversation({ kilobytes: 20, seed: 10_000 + seed })), chunks: 50 }),
      ),
    );
    const times = all.map(({ first }) => first);
    const whole = ((performance.now() - from) / 1000).toFixed(2);
    const cut = all.filter(({ chunks }) => !chunks.endsWith('"message_stop"}\n\n')).length;
    console.log(
      `  ${name.padEnd(11)} first byte p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms; all done after ${whole} s, ${cut} incomplete`,
    );
  }
}

/**
 * Conversations that are opened again and again. What is live is judged: the size of the process swings by a quarter with
 * the collections of its threads.
 */
async function memory({ gateway, requests }: { gateway: BenchServer; requests: number }) {
  const marks: ServerUsage[] = [];
  for (let at = 0; at < requests; at += 1) {
    const history = conversation({ kilobytes: 2, seed: 100_000 + (at % 200) });
    for (let turn = 0; turn < Math.floor(at / 200) % 10; turn += 1) history.push(answered, message(`Turn ${turn}`, 50));
    await send({ url: gateway.url, body: bodyOf(history) });
    if ((at + 1) % Math.ceil(requests / 8) === 0) marks.push(await gateway.usage('memory'));
  }
  const shown = (kind: 'live' | 'rss') => marks.map((mark) => (mark[kind] / 1_048_576).toFixed(0)).join(', ');
  const times = (marks.at(-1)?.live ?? 0) / (marks[Math.floor(marks.length / 2) - 1]?.live ?? 0);
  console.log(
    `memory of the gateway over ${requests} requests in 200 conversations, MB: live ${shown('live')}; end to middle ${times.toFixed(2)} (bar ${bars.memory}: ${times < bars.memory ? 'met' : 'missed'}); resident ${shown('rss')}`,
  );
}

/** Many conversations in one store; the requests after it are sent in the same store. */
async function conversations({ gateway, conversations: all }: { gateway: BenchServer; conversations: number }) {
  const from = performance.now();
  const atOnce = 20;
  for (let at = 0; at < all; at += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, all - at) }, (_, each) =>
        send({ url: gateway.url, body: bodyOf(conversation({ kilobytes: 2, seed: 1_000_000 + at + each })) }),
      ),
    );
  const seconds = (performance.now() - from) / 1000;
  const { rss } = await gateway.usage();
  console.log(
    `${all} conversations more in the store: ${(all / seconds).toFixed(0)} a second, ${(rss / 1_048_576).toFixed(0)} MB`,
  );
}

/** Collects young objects of this process before the time is taken: its own pauses are no part of what is measured. */
setFlagsFromString('--expose-gc');
const collectYoung = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;

async function send({ url, body, chunks = 1 }: { url: string; body: string; chunks?: number }) {
  collectYoung({ type: 'minor' });
  const from = performance.now();
  const response = await request(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-chunks': String(chunks) },
    body,
    dispatcher: agent,
  });
  let first: number | undefined;
  let last = '';
  for await (const chunk of response.body) {
    first ??= performance.now() - from;
    last = (last + String(chunk)).slice(-200);
  }
  if (response.statusCode !== 200) throw new Error(`The server answered with ${response.statusCode}: ${last}`);
  return { first: first ?? performance.now() - from, chunks: last };
}

interface Item {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

const answered: Item = { role: 'assistant', content: [{ type: 'text', text: 'Yes. ' }] };

const words = 'the file reads a value and returns what was asked for while tests keep their order and names'.split(' ');

function message(start: string, length: number): Item {
  const text = Array.from({ length }, (_, at) => words[(at * 7 + start.length) % words.length]).join(' ');
  return { role: 'user', content: [{ type: 'text', text: `${start} ${text}` }] };
}

function conversation({ kilobytes, seed }: { kilobytes: number; seed: number }): Item[] {
  const items: Item[] = [message(`Conversation ${seed}.`, 100)];
  for (let size = 0; size < kilobytes * 1000; size += 4_000) items.push(answered, message(`Part ${size}`, 760));
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
  const child = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), [JSON.stringify(data)], {
    execArgv: [...process.execArgv, '--expose-gc'],
  });
  const next = async <T>() => (await once(child, 'message'))[0] as T;
  const { url } = await next<{ readonly url: string }>();
  return {
    url,
    usage(question = 'cpu') {
      const answer = next<ServerUsage>();
      child.send(question);
      return answer;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
