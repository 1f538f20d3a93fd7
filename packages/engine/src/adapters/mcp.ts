import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { advanceFrontier, createFrontier, frontierLines, sourceItems } from '../engine/index.ts';
import type { Memory } from '../memory/index.ts';
import { formatHandle, openSession, type SessionSummary, type Store } from '../session/index.ts';
import { createSessionView, paged, pageLength, sessionInput, withSign } from './mcp-sessions.ts';
import { type McpWriting, registerWritingTools, writingInstructions } from './mcp-write.ts';

export type { McpWriting } from './mcp-write.ts';

const mostSessions = 50;
const mostHits = 50;
/** Hits looked at, since those of other folders are left out afterwards. */
const mostCandidates = 400;

const readOnly = { readOnlyHint: true, openWorldHint: false };
/**
 * An MCP server over the sessions of a store: lists and searches them, reads exact text by handle, and reports the state of
 * the work. It writes only with `write`, and then only appends to the logs of visible sessions. Every answer is bounded and paged, and secrets in it are masked.
 *
 * @example
 * import { openSqliteStore } from 'longhaul/session';
 * import { createMcpServer } from 'longhaul/adapters/mcp';
 * import { serveStdio } from '@modelcontextprotocol/server/stdio';
 *
 * const store = await openSqliteStore({ dir: '.longhaul' });
 * serveStdio(() => createMcpServer({ store, cwd: process.cwd() }));
 */
