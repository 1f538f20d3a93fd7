import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { LonghaulError } from '../../errors.ts';
import { isLocalRequest, loopbackAuthorities } from '../../page/local-request.ts';
import type { IElementEpochData, ITraceEpoch } from '../trace.ts';
import type { PageEpoch } from './shape.ts';
import type { TraceSource } from './source.ts';
import { TracePage } from './trace-page.ts';
import type { ITraceData, ITraceFailure, ITracer } from './tracer.ts';

/** A page that is served until it is closed. */
export interface TraceServer {
  /** URL with the token. */
  readonly address: string;
  close(): Promise<void>;
}

/** The same with the names of prompt-tsx. */
export interface IHTMLServer {
  address: string;
  getHTML(): Promise<string>;
  dispose(): void;
}

/** Handles requests on an existing server; `route` returns whether it handled one. */
export interface IHTMLRouter {
  address: string;
  route(httpIncomingMessage: unknown, httpOutgoingMessage: unknown): boolean;
}

/** Default number of budgets in a standalone file. */
const rendersInFile = 49;

/**
 * Traces a render and creates a page: every element with its share, priority and tokens, what was pruned and why, at
 * any budget. It shows the last traced render, even if it did not fit.
 *
 * @example
 * const tracer = new HTMLTracer();
 * await render({ element, budget: 8000, tokenizer, tracer });
 * await writeFile('prompt.html', await tracer.toHTML());
 */
export class HTMLTracer implements ITracer {
  readonly #title: string;
  #epochs: { of: ITraceEpoch; shares: (readonly [number, number])[] }[] = [];
  #page: TracePage | undefined;

  constructor({ title = 'A prompt' }: { readonly title?: string } = {}) {
    this.#title = title;
  }

  addRenderEpoch(of: ITraceEpoch): void {
    this.#epochs.push({ of, shares: of.elements.map(({ id, tokenBudget }) => [id, tokenBudget]) });
  }

  includeInEpoch({ id, tokenBudget }: IElementEpochData): void {
    this.#epochs.at(-1)?.shares.push([id, tokenBudget]);
  }

  didMaterializeTree(trace: ITraceData): void {
    this.#watched(trace);
  }

  didNotFit(failure: ITraceFailure): void {
    this.#watched(failure);
  }

  /** The page as a standalone file, with the prompt at `renders` budgets. */
  toHTML({ renders = rendersInFile }: { readonly renders?: number } = {}): Promise<string> {
    return this.#shown().html({ renders });
  }

  /** Serves the page on this machine only, under a secret path. Supports any budget. */
  async serve({ port = 0 }: { readonly port?: number } = {}): Promise<TraceServer> {
    const page = this.#shown();
    const token = crypto.randomUUID();
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => {
      const authorities = loopbackAuthorities(request.socket.localPort ?? port);
      void answer({ page, token, request, response, authorities });
    });
    const address = await listen({ server, port });
    return { address: `${address}/${token}/`, close: () => closed(server) };
  }

  /** Like `serve`, with the name of prompt-tsx. */
  async serveHTML(): Promise<IHTMLServer> {
    const page = this.#shown();
    const { address, close } = await this.serve();
    return { address, getHTML: () => page.html({ renders: 'live' }), dispose: () => void close() };
  }

  /** Serves on an existing server at `url`, like prompt-tsx. */
  serveRouter(url: string): IHTMLRouter {
    const page = this.#shown();
    const at = URL.parse(url);
    const isLoopback = at && ['127.0.0.1', 'localhost', '[::1]'].includes(at.hostname);
    const authorities = isLoopback ? loopbackAuthorities(Number(at.port || 80)) : [at?.host ?? ''];
    const token = crypto.randomUUID();
    return {
      address: `${url.replace(/\/$/, '')}/${token}/`,
      route(incoming, outgoing) {
        const request = incoming as IncomingMessage;
        const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
        if (!isUnder({ token, pathname })) return false;
        void answer({ page, token, request, response: outgoing as ServerResponse, authorities });
        return true;
      },
    };
  }

  #watched(source: TraceSource): void {
    const epochs = this.#epochs.map(({ of, shares }): PageEpoch => {
      const { inNode, flexValue: flexGrow, tokenBudget: budget, reservedTokens: reserved } = of;
      return { ...(inNode !== undefined && { in: inNode }), flexGrow, budget, reserved, shares };
    });
    this.#epochs = [];
    this.#page = new TracePage({ source, title: this.#title, epochs });
  }

  #shown(): TracePage {
    if (this.#page) return this.#page;
    throw new LonghaulError({
      code: 'nothing-traced',
      message: 'This tracer has not traced a render yet, so there is nothing to show.',
      hint: 'Pass it to a render first.',
    });
  }
}

async function answer(of: {
  readonly page: TracePage;
  readonly token: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly authorities: readonly string[];
}): Promise<void> {
  const { page, token, request, response, authorities } = of;
  const { method = 'GET', url = '/', headers } = request;
  const text = { type: 'text/plain; charset=utf-8' };
  const { status, type, body } = isLocalRequest({ headers, authorities })
    ? await answerFor({ page, token, method, url }).catch((error: unknown) => ({
        ...text,
        status: 500,
        body: error instanceof Error ? error.message : String(error),
      }))
    : { ...text, status: 403, body: 'This server only accepts requests from this machine.' };
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  response.end(body);
}

function listen({ server, port }: { readonly server: Server; readonly port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const at = server.address();
      resolve(`http://127.0.0.1:${typeof at === 'object' && at ? at.port : port}`);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // Browsers keep connections open, so close them explicitly.
    server.closeAllConnections();
  });
}

/** A response. */
interface HttpAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Upper limit of a budget. */
const mostTokens = 1_000_000_000;

/**
 * Handles requests of the page: the document at `/TOKEN/`, a render at `/TOKEN/render?budget=N`. Without the token
 * everything is 404.
 *
 * @example
 * const { status, body } = await answerFor({ page, token, method: 'GET', url: `/${token}/render?budget=800` });
 */
async function answerFor({
  page,
  token,
  method,
  url,
}: {
  readonly page: TracePage;
  readonly token: string;
  readonly method: string;
  readonly url: string;
}): Promise<HttpAnswer> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  if (!isUnder({ token, pathname })) return plain(404, 'Not found.');
  if (method !== 'GET') return plain(405, 'Only GET is supported.');
  switch (pathname.slice(token.length + 1)) {
    case '':
    case '/':
      return { status: 200, type: 'text/html; charset=utf-8', body: await page.html({ renders: 'live' }) };
    case '/render': {
      const budget = Number(searchParams.get('budget') ?? Number.NaN);
      if (!Number.isSafeInteger(budget) || budget < 0 || budget > mostTokens)
        return plain(400, 'budget must be a whole number of tokens.');
      return { status: 200, type: 'application/json', body: JSON.stringify(await page.render(budget)) };
    }
    default:
      return plain(404, 'Not found.');
  }
}

/** Whether a path starts with the token. */
function isUnder({ token, pathname }: { readonly token: string; readonly pathname: string }): boolean {
  return pathname === `/${token}` || pathname.startsWith(`/${token}/`);
}

function plain(status: number, body: string): HttpAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}
