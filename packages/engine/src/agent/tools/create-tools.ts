import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecallTool, type EngineSession } from '../../engine/index.ts';
import type { Session } from '../../session/index.ts';
import { real } from '../permissions/create-permissions.ts';
import { parseRule } from '../permissions/rule.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool } from '../tool.ts';
import { createWorkspace } from '../workspace/workspace.ts';
import { bashKillTool, bashOutputTool, bashTool } from './bash.ts';
import { toolText } from './define.ts';
import { editTool } from './edit.ts';
import { type FetchSettings, fetchTool } from './fetch.ts';
import { lsTool } from './ls.ts';
import { readTool } from './read.ts';
import type { OutlineFile } from './read-outline.ts';
import { type FindRipgrep, findTool, grepTool, installedRipgrep } from './search.ts';
import { type SearchCode, searchCodeTool } from './search-code.ts';
import { ownerName, removeOrphanedFolders } from './shell/kill-processes.ts';
import { type BackgroundEvent, createShells } from './shell/shells.ts';
import { todoTool } from './todo.ts';
import { writeTool } from './write.ts';

/** Dependencies of the tools. */
export interface ToolsInput {
  /** The working folder of the agent. */
  readonly cwd: string;
  /** Further folders that count as part of the workspace. */
  readonly folders?: readonly string[];
  /** Stores the todo list, and is searched by `recall`. */
  readonly session: Pick<EngineSession, 'state'> & {
    readonly session: Pick<Session, 'read' | 'head' | 'recall' | 'search'>;
  };
  /** Counts the tokens of a text. */
  readonly count: (text: string) => number;
  /** The user's environment; commands get it without API keys of models. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that commands get even if they hold keys. */
  readonly allowEnv?: readonly string[];
  /** Values of configured keys: variables that contain them are withheld from commands, whatever their name. */
  readonly secrets?: readonly string[];
  /** Deny rules, as for `createPermissions`: `grep` and `find` skip the files they match. */
  readonly deny?: readonly string[];
  /**
   * Folder for outputs that are too long to return; it is kept. Default: a temporary folder, removed when the tools
   * close.
   */
  readonly scratch?: string;
  /** Runs commands; from `openSandbox`. */
  readonly sandbox?: Sandbox | undefined;
  readonly home?: string;
  readonly ripgrep?: FindRipgrep;
  /** Gives the agent the tool `search_code`. */
  readonly searchCode?: SearchCode | undefined;
  /** Lets `read` return an outline for a file that is too long. */
  readonly outline?: OutlineFile | undefined;
  /** Gives the agent the tool `fetch`. */
  readonly fetch?: FetchSettings | undefined;
  /** Called when a background command starts, prints something or ends, also between runs. */
  readonly onBackground?: ((event: BackgroundEvent) => void) | undefined;
}

/**
 * The tools of an agent: read, write, edit, bash, bash_output, bash_kill, grep, find, ls, todo, recall, search_code if
 * `searchCode` is given, and fetch if `fetch` is. They say what a call would access; `createPermissions` decides.
 *
 * @example
 * const tools = createTools({ cwd: process.cwd(), session, count, env: process.env });
 */
export function createTools({
  cwd,
  folders = [],
  session,
  count,
  env,
  allowEnv = [],
  secrets = [],
  deny = [],
  scratch: given,
  home = env.HOME ?? homedir(),
  ripgrep = installedRipgrep,
  sandbox,
  searchCode,
  outline,
  fetch,
  onBackground,
}: ToolsInput): Tool[] {
  // Created immediately, since it counts as inside the workspace: a link must not be placed there first.
  if (given === undefined) removeOrphanedFolders({ dir: tmpdir() });
  const scratch = given ?? mkdtempSync(join(tmpdir(), `longhaul-${ownerName()}-`));
  const workspace = createWorkspace({ cwd, folders, home, scratch });
  const commandEnv = commandEnvironment({ env, secrets, allow: allowEnv });
  const shells = createShells({ env: commandEnv, scratch, sandbox, onBackground });
  const bash = bashTool({ workspace, shells, sandbox });
  return [
    readTool({ workspace, outline }),
    writeTool({ workspace }),
    editTool({ workspace }),
    {
      ...bash,
      async close() {
        await bash.close?.();
        if (given === undefined) await rm(scratch, { recursive: true, force: true });
      },
    },
    bashOutputTool({ shells }),
    bashKillTool({ shells }),
    grepTool({ workspace, ripgrep, isDenied: deniedFiles({ deny, tool: 'grep', cwd, home }) }),
    findTool({ workspace, ripgrep, isDenied: deniedFiles({ deny, tool: 'find', cwd, home }) }),
    ...(searchCode
      ? [searchCodeTool({ workspace, searchCode, isDenied: deniedFiles({ deny, tool: 'search_code', cwd, home }) })]
      : []),
    lsTool({ workspace }),
    ...(fetch ? [fetchTool({ settings: fetch })] : []),
    todoTool({ keep: (state) => session.state(state) }),
    recallTool({ session: session.session, count }),
  ];
}

