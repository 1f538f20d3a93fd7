/** A setting of another agent. */
export interface InstalledSetting {
  /** The file, from the folder of the project or the home folder. */
  readonly file: string;
  /** Empty if the whole file is ours; then `value` is its text. */
  readonly at: readonly string[];
  readonly value: unknown;
  /** Whether `at` is a list that others add to as well. */
  readonly isItem?: true;
}

/** Another agent that can use the MCP server. */
export interface HookedClient {
  readonly name: string;
  /** Its name in `longhaul import --scan`. */
  readonly agent: string;
  /** In the project, where the agent reads settings there. */
  readonly project: (command: readonly string[]) => readonly InstalledSetting[];
  /** In the home folder. */
  readonly user: (command: readonly string[]) => readonly InstalledSetting[];
}

const mcpArgs = (agent: string) => ['mcp', '--follow', agent];

/** An MCP server in the form that most agents share. */
function commonServer({ command, agent, more = {} }: { command: readonly string[]; agent: string; more?: object }) {
  const [program = 'longhaul', ...first] = command;
  return { command: program, args: [...first, ...mcpArgs(agent)], ...more };
}

/** Hooks around the agent's own compaction, which Codex has taken over from Claude Code. */
function compactionHooks({ file, command }: { file: string; command: readonly string[] }): InstalledSetting[] {
  const hook = { type: 'command', command: `${command.join(' ')} receive-hook`, timeout: 60 };
  return [
    { file, at: ['hooks', 'PreCompact'], value: { hooks: [hook] }, isItem: true },
    { file, at: ['hooks', 'SessionStart'], value: { matcher: 'compact', hooks: [hook] }, isItem: true },
  ];
}

function claudeHooks({ file, command }: { file: string; command: readonly string[] }): InstalledSetting[] {
  const hook = { type: 'command', command: `${command.join(' ')} receive-hook`, timeout: 60 };
  const atEnd: InstalledSetting = { file, at: ['hooks', 'SessionEnd'], value: { hooks: [hook] }, isItem: true };
  return [...compactionHooks({ file, command }), atEnd];
}

/** The clients of `longhaul install`. */
export const clients: readonly HookedClient[] = [
  {
    name: 'claude',
    agent: 'claude-code',
    project: (command) => [
      { file: '.mcp.json', at: ['mcpServers', 'longhaul'], value: commonServer({ command, agent: 'claude-code' }) },
      ...claudeHooks({ file: '.claude/settings.local.json', command }),
    ],
    user: (command) => [
      { file: '.claude.json', at: ['mcpServers', 'longhaul'], value: commonServer({ command, agent: 'claude-code' }) },
      ...claudeHooks({ file: '.claude/settings.json', command }),
    ],
  },
  {
    name: 'codex',
    agent: 'codex',
    project: (command) => codexSettings(command),
    user: (command) => codexSettings(command),
  },
  {
    name: 'gemini',
    agent: 'gemini-cli',
    project: (command) => geminiSettings(command),
    user: (command) => geminiSettings(command),
  },
  {
    name: 'opencode',
    agent: 'opencode',
    project: (command) => opencodeSettings({ file: 'opencode.json', plugin: '.opencode/plugin/longhaul.js', command }),
    user: (command) =>
      opencodeSettings({
        file: '.config/opencode/opencode.json',
        plugin: '.config/opencode/plugin/longhaul.js',
        command,
      }),
  },
  {
    name: 'copilot',
    agent: 'copilot',
    project: () => [],
    user: (command) => [
      {
        file: '.copilot/mcp-config.json',
        at: ['mcpServers', 'longhaul'],
        value: commonServer({ command, agent: 'copilot', more: { type: 'local', tools: ['*'] } }),
      },
      { file: '.copilot/hooks/longhaul.json', at: [], value: copilotHooks(command) },
    ],
  },
];

function codexSettings(command: readonly string[]): InstalledSetting[] {
  const value = commonServer({ command, agent: 'codex' });
  return [
    { file: '.codex/config.toml', at: ['mcp_servers', 'longhaul'], value },
    ...compactionHooks({ file: '.codex/hooks.json', command }),
  ];
}

/** Gemini CLI has no hook after its compaction: the state comes with the next tool result or prompt. */
function geminiSettings(command: readonly string[]): InstalledSetting[] {
  const file = '.gemini/settings.json';
  const value = commonServer({ command, agent: 'gemini-cli' });
  const hook = { type: 'command', command: `${command.join(' ')} receive-hook`, timeout: 60_000 };
  return [
    { file, at: ['mcpServers', 'longhaul'], value },
    ...['PreCompress', 'AfterTool', 'BeforeAgent'].map(
      (event): InstalledSetting => ({ file, at: ['hooks', event], value: { hooks: [hook] }, isItem: true }),
    ),
  ];
}

function opencodeSettings({
  file,
  plugin,
  command,
}: {
  readonly file: string;
  readonly plugin: string;
  readonly command: readonly string[];
}): InstalledSetting[] {
  const value = { type: 'local', command: [...command, ...mcpArgs('opencode')], enabled: true };
  return [
    { file, at: ['mcp', 'longhaul'], value },
    { file: plugin, at: [], value: opencodePlugin(command) },
  ];
}

/** Copilot CLI has no hook after its compaction either. Under these names it sends what Claude Code would send. */
function copilotHooks(command: readonly string[]): string {
  const line = `${command.join(' ')} receive-hook`;
  const hook = { type: 'command', bash: line, powershell: line, timeoutSec: 60 };
  const events = ['PreCompact', 'PostToolUse', 'UserPromptSubmit'];
  const hooks = Object.fromEntries(events.map((event) => [event, [hook]]));
  return `${JSON.stringify({ version: 1, hooks }, undefined, 2)}\n`;
}

/**
 * A plugin for opencode, which has hooks only in code: it saves the session before a compaction, and adds the state of the
 * work to the summary in what is sent, once per summary, so that the sent text stays the same.
 */
function opencodePlugin(command: readonly string[]): string {
  return `// Written by \`longhaul install opencode\`; \`longhaul uninstall opencode\` removes it.
import { spawn } from 'node:child_process';

const [program, ...args] = ${JSON.stringify([...command, 'receive-hook'])};

function receive(cwd, hook) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'], timeout: 60_000 });
    let text = '';
    child.stdout.on('data', (data) => (text += data));
    child.on('error', () => resolve(undefined));
    child.on('close', () => {
      try {
        resolve(JSON.parse(text).hookSpecificOutput.additionalContext);
      } catch {
        resolve(undefined);
      }
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ agent: 'opencode', ...hook }));
  });
}

export const Longhaul = async ({ directory }) => {
  const states = new Map();
  return {
    'experimental.session.compacting': async ({ sessionID }) => {
      await receive(directory, { hook_event_name: 'PreCompact', session_id: sessionID });
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const last = messages.findLast(({ info }) => info.role === 'assistant' && info.summary === true && info.finish);
      const part = last?.parts.findLast(({ type }) => type === 'text');
      if (!part) return;
      const { id, sessionID } = last.info;
      const hook = { hook_event_name: 'SessionStart', source: 'compact', session_id: sessionID };
      if (!states.has(id)) states.set(id, receive(directory, hook));
      const state = await states.get(id);
      if (state !== undefined) part.text += '\\n\\n' + state;
    },
  };
};
`;
}
