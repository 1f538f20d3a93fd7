import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createInteractiveWorld, openInteractive } from './interactive.fixture.ts';

/** A server over Streamable HTTP; its tool `change` replaces the schema of `act`, and adds tools one by one. */
async function httpServer() {
  let [parameter, more] = ['text', 0];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'web', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] });
    server.registerTool('long', { description: 'Returns much.' }, () =>
      answer(`first ${'line of text\n'.repeat(200_000)}last`),
    );
    server.registerTool('act', { inputSchema: z.object({ [parameter]: z.string().optional() }) }, () =>
      answer('acted'),
    );
    server.registerTool('change', { description: 'Changes tools.' }, () => {
      parameter = 'everything';
      for (more = 0; more < 5; more += 1) handler.notify.toolsChanged();
      return answer('changed');
    });
    for (let at = 0; at < more; at += 1) server.registerTool(`more_${at}`, {}, () => answer('more'));
    return server;
  });
  const { promise, resolve } = Promise.withResolvers<AddressInfo>();
  const server = serve({ fetch: (request) => handler.fetch(request), port: 0, hostname: '127.0.0.1' }, resolve);
  const { port } = await promise;
  onTestFinished(async () => {
    await handler.close();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return `http://127.0.0.1:${port}/mcp`;
}

test('tools over HTTP: capped results, one epoch for a batch of changes, and a changed tool is asked about again', async () => {
  const world = createInteractiveWorld();
  const settings = { mcp: { servers: { web: { type: 'http', url: await httpServer() } } } };
  world.io.content.set('/home/me/.config/longhaul/config.json', new TextEncoder().encode(JSON.stringify(settings)));
  const call = (name: string) => ({ toolCalls: [{ name: `mcp__web__${name}`, arguments: {} }] });
  const done = { text: 'Done.' };
  const { app, model } = await openInteractive({
    world,
    script: [call('long'), call('act'), call('act'), done, call('change'), done, call('act'), done],
  });
  expect(app.opened.mcp?.list()).toMatchObject([{ name: 'web', state: 'ready' }]);
  const asked: string[] = [];
  app.on((event) => {
    if (event.type !== 'question') return;
    asked.push(event.question.tool);
    void app.answer({ id: event.question.id, answer: { kind: 'always' } });
  });
  const say = async (text: string) => {
    await app.submit({ text });
    await app.idle();
  };
  const epochs = async () => (await app.session.session.read({ types: ['epoch'] })).length;
  await say('Work.');
  expect(asked).toEqual(['mcp__web__long', 'mcp__web__act']);
  const result = JSON.stringify(model.requests[1]?.items);
  expect(result).toContain('first line of text');
  expect(result).toMatch(/characters in \d+ lines left out; recall @\d+ for all of it …\]/);
  expect(result.length).toBeLessThan(500_000);
  expect(JSON.stringify(model.requests[3]?.items)).toContain('acted');
  const before = await epochs();
  await say('Change.');
  await expect.poll(() => app.opened.mcp?.list()[0]?.tools).toContain('mcp__web__more_4');
  await say('Act again.');
  expect((await epochs()) - before).toBe(1);
  expect(model.requests.at(-1)?.tools?.map(({ name }) => name)).toContain('mcp__web__more_4');
  expect(asked).toEqual(['mcp__web__long', 'mcp__web__act', 'mcp__web__change', 'mcp__web__act']);
});