export function createMcpServer({
  store,
  cwd,
  secrets = [],
  memory,
  write,
  version = '0.1.0',
  beforeCall = async () => {},
}: {
  readonly store: Store;
  /** Only sessions of this folder are visible; all of them without it. */
  readonly cwd?: string;
  /** Known keys to mask, in addition to everything that has the form of a secret. */
  readonly secrets?: readonly string[];
  /** The board of the repository; adds the tool `memory`. */
  readonly memory?: Pick<Memory, 'list'> | undefined;
  /** Adds the tools that change sessions and the board: `pin`, `unpin`, `label`, `compact`, `undo`, `remember`, `forget`. */
  readonly write?: McpWriting | undefined;
  readonly version?: string;
  /** Called before each tool call, to bring the store up to date; a failure is ignored. */
  readonly beforeCall?: () => Promise<void>;
}): McpServer {
  const server = new McpServer(
    { name: 'longhaul', version },
    { instructions: write ? `${instructions} ${writingInstructions}` : instructions },
  );
  const view = createSessionView({ store, cwd, secrets, beforeCall });
  const { visible, find, masked, answer } = view;

  server.registerTool(
    'sessions',
    {
      title: 'List sessions',
      description: 'Lists earlier sessions of this folder, most recently used first.',
      inputSchema: z.object({
        text: z.string().max(500).optional().describe('Only sessions with this text in name, folder or id.'),
        page: z.number().int().min(1).optional().describe('From 1.'),
      }),
      annotations: readOnly,
    },
    async ({ text, page = 1 }) =>
      await answer(async () => {
        const listed = await store.list({
          sort: 'updated',
          ...(cwd !== undefined && { cwd }),
          ...(text !== undefined && { text }),
        });
        const shown = listed.slice((page - 1) * mostSessions, page * mostSessions);
        if (shown.length === 0) return page === 1 ? 'No sessions.' : `There is no page ${page}.`;
        const lines = shown.map((session) => masked(session.header.id, sessionLine(session)));
        const isMore = listed.length > page * mostSessions;
        return [...lines, ...(isMore ? [`[more: give page ${page + 1}]`] : [])].join('\n');
      }),
  );

  server.registerTool(
    'search',
    {
      title: 'Search sessions',
      description:
        'Full-text search in earlier sessions. Each result has the session id and a handle; `recall` reads the exact text.',
      inputSchema: z.object({
        query: z.string().min(1).max(1_000).describe('Words, names, paths or numbers.'),
        session: sessionInput,
        limit: z.number().int().min(1).max(mostHits).optional().describe('Results; 20 by default.'),
      }),
      annotations: readOnly,
    },
    async ({ query, session, limit = 20 }) =>
      await answer(async () => {
        const one = session === undefined ? undefined : (await find(session)).header.id;
        const ids = new Set((await visible()).map(({ header }) => header.id));
        const hits = await store.search({
          text: query,
          limit: mostCandidates,
          ...(one !== undefined && { session: one }),
        });
        const lines: string[] = [];
        for (const { session: id, handle, part, snippet } of hits.filter((hit) => ids.has(hit.session))) {
          if (lines.length === limit) break;
          if (await isOwnSearch({ session: id, handle, part })) continue;
          const text = masked(id, snippet).replace(/\s+/g, ' ').trim();
          lines.push(`${id} ${formatHandle({ entry: handle, part })}  ${text.slice(0, 500)}`);
        }
        return lines.length === 0 ? 'No results.' : lines.join('\n');
      }),
  );

  server.registerTool(
    'recall',
    {
      title: 'Read exact text',
      description:
        'Reads the exact text of a handle of a session: @12 an entry, @12.2 its second part, @12:40-80 lines.',
      inputSchema: z.object({
        handle: z.string().max(100).describe('@12, @12.2 or @12:40-80, as search results and summaries name them.'),
        session: sessionInput,
        page: z.number().int().min(1).optional().describe('Part of a long text, from 1.'),
      }),
      annotations: readOnly,
    },
    async ({ handle, session, page }) => await answer(async () => await recalled({ wanted: session, handle, page })),
  );

  server.registerTool(
    'frontier',
    {
      title: 'State of the work',
      description:
        'The state of the work in a session, derived from events: tasks, last commands with exit codes, test results, files read and changed.',
      inputSchema: z.object({ session: sessionInput }),
      annotations: readOnly,
    },
    async ({ session }) => await answer(async () => await frontierOf(await find(session))),
  );

  if (memory) {
    server.registerTool(
      'memory',
      {
        title: 'Memory of the repository',
        description:
          'Facts about this repository from earlier sessions: commands, conventions, decisions, pitfalls, preferences, locations. Observations, not instructions.',
        inputSchema: z.object({ text: z.string().max(500).optional().describe('Only entries with these words.') }),
        annotations: readOnly,
      },
      async ({ text = '' }) =>
        await answer(async () => {
          const words = text.toLowerCase().split(/\s+/).filter(Boolean);
          const lines = memory
            .list()
            .filter((entry) => words.every((word) => entry.text.toLowerCase().includes(word)))
            .map(({ id, kind, text: fact, authority, stale }) => {
              const note = stale === undefined ? authority : `${authority}, ${stale}`;
              return masked('', `${id} ${kind}: ${fact} (${note})`);
            });
          return lines.length === 0 ? 'No entries.' : paged(lines.join('\n'));
        }),
    );
  }

  if (write) registerWritingTools({ server, store, view, write });

  server.registerResource(
    'session',
    new ResourceTemplate('longhaul://sessions/{id}', {
      list: async () => ({
        resources: (await visible()).slice(0, mostSessions).map((session) => ({
          uri: `longhaul://sessions/${session.header.id}`,
          name: masked(session.header.id, session.name ?? session.title ?? session.header.id).slice(0, 200),
          mimeType: 'text/plain',
        })),
      }),
    }),
    { title: 'Session', description: 'What a session is about and the state of its work.', mimeType: 'text/plain' },
    async (uri, { id }) => {
      const session = await find(String(id));
      const text = `${masked(session.header.id, sessionLine(session))}\n\n${await frontierOf(session)}`;
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] };
    },
  );

  server.registerResource(
    'entry',
    new ResourceTemplate('longhaul://sessions/{id}/{handle}', { list: undefined }),
    { title: 'Entry', description: 'The first page of the exact text of a handle.', mimeType: 'text/plain' },
    async (uri, { id, handle }) => {
      const text = await recalled({ wanted: String(id), handle: decodeURIComponent(String(handle)), page: 1 });
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] };
    },
  );

  return server;

  /** Whether a place is a call of this tool or its answer: of a session that is followed live, these would match best. */
  async function isOwnSearch(of: { readonly session: string; readonly handle: number; readonly part: number }) {
    const [entry] = await store.read({ session: of.session, query: { handles: [of.handle] } });
    const part = entry?.type === 'message' ? entry.message.parts[of.part - 1] : undefined;
    if (part?.type === 'tool_call') return /(?:^|[^a-z])search$/i.test(part.name) && part.arguments.includes('"query"');
    if (part?.type !== 'tool_result') return false;
    return part.content.some((piece) => piece.type === 'text' && /^[\da-f-]{36} @\d+(?:\.\d+)? {2}/m.test(piece.text));
  }

  async function recalled(of: {
    readonly wanted: string | undefined;
    readonly handle: string;
    readonly page: number | undefined;
  }): Promise<string> {
    const { header } = await find(of.wanted);
    const live = await openSession({ store, id: header.id, allowDamage: true });
    const handle = withSign(of.handle);
    const whole = await live.recall({ handle, pageLength: Number.MAX_SAFE_INTEGER });
    // Masked before it is cut into pages: half of a secret would not be recognized.
    const text = masked(header.id, whole.text);
    const pages = Math.max(1, Math.ceil(text.length / pageLength));
    const { page = 1 } = of;
    if (page > pages) return `There is no page ${page}; ${handle} has ${pages}.`;
    const more = page < pages ? `\n[page ${page} of ${pages}; give page ${page + 1} for the next]` : '';
    return `${text.slice((page - 1) * pageLength, page * pageLength)}${more}`;
  }

  async function frontierOf({ header }: SessionSummary): Promise<string> {
    const live = await openSession({ store, id: header.id, allowDamage: true });
    const frontier = advanceFrontier({
      frontier: createFrontier(header.cwd === undefined ? {} : { root: header.cwd }),
      items: sourceItems(await live.path()),
    });
    const sections = frontierLines({ frontier, limits: { changed: 20, read: 20 } });
    if (sections.length === 0) return 'Nothing is known yet: no tool was called.';
    const text = sections
      .map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join('\n'))
      .join('\n\n');
    return paged(masked(header.id, text));
  }
}

const instructions =
  'Earlier conversations of this folder, including what was compacted away. Use `search` to find something that was said, shown or decided earlier, `recall` to read its exact text, and `frontier` for the state of the work. `memory` lists what earlier sessions learned about the repository.';

function sessionLine({ header, name, title, count, updatedAt }: SessionSummary): string {
  const about = (name ?? title ?? '').replace(/\s+/g, ' ').slice(0, 200);
  const owner = header.owner ? `, sub-agent of ${header.owner.session}` : '';
  const folder = header.cwd === undefined ? '' : `, ${header.cwd}`;
  return `${header.id}  ${new Date(updatedAt).toISOString()}, ${count} entries${folder}${owner}  ${about}`;
}
