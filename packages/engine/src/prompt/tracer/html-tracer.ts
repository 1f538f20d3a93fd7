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
  /** Where to look, with the token. */
  readonly address: string;
  close(): Promise<void>;
}

/** The same, by the names of prompt-tsx. */
export interface IHTMLServer {
  address: string;
  getHTML(): Promise<string>;
  dispose(): void;
}

/** Answers on somebody else's server; `route` says whether a request was for it. */
export interface IHTMLRouter {
  address: string;
  route(httpIncomingMessage: unknown, httpOutgoingMessage: unknown): boolean;
}

/** So many budgets are in a file without a server, unless it is asked for more. */
const rendersInFile = 49;

/**
 * Watches a render and makes a page of it: every element with its share, priority and tokens, what was pruned and why, at
 * any budget. It shows the last render that it watched, also one that did not fit.
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

  /** The page as one file that needs nothing else, with the prompt at `renders` budgets. */
  toHTML({ renders = rendersInFile }: { readonly renders?: number } = {}): Promise<string> {
    return this.#shown().html({ renders });
  }

  /** Serves the page on this machine only, under a path that cannot be guessed. It answers for any budget. */
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

  /** As `serve`, by the name of prompt-tsx. */
  async serveHTML(): Promise<IHTMLServer> {
    const page = this.#shown();
    const { address, close } = await this.serve();
    return { address, getHTML: () => page.html({ renders: 'live' }), dispose: () => void close() };
  }

  /** Answers on a server that somebody else runs at `url`, as prompt-tsx does. */
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
      message: 'This tracer has not watched a render yet, so there is nothing to show.',
      hint: 'Give it to a render first, and ask for the page afterwards.',
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
        ...{ ...text, status: 500 },
        body: error instanceof Error ? error.message : String(error),
      }))
    : { ...text, status: 403, body: 'This server answers requests of this machine only.' };
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
    // Browsers keep connections open.
    server.closeAllConnections();
  });
}

/** An answer to a request. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Budgets above this are no budgets. */
const mostTokens = 1_000_000_000;

/**
 * Answers for the page: the document at `/TOKEN/`, a render at `/TOKEN/render?budget=N`. Who does not know the token
 * learns nothing.
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
}): Promise<Answer> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  if (!isUnder({ token, pathname })) return plain(404, 'There is nothing here.');
  if (method !== 'GET') return plain(405, 'Only GET is answered.');
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
      return plain(404, 'There is nothing here.');
  }
}

/** Whether a path begins with the token. */
function isUnder({ token, pathname }: { readonly token: string; readonly pathname: string }): boolean {
  return pathname === `/${token}` || pathname.startsWith(`/${token}/`);
}

function plain(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body };
}
