import { Hono } from 'hono';
import { openSession, type Store } from 'longhaul/session';
import { openApi } from './openapi.ts';
import type { Reporter } from './report/reporter.ts';

/** The gateway's own routes under `/longhaul`; `openapi.ts` describes them. */
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