/**
 * Files that a tool must skip when it searches folders, because rules deny them: the permission decision sees only the
 * folder.
 *
 * @example
 * deniedFiles({ deny: ['read(secrets/**)'], tool: 'grep', cwd: '/p', home: '/home/me' })('/p/secrets/key'); // true
 */
function deniedFiles(of: {
  readonly deny: readonly string[];
  readonly tool: string;
  readonly cwd: string;
  readonly home: string;
}): (path: string) => boolean {
  const { deny, tool, cwd, home } = of;
  const rules = deny.map((text) => parseRule({ text, cwd: real(cwd), home, real }));
  const patterns = rules.flatMap((rule) => (rule.tool === tool || rule.tool === 'read' ? (rule.paths ?? []) : []));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** The `recall` tool of the engine as an agent tool. */
function recallTool(of: Parameters<typeof createRecallTool>[0]): Tool {
  const recall = createRecallTool(of);
  return {
    definition: recall.definition,
    isBound: true,
    access: () => ({ kind: 'none' }),
    run: async ({ input }) => toolText(await recall.run({ arguments: JSON.stringify(input) })),
    beginTurn: () => recall.beginTurn(),
  };
}

/** Variable names of model API keys. Other keys belong to the user's tools and are kept. */
const modelKeys =
  /^(?:ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|GEMINI|GOOGLE_(?:API|AI|GENERATIVE_AI|GENAI|VERTEX)|VERTEX|OPENROUTER|MISTRAL|GROQ|XAI|GROK|DEEPSEEK|COHERE|TOGETHER|FIREWORKS|CEREBRAS|PERPLEXITY|NVIDIA|HF|HUGGINGFACE|HUGGING_FACE|REPLICATE|VOYAGE|MOONSHOT|KIMI|ZAI|ZHIPU|DASHSCOPE|QWEN|MINIMAX|AI_GATEWAY|AWS_BEARER|LITELLM|LONGHAUL)\w*(?:KEY|TOKEN|SECRET|BEDROCK)\w*$/i;

/** Values of model API keys, under any name. */
const modelKeyValue = /^(?:sk-(?:ant|proj|or|svcacct|admin|None)-|AIza|xai-|gsk_|csk-|nvapi-|pplx-|r8_)[\w-]{16,}$/;

/** Shorter values match by chance. */
const shortestSecret = 6;

/** Makes programs non-interactive: no prompts, pagers or colors. */
const quiet = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', NO_COLOR: '1' };

/**
 * The environment of commands, without model API keys: commands do not need them and could send them elsewhere. `allow`
 * lists exceptions.
 *
 * @example
 * commandEnvironment({ env: { PATH: '/bin', OPENAI_API_KEY: 'sk-x' } }); // { PATH: '/bin', … }
 */
export function commandEnvironment({
  env,
  secrets = [],
  allow = [],
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of configured keys, under any name. */
  readonly secrets?: readonly string[];
  readonly allow?: readonly string[];
}): Record<string, string> {
  const values = secrets.filter(({ length }) => length >= shortestSecret);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const isKey = modelKeys.test(name) || modelKeyValue.test(value) || values.some((secret) => value.includes(secret));
    if (!isKey || allow.includes(name)) kept[name] = value;
  }
  return { ...kept, ...quiet };
}
