import { Hono } from 'hono';
import { openSession, type Store } from 'longhaul/session';
import packageFile from '../package.json' with { type: 'json' };
import type { Reporter } from './report/reporter.ts';

/** The gateway's own routes under `/longhaul`; `openApi` describes them. */
export function createApi({ reporter, store }: { readonly reporter: Reporter; readonly store: Store }): Hono {
  const app = new Hono().basePath('/longhaul');
  app.get('/health', (context) => context.json({ status: 'ok' }));
  app.get('/metrics', async (context) =>
    context.body(await reporter.metrics.text(), 200, { 'content-type': reporter.metrics.contentType }),
  );
  app.get('/openapi.json', (context) => context.json(openApi));
  app.get('/report', (context) => context.json(reporter.log.report({ limit: limitOf(context.req.query('limit')) })));
  app.get('/conversations', async (context) => {
    const { conversations } = reporter.log.report({ limit: limitOf(context.req.query('limit')) });
    const sessions = new Map((await store.list()).map((each) => [each.header.id, each]));
    const listed = conversations.flatMap((each) => {
      const found = sessions.get(each.session);
      if (!found) return [];
      const { title, messages, header } = found;
      const { owner, parent } = header;
      return [
        { ...each, title: title ?? null, messages, owner: owner?.session ?? null, parent: parent?.session ?? null },
      ];
    });
    return context.json({ conversations: listed });
  });
  app.get('/conversations/:id', async (context) => {
    const id = context.req.param('id');
    const header = await store.header(id);
    if (!header)
      return context.json({ error: { code: 'session-missing', message: `There is no session ${id}.` } }, 404);
    const session = await openSession({ store, id });
    const items = session.context.items.map(({ message, entry, isMade }) => ({
      role: message.role,
      entry,
      isMade,
      parts: message.parts,
    }));
    return context.json({ header, head: session.head, items });
  });
  app.notFound((context) => context.json({ error: { code: 'not-found', message: 'No such route.' } }, 404));
  app.onError((error, context) => context.json({ error: { code: 'internal', message: error.message } }, 500));
  return app;
}

/** How many conversations to list. */
function limitOf(text: string | undefined): number {
  const value = Number(text ?? 100);
  return Number.isInteger(value) && value > 0 && value <= 10_000 ? value : 100;
}

const number = { type: 'number' } as const;
const text = { type: 'string' } as const;
const nullable = (type: string) => ({ type: [type, 'null'] }) as const;

const totals = {
  requests: number,
  tokensReceived: { ...number, description: 'Tokens of the prompts as clients made them, estimated from their bytes.' },
  tokensForwarded: { ...number, description: 'Tokens of the prompts as they were sent, by the count of the provider.' },
  tokensCached: { ...number, description: 'Those of them that came from the cache of the provider.' },
  tokensOut: number,
  compactions: number,
  saved: { ...nullable('number'), description: 'Dollars, net of cache writes and of summaries; null without prices.' },
} as const;

const conversation = {
  ...totals,
  session: { ...text, description: 'The id of the session in the store.' },
  client: text,
  model: text,
  first: { ...number, description: 'Milliseconds since 1970.' },
  last: number,
} as const;

const object = (properties: object) => ({ type: 'object', properties }) as const;
const list = (items: object) => ({ type: 'array', items }) as const;
const json = (schema: object) => ({ description: 'OK', content: { 'application/json': { schema } } });
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 100 } };

/** The description of the routes under `/longhaul`, served as `/longhaul/openapi.json`. */
const openApi = {
  openapi: '3.1.0',
  info: { title: 'Longhaul gateway', version: packageFile.version },
  components: { securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'x-longhaul-token' } } },
  security: [{ token: [] }],
  paths: {
    '/longhaul/health': {
      get: { summary: 'Whether the gateway runs', responses: { 200: json(object({ status: text })) } },
    },
    '/longhaul/metrics': {
      get: {
        summary: 'Metrics for Prometheus',
        responses: { 200: { description: 'OK', content: { 'text/plain': {} } } },
      },
    },
    '/longhaul/report': {
      get: {
        summary: 'What passed through the gateways of this store',
        parameters: [limit],
        responses: {
          200: json(
            object({
              totals: object(totals),
              overhead: object({ p50: number, p99: number }),
              conversations: list(object(conversation)),
            }),
          ),
        },
      },
    },
    '/longhaul/conversations': {
      get: {
        summary: 'Conversations, newest first',
        parameters: [limit],
        responses: {
          200: json(
            object({
              conversations: list(
                object({
                  ...conversation,
                  title: nullable('string'),
                  messages: number,
                  owner: { ...nullable('string'), description: 'The session that started this one as a sub-agent.' },
                  parent: { ...nullable('string'), description: 'The session that this one was branched from.' },
                }),
              ),
            }),
          ),
        },
      },
    },
    '/longhaul/conversations/{id}': {
      get: {
        summary: 'What is sent for a conversation now',
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        responses: {
          200: json(
            object({ header: object({}), head: object({}), items: list(object({ role: text, parts: list({}) })) }),
          ),
          404: { description: 'There is no such session.' },
        },
      },
    },
  },
} as const;
