/** One of the three servers, in a process of its own: the provider, a bare proxy, or the gateway. */
import { createServer } from 'node:http';
import { serve } from '@hono/node-server';
import { createGateway } from '@longhaul/gateway';
import { Hono } from 'hono';

export interface ServerData {
  readonly kind: 'provider' | 'proxy' | 'gateway';
  /** The address of the provider. */
  readonly upstream?: string;
  readonly dir?: string;
}

/** What a process has used so far. */
export interface ServerUsage {
  /** Milliseconds of CPU, of all threads. */
  readonly cpu: number;
  /** Bytes of the process. */
  readonly rss: number;
  /** Bytes that are in use after a collection of the main thread. */
  readonly live: number;
}

/** A question about memory collects garbage first, which takes time. */
export type UsageQuestion = 'cpu' | 'memory';

const { kind, upstream = '', dir = '' } = JSON.parse(process.argv[2] ?? '{}') as ServerData;
const url = await { provider, proxy, gateway }[kind]();
process.on('message', (question: UsageQuestion) => {
  const { user, system } = process.cpuUsage();
  if (question === 'memory') globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ cpu: (user + system) / 1000, rss, live: heapUsed + external } satisfies ServerUsage);
});
process.on('disconnect', () => process.exit());
process.send?.({ url });

/** Answers at once with a short stream; `x-chunks` asks for a longer one. */
async function provider(): Promise<string> {
  const server = createServer({ noDelay: true }, async (request, response) => {
    for await (const _ of request);
    const chunks = Number(request.headers['x-chunks'] ?? 1);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const usage = { input_tokens: 1000, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const send = (event: { readonly type: string }) =>
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    send({ type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage } } as never);
    send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never);
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      if (chunk > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes. ' } } as never);
    }
    send({ type: 'content_block_stop', index: 0 } as never);
    send({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } } as never);
    send({ type: 'message_stop' });
    // Between two requests, so that no pause of the provider is taken for one of a proxy.
    response.end(() => void globalThis.gc?.({ type: 'minor' }));
  });
  return await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}`));
  });
}

/** The least that a proxy with hono does. */
async function proxy(): Promise<string> {
  const app = new Hono();
  app.all('*', async (context) => {
    const { pathname, search } = new URL(context.req.url);
    const body = await context.req.arrayBuffer();
    return await fetch(`${upstream}${pathname}${search}`, {
      method: context.req.method,
      headers: context.req.raw.headers,
      body,
    });
  });
  return await new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(`http://127.0.0.1:${port}`));
  });
}

async function gateway(): Promise<string> {
  return (await createGateway({ dir, upstreams: { anthropic: upstream }, env: {} })).url;
}
