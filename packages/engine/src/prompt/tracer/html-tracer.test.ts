import { describe, expect, test } from 'vitest';
import type { PromptPiece } from '../element.ts';
import { SystemMessage, UserMessage } from '../elements/messages.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import { Expandable, IfEmpty } from '../elements/wrappers.ts';
import { Fragment, h } from '../jsx.ts';
import { render } from '../render.ts';
import type { ITokenizer } from '../tokenizer.ts';
import { HTMLTracer } from './html-tracer.ts';
import type { PageNode, PagePrompt, PageRender } from './shape.ts';
import { budgetsFor } from './trace-page.ts';

const letters: ITokenizer<1> = {
  mode: 1,
  tokenLength: (part) => (part.type === 1 ? part.text.length : 0),
  countMessageTokens: ({ content }) =>
    1 + content.reduce((sum, part) => sum + (part.type === 1 ? part.text.length : 0), 0),
};

async function traced(element: PromptPiece, budget: number): Promise<HTMLTracer> {
  const tracer = new HTMLTracer();
  await render({ element, budget, tokenizer: letters, tracer }).catch(() => undefined);
  return tracer;
}

async function dataOf(tracer: HTMLTracer) {
  const html = await tracer.toHTML({ renders: 9 });
  const blocks = <T>(name: string) =>
    [...html.matchAll(new RegExp(`data-name="${name}">(.*?)</script>`, 'g'))].map(
      ([, text = '']) => JSON.parse(text) as T,
    );
  const renders = blocks<PageRender>('render');
  const at = (budget: number) => renders.find((each) => each.budget === budget);
  return { prompt: blocks<PagePrompt>('prompt')[0], nodes: blocks<PageNode[]>('nodes').flat(), renders, at };
}

const two = h(
  Fragment,
  null,
  h(SystemMessage, {}, 'system'),
  h(UserMessage, { priority: 5 }, h(TextChunk, { priority: 1 }, 'first'), h(TextChunk, { priority: 2 }, 'second')),
);

describe('a traced render', () => {
  test('has every node with its tokens, and what was pruned at each budget', async () => {
    const { prompt, nodes, at, renders } = await dataOf(await traced(two, 14));
    expect(prompt).toMatchObject({ budget: 14, whole: 7 + 13, isLive: false });
    expect(nodes.filter(({ kind }) => kind === 'message').map(({ name, tokens }) => [name, tokens])).toEqual([
      ['system', 7],
      ['user', 13],
    ]);
    const first = nodes.find(({ text }) => text === 'first');
    expect(at(14)?.gone[0]).toEqual([first?.key, 0, 0]);
    expect(at(14)?.tokens).toBe(14);
    expect(at(20)?.gone).toEqual([]);
    expect(at(0)?.failure).toContain('Nothing of the prompt fits 0 tokens');
    expect(renders.length).toBeLessThanOrEqual(9);
  });

  test('has the start of a long text, in whole characters', async () => {
    const { nodes } = await dataOf(await traced(h(UserMessage, {}, `a${'😀'.repeat(2000)}`), 5000));
    const text = nodes.find(({ kind }) => kind === 'text')?.text;
    expect([text?.length, text?.isWellFormed()]).toEqual([1999, true]);
  });

  test('may be a prompt that did not fit', async () => {
    const { prompt, at } = await dataOf(await traced(two, 3));
    expect(prompt?.budget).toBe(3);
    expect(at(3)?.failure).toBeDefined();
    expect(at(20)?.tokens).toBe(20);
  });

  test('has grown elements and alternatives', async () => {
    const grows = h(
      UserMessage,
      {},
      'grow',
      h(Expandable, { value: ({ tokenBudget }) => '+'.repeat(Math.min(tokenBudget, 9)) }),
    );
    const roomy = await dataOf(await traced(grows, 30));
    expect(roomy.at(30)?.added.map(({ text }) => text)).toContain('+++++++++');
    expect(roomy.at(30)?.replaced).toHaveLength(1);
    const alternative = h(
      Fragment,
      null,
      h(SystemMessage, {}, 'keep this'),
      h(IfEmpty, { alt: h(UserMessage, {}, 'alt') }, h(UserMessage, { priority: 1 }, 'a long question')),
    );
    const small = await dataOf(await traced(alternative, 15));
    expect(small.at(15)?.added.map(({ text }) => text)).toContain('alt');
  });

  test('is required, otherwise an error says so', async () => {
    await expect(async () => new HTMLTracer().toHTML()).rejects.toThrow('has not traced a render yet');
  });
});

describe('the server', () => {
  test('answers on loopback, and only with the token', async () => {
    const server = await (await traced(two, 14)).serve();
    try {
      const { origin, hostname } = new URL(server.address);
      expect(hostname).toBe('127.0.0.1');
      expect((await fetch(server.address)).headers.get('content-type')).toContain('text/html');
      expect((await fetch(origin)).status).toBe(404);
      expect((await fetch(`${origin}/render?budget=14`)).status).toBe(404);
      expect(await (await fetch(`${server.address}render?budget=14`)).json()).toMatchObject({ budget: 14, tokens: 14 });
      expect((await fetch(`${server.address}render?budget=-1`)).status).toBe(400);
      expect((await fetch(`${server.address}render?budget=1e99`)).status).toBe(400);
      expect((await fetch(`${server.address}else`)).status).toBe(404);
      expect((await fetch(server.address, { method: 'POST' })).status).toBe(405);
      expect((await fetch(server.address, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
      expect(await statusFor({ address: server.address, host: 'evil.example' })).toBe(403);
    } finally {
      await server.close();
    }
    await expect(fetch(server.address)).rejects.toThrow();
  });

  test('is available with the names of prompt-tsx', async () => {
    const tracer = await traced(two, 14);
    const server = await tracer.serveHTML();
    expect(await server.getHTML()).toContain('<!doctype html>');
    server.dispose();
    const { createServer } = await import('node:http');
    const router = { current: tracer.serveRouter('http://127.0.0.1:1') };
    const own = createServer((request, response) => {
      if (!router.current.route(request, response)) response.writeHead(418).end();
    });
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const address = own.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    router.current = tracer.serveRouter(url);
    try {
      expect((await fetch(router.current.address)).status).toBe(200);
      expect((await fetch(`${url}/other`)).status).toBe(418);
    } finally {
      own.close();
      own.closeAllConnections();
    }
  });
});

test('the budgets of a file range from 0 to beyond the total, including the relevant ones', () => {
  const budgets = budgetsFor({ budget: 1000, whole: 4000, most: 49 });
  expect(budgets).toEqual([...budgets].sort((a, b) => a - b));
  expect(budgets.length).toBeLessThanOrEqual(49);
  expect(budgets).toContain(1000);
  expect(budgets).toContain(4000);
  expect(budgets[0]).toBe(0);
});

/** `fetch` does not send a foreign `Host`, as a browser does after DNS rebinding. */
async function statusFor({ address, host }: { readonly address: string; readonly host: string }): Promise<number> {
  const { get } = await import('node:http');
  const { promise, resolve } = Promise.withResolvers<number>();
  get(address, { headers: { host } }, (response) => resolve(response.resume().statusCode ?? 0));
  return await promise;
}
