/** Opens a session in a process of its own and says what that took. Arguments: the way, the path. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { openSession, openSqliteStore, type Store } from 'longhaul/session';

export interface Opened {
  readonly ms: number;
  readonly rows: number;
  readonly items: number;
  readonly megabytes: number;
}

const ways: Readonly<Record<string, (path: string) => Promise<() => Promise<{ rows: number; items: number }>>>> = {
  longhaul: async (dir) => {
    const store = await openSqliteStore({ dir });
    let rows = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (name !== 'read') return typeof member === 'function' ? member.bind(target) : member;
        return async (input: Parameters<Store['read']>[0]) => {
          const entries = await target.read(input);
          rows += entries.length;
          return entries;
        };
      },
    });
    return async () => {
      const session = await openSession({ store: counting, id: 'bench' });
      // The header and the head are a row each.
      return { rows: rows + 2, items: session.context.items.length };
    };
  },
  pi: async (path) => {
    const { SessionManager } = await import('@mariozechner/pi-coding-agent');
    return async () => {
      const manager = SessionManager.open(path);
      return { rows: manager.getEntries().length, items: manager.buildSessionContext().messages.length };
    };
  },
  'JSON.parse per line': async (path) => async () => {
    const entries: unknown[] = [];
    for await (const line of createInterface({ input: createReadStream(path) })) entries.push(JSON.parse(line));
    return { rows: entries.length, items: entries.length };
  },
};

const [way = '', path = ''] = process.argv.slice(2);
const open = await ways[way]?.(path);
if (!open) throw new Error(`There is no way "${way}".`);
const before = process.memoryUsage().rss;
const started = performance.now();
const { rows, items } = await open();
const ms = performance.now() - started;
const megabytes = (process.memoryUsage().rss - before) / 2 ** 20;
process.stdout.write(JSON.stringify({ ms, rows, items, megabytes } satisfies Opened));
process.exit();
