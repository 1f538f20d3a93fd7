import { createReadStream, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { outlineLines } from '@longhaul/workspace/outline';
import { openCodeIndex } from '@longhaul/workspace/search';
import { createTools, type OutlineFile, type ToolsInput } from 'longhaul/agent';
import { importSession } from 'longhaul/formats';
import { createMemoryStore, openSession, visibleItem } from 'longhaul/session';
import { createTokenizer } from 'longhaul/tokens';
import { readCall } from '../../packages/engine/src/analysis/calls/call.ts';
import { listedIn } from '../import/listed.ts';

/** A request of a user with the files that the agent opened or changed for it. */
interface Request {
  readonly text: string;
  readonly files: Set<string>;
}

interface Repository {
  readonly requests: Request[];
  /** What the sessions show of each file: the longest text that was read or written. */
  readonly files: Map<string, string>;
  readonly reads: string[];
}

/**
 * What code search and outlines are worth to an agent, on real sessions. Their workspaces are not there any more, so each is
 * put together from what its sessions read and wrote: fewer files than there were, hence also what chance would find.
 */
export async function measureSessions(folder: string): Promise<void> {
  const repositories = new Map<string, Repository>();
  for (const { path, file } of listedIn(folder)) {
    const name = file.split('/')[0] ?? file;
    const repository = repositories.get(name) ?? { requests: [], files: new Map(), reads: [] };
    repositories.set(name, repository);
    await readSession({ path, repository });
  }
  const tokenizer = await createTokenizer('o200k_base');
  const count = (text: string) => tokenizer.count(text);
  console.log('repository                       files  requests  opened  in the first ten  by chance');
  const sum = { opened: 0, found: 0, chance: 0 };
  const reading = { reads: 0, over: 0, blunt: 0, outlined: 0 };
  for (const [name, repository] of repositories) {
    if (repository.files.size < 11) continue;
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-sessions-')));
    try {
      const root = join(scratch, 'workspace');
      const paths = [...repository.files.keys()];
      for (const [path, text] of repository.files) {
        // Some agents list folders with the tool that reads files.
        if (paths.some((other) => other.startsWith(`${path}/`))) {
          repository.files.delete(path);
          continue;
        }
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      const { opened, found, requests, files } = await searched({
        root,
        file: join(scratch, 'index.sqlite'),
        repository,
      });
      const chance = opened * Math.min(1, 10 / files);
      const cells = [String(files).padStart(6), String(requests).padStart(10), String(opened).padStart(8)];
      console.log(
        `${name.padEnd(32)}${cells.join('')}${share(found / opened).padStart(18)}${share(chance / opened).padStart(11)}`,
      );
      sum.opened += opened;
      sum.found += found;
      sum.chance += chance;
      await compareReads({ root, reads: repository.reads, count, into: reading });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  console.log(
    `in all: ${sum.found} of ${sum.opened} opened files (${share(sum.found / sum.opened)}) are in the first ten results for the request; by chance ${share(sum.chance / sum.opened)}`,
  );
  console.log(
    `read: ${reading.reads} whole files, ${reading.over} of them over the cap: ${reading.blunt} tokens cut, ${reading.outlined} as outlines`,
  );
}

async function readSession({
  path,
  repository,
}: {
  readonly path: string;
  readonly repository: Repository;
}): Promise<void> {
  const store = createMemoryStore();
  const { session } = await importSession({ store, path, open: () => createReadStream(path) });
  const live = await openSession({ store, id: session });
  const root = live.header.cwd ?? '';
  const pending = new Map<string, string>();
  let request: Request | undefined;
  for (const entry of await live.path()) {
    const message = visibleItem(entry)?.message;
    if (!message) continue;
    for (const part of message.parts) {
      if (message.role === 'user' && part.type === 'text' && part.origin === 'human') {
        request = { text: part.text, files: new Set() };
        repository.requests.push(request);
      }
      if (part.type === 'tool_call') {
        const { reads, changes, args, kind } = readCall({ part, directory: root });
        for (const { path: opened } of [...reads, ...changes]) {
          const inside = insideOf({ root, path: opened });
          if (inside === undefined) continue;
          request?.files.add(inside);
          if (kind === 'read' && reads.length === 1) pending.set(part.id, inside);
          const content = args.content ?? args.file_text;
          if (kind === 'write' && typeof content === 'string') keep({ repository, path: inside, text: content });
        }
      }
      if (part.type === 'tool_result') {
        const opened = pending.get(part.callId);
        const text = part.content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join('\n');
        if (opened === undefined || part.isError) continue;
        keep({ repository, path: opened, text: withoutNumbers(text) });
        repository.reads.push(opened);
      }
    }
  }
}

function keep({
  repository,
  path,
  text,
}: {
  readonly repository: Repository;
  readonly path: string;
  readonly text: string;
}): void {
  if (text.length > (repository.files.get(path)?.length ?? 0)) repository.files.set(path, text);
}

/** A path from the root of the workspace; `undefined` for what is outside. */
function insideOf({ root, path }: { readonly root: string; readonly path: string }): string | undefined {
  const whole = posix.normalize(path.replaceAll('\\', '/'));
  const inside = whole.startsWith('/')
    ? root !== '' && whole.startsWith(`${root}/`)
      ? whole.slice(root.length + 1)
      : undefined
    : whole;
  return inside === undefined || inside.startsWith('..') || inside === '.' ? undefined : inside;
}

/** Agents number lines in several ways. */
function withoutNumbers(text: string): string {
  return text.replace(/^<(?:file|content|path|type)>.*$/gm, '').replace(/^ {0,8}\d{1,6}(?:\t|→|\||: )/gm, '');
}

async function searched(of: { readonly root: string; readonly file: string; readonly repository: Repository }) {
  const index = openCodeIndex({ root: of.root, file: of.file });
  const { files } = await index.refresh();
  let [opened, found, requests] = [0, 0, 0];
  for (const request of of.repository.requests) {
    const wanted = [...request.files].filter((path) => of.repository.files.has(path));
    if (wanted.length === 0) continue;
    const { results } = await index.search({ query: request.text, limit: 200 });
    const first = new Set([...new Set(results.map(({ path }) => path))].slice(0, 10));
    requests += 1;
    opened += wanted.length;
    found += wanted.filter((path) => first.has(path)).length;
  }
  await index.close();
  return { opened, found, requests, files };
}

/** Reads each file that an agent read whole with the tool itself, cut and as an outline. */
async function compareReads(of: {
  readonly root: string;
  readonly reads: readonly string[];
  readonly count: (text: string) => number;
  readonly into: { reads: number; over: number; blunt: number; outlined: number };
}): Promise<void> {
  const { root, reads, count, into } = of;
  const outline: OutlineFile = ({ path, text, around, characters }) => outlineLines({ path, text, around, characters });
  const session = { state: async () => undefined, session: {} } as unknown as ToolsInput['session'];
  const toolsWith = (more: Partial<ToolsInput>) =>
    createTools({ cwd: root, session, count, env: {}, home: root, ...more });
  const [blunt, outlined] = [toolsWith({}), toolsWith({ outline })];
  const tokensOf = async ({ tools, path }: { readonly tools: typeof blunt; readonly path: string }) => {
    const read = tools.find(({ definition }) => definition.name === 'read');
    const signal = new AbortController().signal;
    const outcome = await read?.run({ input: { file_path: path }, callId: 'read', signal });
    return count(outcome?.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') ?? '');
  };
  for (const path of reads) {
    const [before, after] = [await tokensOf({ tools: blunt, path }), await tokensOf({ tools: outlined, path })];
    into.reads += 1;
    if (before === after) continue;
    into.over += 1;
    into.blunt += before;
    into.outlined += after;
  }
  for (const tool of [...blunt, ...outlined]) await tool.close?.();
}

function share(value: number): string {
  return Number.isFinite(value) ? `${(100 * value).toFixed(1)} %` : '-';
}
