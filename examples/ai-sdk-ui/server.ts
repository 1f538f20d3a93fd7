/**
 * A chat in the browser with AI SDK UI and no other framework. The conversation is kept in a session: a reload shows all of
 * it, and an answer that is running goes on in the new page.
 *
 *     OPENAI_API_KEY=… node --conditions=longhaul-source examples/ai-sdk-ui/server.ts
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { serve } from '@hono/node-server';
import { type LanguageModel, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { createLonghaul, type Longhaul } from 'longhaul';
import { longhaul, recallTool } from 'longhaul/adapters/ai-sdk';
import { createChatHandler } from 'longhaul/adapters/ai-sdk-ui';
import { rolldown } from 'rolldown';
import { z } from 'zod';

/** Serves the page and its chats on this machine. */
export async function startChat({
  sessions,
  model,
  window,
  port = 0,
  read = (path) => readFile(path, 'utf8'),
}: {
  readonly sessions: Longhaul;
  readonly model: Exclude<LanguageModel, string>;
  readonly window?: number;
  readonly port?: number;
  readonly read?: (path: string) => string | Promise<string>;
}) {
  const chat = createChatHandler({
    sessions,
    respond: ({ session, messages, signal }) =>
      streamText({
        model: wrapLanguageModel({ model, middleware: longhaul(session, { ...(window !== undefined && { window }) }) }),
        instructions: 'You are a careful engineer.',
        messages,
        tools: {
          recall: recallTool(session),
          read: tool({
            description: 'Reads a file.',
            inputSchema: z.object({ path: z.string() }),
            execute: async ({ path }) => ({ path, text: await read(path) }),
          }),
        },
        stopWhen: stepCountIs(1_000),
        maxRetries: 0,
        abortSignal: signal,
        onError: () => undefined,
      }),
  });
  const script = await pageScript();
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/api/chat')) return await chat(request);
    if (pathname === '/page.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } });
    return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  };
  const server = serve({ fetch, port, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const html = `<!doctype html>
<title>Chat</title>
<link rel="icon" href="data:,">
<div id="root"></div>
<script type="module" src="/page.js"></script>
`;

async function pageScript(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'page.tsx'),
    platform: 'browser',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.generate({ minify: true, codeSplitting: false });
  return output[0].code;
}

if (import.meta.main) {
  const sessions = await createLonghaul({ dir: '.longhaul-chat' });
  const { url } = await startChat({ sessions, model: createOpenAI({})('gpt-4.1'), port: 3000 });
  console.log(`${url}/?chat=example`);
}
