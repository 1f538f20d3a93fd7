import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineSession } from '../../engine/index.ts';
import type { Session } from '../../session/index.ts';
import { deniedFiles } from '../permissions/denied-files.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool } from '../tool.ts';
import { createWorkspace } from '../workspace/workspace.ts';
import { bashTool } from './bash.ts';
import { bashKillTool } from './bash-kill.ts';
import { bashOutputTool } from './bash-output.ts';
import { editTool } from './edit.ts';
import { findTool } from './find.ts';
import { grepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import { readTool } from './read.ts';
import type { OutlineFile } from './read-outline.ts';
import { recallTool } from './recall.ts';
import { type FindRipgrep, installedRipgrep } from './ripgrep.ts';
import { type SearchCode, searchCodeTool } from './search-code.ts';
import { commandEnvironment } from './shell/environment.ts';
import { createShells } from './shell/shells.ts';
import { todoTool } from './todo.ts';
import { writeTool } from './write.ts';

/** What tools need of the world. */
export interface ToolsInput {
  /** The folder that the agent works in. */
  readonly cwd: string;
  /** Where the list of todos is kept and where `recall` looks. */
  readonly session: Pick<EngineSession, 'state'> & {
    readonly session: Pick<Session, 'read' | 'head' | 'recall' | 'search'>;
  };
  /** Tokens of a text. */
  readonly count: (text: string) => number;
  /** Of the user; commands get it without the keys of models. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that commands get although they hold keys. */
  readonly allowEnv?: readonly string[];
  /** Values of configured keys: variables with them are kept from commands, whatever they are called. */
  readonly secrets?: readonly string[];
  /** The rules that deny, as `createPermissions` has them: `grep` and `find` leave such files out of what they look through. */
  readonly deny?: readonly string[];
  /** Where outputs go that are too long to be told; it stays. Left out, it is a folder that goes when the tools close. */
  readonly scratch?: string;
  /** Where commands run; from `openSandbox`. */
  readonly sandbox?: Sandbox | undefined;
  readonly home?: string;
  readonly ripgrep?: FindRipgrep;
  /** Gives the agent the tool `search_code`. */
  readonly searchCode?: SearchCode | undefined;
  /** Lets `read` answer with an outline where a file is over its cap. */
  readonly outline?: OutlineFile | undefined;
}

/**
 * The tools of an agent in a folder: read, write, edit, bash, bash_output, bash_kill, grep, find, ls, todo, recall, and
 * search_code where there is something to search with. They say what a call would touch; who may do it is decided elsewhere (`createPermissions`).
 *
 * @example
 * const tools = createTools({ cwd: process.cwd(), session, count: (text) => tokenizer.count(text), env: process.env });
 */
export function createTools({
  cwd,
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
}: ToolsInput): Tool[] {
  // Made at once, since it counts as inside: nobody else may put a link there first.
  const scratch = given ?? mkdtempSync(join(tmpdir(), 'longhaul-'));
  const workspace = createWorkspace({ cwd, home, scratch });
  const shells = createShells({ env: commandEnvironment({ env, secrets, allow: allowEnv }), scratch, sandbox });
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
    todoTool({ keep: (state) => session.state(state) }),
    recallTool({ session: session.session, count }),
  ];
}
