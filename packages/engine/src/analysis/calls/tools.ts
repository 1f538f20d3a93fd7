/** What a tool does, as far as the engine uses it. */
export type ToolKind =
  | 'read'
  | 'write'
  | 'edit'
  /** One tool with a command argument: view, create, str_replace, insert. */
  | 'editor'
  | 'patch'
  | 'python'
  | 'shell'
  | 'shell-output'
  | 'shell-stop'
  | 'todo-list'
  | 'todo-step'
  | 'task-create'
  | 'task-update'
  | 'todo-view'
  | 'todo-sql'
  | 'plan'
  | 'agent'
  | 'skill'
  | 'ask';

/**
 * The tools of known agents by kind. Only letters and digits of names are compared, so that `read_file`, `readFile` and
 * `ReadFile` are the same.
 */
const table: Readonly<Record<ToolKind, readonly string[]>> = {
  // Claude Code, opencode, pi: read; Gemini CLI, VS Code, Cursor, Cline: read_file; Copilot CLI: view.
  read: ['read', 'readfile', 'view', 'viewfile', 'openfile', 'readmanyfiles', 'notebookread', 'catfile'],
  // Claude Code, opencode, pi: write; Gemini CLI: write_file; VS Code: create_file; Copilot CLI: create; Cline: write_to_file.
  write: ['write', 'writefile', 'create', 'createfile', 'writetofile', 'savefile', 'createnewnotebook'],
  // Gemini CLI: replace; VS Code: replace_string_in_file, insert_edit_into_file; Cursor: search_replace; Cline: replace_in_file.
  edit: [
    'edit',
    'multiedit',
    'replace',
    'editfile',
    'notebookedit',
    'editnotebook',
    'editnotebookfile',
    'replacestringinfile',
    'multireplacestringinfile',
    'inserteditintofile',
    'insert',
    'searchreplace',
    'searchandreplace',
    'replaceinfile',
    'applydiff',
    'insertcontent',
    'strreplace',
    'deletefile',
  ],
  // Anthropic's own tool, OpenHands, SWE-agent, older Copilot CLI, goose.
  editor: ['strreplaceeditor', 'strreplacebasededittool', 'strreplaceditor', 'texteditor', 'fileeditor', 'editor'],
  // Codex, Copilot CLI, VS Code, opencode.
  patch: ['applypatch', 'patch'],
  // OpenHands.
  python: ['runipython', 'executeipythoncell', 'ipython'],
  // Codex: shell, shell_command, exec_command, container.exec; Gemini CLI: run_shell_command; VS Code: run_in_terminal.
  shell: [
    'bash',
    'shell',
    'shellcommand',
    'localshell',
    'localshellcall',
    'exec',
    'execcommand',
    'executecommand',
    'executebash',
    'powershell',
    'pwsh',
    'cmd',
    'run',
    'runcommand',
    'runshellcommand',
    'runinterminal',
    'runterminalcmd',
    'terminal',
  ],
  // Claude Code: BashOutput, later TaskOutput; Copilot CLI: read_bash; Codex: write_stdin; VS Code: get_terminal_output.
  'shell-output': [
    'bashoutput',
    'taskoutput',
    'readbash',
    'readpowershell',
    'writebash',
    'writepowershell',
    'writestdin',
    'getterminaloutput',
    'commandstatus',
  ],
  // Claude Code: KillShell, before it KillBash, later TaskStop; Copilot CLI: stop_bash; ours: bash_kill.
  'shell-stop': ['killshell', 'killbash', 'bashkill', 'taskstop', 'stopbash', 'stoppowershell', 'killterminal'],
  // Claude Code, opencode: TodoWrite; Codex: update_plan; Gemini CLI: write_todos; VS Code: manage_todo_list;
  // Copilot CLI: update_todo; OpenHands: task_tracker; Roo: update_todo_list.
  'todo-list': [
    'todowrite',
    'writetodos',
    'updatetodo',
    'updatetodos',
    'updatetodolist',
    'managetodolist',
    'updateplan',
    'tasktracker',
    'settodolist',
  ],
  // pi's todo extension, one step at a time; our own tool, with the whole list.
  'todo-step': ['todo', 'todos'],
  'task-create': ['taskcreate'],
  'task-update': ['taskupdate'],
  'todo-view': ['tasklist', 'taskget', 'todoread'],
  'todo-sql': ['sql'],
  plan: ['exitplanmode'],
  agent: ['task', 'agent', 'subagent', 'spawnagent', 'runsubagent'],
  skill: ['skill', 'loadskill', 'activateskill', 'useskill'],
  // Codex: request_user_input; Copilot CLI: ask_user; Claude Code: AskUserQuestion; Cline: ask_followup_question.
  ask: ['askuser', 'askuserquestion', 'requestuserinput', 'askfollowupquestion', 'question'],
};

const kinds: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(table).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind])),
);

/** A name as in the table, without a server prefix (`mcp__files__read_file`, `functions.shell`). */
export function plainName(name: string): string {
  const last = name.split(/__|[.:/]/).at(-1) ?? name;
  return last
    .replace(/^copilot_/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** The kind of a tool by its name; `undefined` for tools that the engine does not use. */
export function toolKind(name: string): ToolKind | undefined {
  return kinds.get(plainName(name));
}
