import { createHash } from 'node:crypto';
import { posix, win32 } from 'node:path';
import { LonghaulError } from 'longhaul';
import type { ExportFormat } from 'longhaul/formats';
import type { Io, ProcessEnvironment } from '../io/io.ts';
import { closest } from '../text/closest.ts';

/** An agent that sessions can be moved to. */
export interface ResumingClient {
  /** As typed; also its program. */
  readonly name: string;
  readonly title: string;
  readonly format: ExportFormat;
  /** Where its sessions are. Absent if it imports a file. */
  readonly place?: (input: ResumePlace) => string | Promise<string>;
  /** The commands that open the session. */
  readonly resume: (input: { readonly id: string; readonly path: string }) => readonly string[];
  /** Arguments that start a session with a first prompt. */
  readonly start: (prompt: string) => readonly string[];
  /** Whether a session is a folder with one file per record. */
  readonly isFolder?: true;
}

interface ResumePlace {
  /** The id in the exported file. */
  readonly id: string;
  readonly startedAt: Date;
  readonly env: ProcessEnvironment;
  readonly home: string;
  /** The folder in which the session is continued. */
  readonly cwd: string;
  readonly join: (...parts: string[]) => string;
  readonly read: (path: string) => Promise<string | undefined>;
}

/** Every such agent, in the order of the help. */
export const resumingClients: readonly ResumingClient[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    format: 'claude-code',
    place: ({ id, env, home, cwd, join }) =>
      join(
        env.CLAUDE_CONFIG_DIR ?? join(home, '.claude'),
        'projects',
        cwd.replace(/[^A-Za-z0-9]/g, '-'),
        `${id}.jsonl`,
      ),
    resume: ({ id }) => [`claude --resume ${id}`],
    start: (prompt) => [prompt],
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'codex',
    place: ({ id, startedAt, env, home, join }) => {
      const [day = '', time = ''] = startedAt.toISOString().slice(0, 19).split('T');
      const name = `rollout-${day}T${time.replaceAll(':', '-')}-${id}.jsonl`;
      return join(env.CODEX_HOME ?? join(home, '.codex'), 'sessions', ...day.split('-'), name);
    },
    resume: ({ id }) => [`codex resume ${id}`],
    start: (prompt) => [prompt],
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    format: 'gemini-cli',
    place: async ({ id, startedAt, env, home, cwd, join, read }) => {
      const root = join(env.GEMINI_CLI_HOME ?? home, '.gemini');
      // A folder that Gemini CLI has not seen yet is known by its hash, and gets its name when it is opened.
      const project = projectIn({ text: await read(join(root, 'projects.json')), cwd }) ?? hashOf(cwd);
      const minute = startedAt.toISOString().slice(0, 16).replaceAll(':', '-');
      return join(root, 'tmp', project, 'chats', `session-${minute}-${id.slice(0, 8)}.jsonl`);
    },
    resume: ({ id }) => [`gemini --resume ${id}`],
    start: (prompt) => ['--prompt-interactive', prompt],
  },
  {
    name: 'opencode',
    title: 'opencode',
    format: 'opencode',
    resume: ({ id, path }) => [`opencode import ${path}`, `opencode --session ${id}`],
    start: (prompt) => ['--prompt', prompt],
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    format: 'transcript',
    place: ({ id, env, home, join }) =>
      join(env.COPILOT_HOME ?? join(home, '.copilot'), 'session-state', id, 'events.jsonl'),
    resume: ({ id }) => [`copilot --resume=${id}`],
    start: (prompt) => ['--interactive', prompt],
  },
  {
    name: 'pi',
    title: 'pi',
    format: 'pi',
    place: ({ id, startedAt, env, home, cwd, join }) => {
      const folder = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
      const name = `${startedAt.toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`;
      return join(env.PI_CODING_AGENT_DIR ?? join(home, '.pi', 'agent'), 'sessions', folder, name);
    },
    resume: ({ path }) => [`pi --session ${path}`],
    start: (prompt) => [prompt],
  },
  {
    name: 'openhands',
    title: 'OpenHands',
    format: 'openhands',
    isFolder: true,
    place: ({ id, env, home, join }) => {
      const folder =
        env.OPENHANDS_CONVERSATIONS_DIR ??
        join(env.OPENHANDS_PERSISTENCE_DIR ?? join(home, '.openhands'), 'conversations');
      return join(folder, id.replaceAll('-', ''));
    },
    resume: ({ id }) => [`openhands --resume ${id}`],
    start: (prompt) => ['--task', prompt],
  },
];

/**
 * The client of a name.
 *
 * @throws LonghaulError `unknown-client`.
 * @example
 * resumingClient('claude').title; // 'Claude Code'
 */
export function resumingClient(name: string): ResumingClient {
  const found = resumingClients.find((client) => client.name === name || client.format === name);
  if (found) return found;
  const names = resumingClients.map((client) => client.name);
  const near = closest({ word: name, candidates: names });
  throw new LonghaulError({
    code: 'unknown-client',
    message: `Unknown agent "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `Use one of ${names.join(', ')}.`,
  });
}

/** Where a client looks for a session; `undefined` if it imports a file. */
export async function placeFor({
  client,
  io,
  id,
  startedAt,
}: {
  readonly client: ResumingClient;
  readonly io: Pick<Io, 'env' | 'home' | 'cwd' | 'platform' | 'files'>;
  readonly id: string;
  readonly startedAt: number;
}): Promise<string | undefined> {
  const { join } = io.platform === 'win32' ? win32 : posix;
  const read = async (path: string) => {
    const bytes = await io.files.head({ path, bytes: 1_000_000 }).catch(() => undefined);
    return bytes && new TextDecoder().decode(bytes);
  };
  return await client.place?.({ ...io, id, startedAt: new Date(startedAt), join, read });
}

/** The name that Gemini CLI has given to a folder. */
function projectIn({ text, cwd }: { readonly text: string | undefined; readonly cwd: string }): string | undefined {
  try {
    const name: unknown = JSON.parse(text ?? '{}').projects?.[cwd];
    return typeof name === 'string' && /^[\w.-]+$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
