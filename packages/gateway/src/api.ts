import { Hono } from 'hono';

/** The gateway's own routes under `/longhaul`. */
export function createApi(): Hono {
  const app = new Hono().basePath('/longhaul');
  app.get('/health', (context) => context.json({ status: 'ok' }));
  app.notFound((context) => context.json({ error: { code: 'not-found', message: 'No such route.' } }, 404));
  return app;
}
