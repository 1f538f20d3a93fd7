import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createLonghaul } from 'longhaul';
import { type LoopbackOptions, startLoopback } from 'longhaul/testing';
import { describe, expect, it } from 'vitest';
import { type ExampleAgent, longRun } from './long-run.ts';

const folder = join(import.meta.dirname, '../../examples/mastra');
const isInstalled = existsSync(join(folder, 'node_modules/@mastra/core'));

/** The example has its own packages, which may not be installed, so its types are not known here. */
async function example(input: object): Promise<ExampleAgent> {
  const { createAgent } = (await import(join(folder, 'agent.ts'))) as { createAgent(of: object): ExampleAgent };
  return createAgent(input);
}

async function start(options: LoopbackOptions = {}) {
  const loopback = await startLoopback(options);
  const sessions = await createLonghaul();
  const open = (thread: string) => example({ sessions, thread, url: `${loopback.url}/v1`, apiKey: 'k' });
  return { loopback, sessions, open, [Symbol.asyncDispose]: () => loopback.close() };
}

describe.skipIf(!isInstalled)('the Mastra example (npm --prefix examples/mastra ci)', () => {
  it('works through many tool turns', async () => {
    const figures = await longRun(({ url, session, ...input }) =>
      example({ sessions: session, thread: 'long-run', url: `${url}/v1`, apiKey: 'k', ...input }),
    );
    console.log(`mastra: ${figures}`);
    expect(figures).toContain('requests');
  });

  it('each thread has a session with its id', async () => {
    await using at = await start({ script: ({ index }) => ({ text: `Answer ${index}.` }) });
    await (await at.open('thread-a')).ask('The color is red.');
    await (await at.open('thread-b')).ask('The color is blue.');
    expect((await at.sessions.sessions()).map(({ header }) => header.id).toSorted()).toEqual(['thread-a', 'thread-b']);
    const path = await (await at.sessions.open('thread-a')).engine.session.path();
    expect(JSON.stringify(path)).toContain('Answer 0.');
    expect(JSON.stringify(path)).not.toContain('blue');
    const tools = await (await at.sessions.open('thread-a')).engine.tools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['read', 'recall']);
    expect(JSON.stringify(tools.find(({ name }) => name === 'read')?.inputSchema)).toContain('path');
  });

  it('errors and aborts pass through, and the thread goes on', async () => {
    await using at = await start({
      script: ({ index }) =>
        index === 0
          ? { failure: 'auth' }
          : { text: 'Slow. '.repeat(40), transport: index === 1 ? { delayMs: 30, chunkBytes: 20 } : {} },
    });
    const agent = await at.open('thread');
    await expect(agent.ask('Hi.')).rejects.toThrow('API key');
    const controller = new AbortController();
    const running = agent.ask('Hi again.', { signal: controller.signal });
    setTimeout(() => controller.abort(), 60);
    // Mastra ends an aborted run with the text so far.
    expect(await running.catch(() => '')).not.toContain('Slow. '.repeat(40));
    expect(await agent.ask('And now?')).toContain('Slow.');
  });

  it('a request that the provider calls too long is sent once more, smaller', async () => {
    await using at = await start({
      script: ({ index }) =>
        index === 4 ? { failure: 'overflow', limit: 8_000 } : { text: 'And so on. '.repeat(500) },
    });
    const agent = await at.open('thread');
    for (let n = 0; n < 4; n += 1) await agent.ask(`Question ${n}. ${'Details. '.repeat(500)}`);
    expect(await agent.ask('One more.')).toContain('And so on.');
    const [refused, retried] = at.loopback.requests.slice(-2);
    expect(retried?.text.length).toBeLessThan(refused?.text.length ?? 0);
  });
});
