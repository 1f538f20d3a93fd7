/** The location of an agent's folder or file: from a variable if set, otherwise in the home folder. */
interface LocationRoot {
  readonly variable?: string;
  /** Relative to the home folder; if absent, the location exists only if the variable is set. */
  readonly home?: string;
  /** Only on these systems. */
  readonly platform?: NodeJS.Platform;
}

/** Where an agent stores sessions. */
export interface AgentLocation extends LocationRoot {
  /** Relative to the root. */
  readonly inside?: string;
  /** The files below, with wildcards in names; if absent, the location itself is the file. */
  readonly patterns?: readonly string[];
  /** Whether matches are session folders rather than files. */
  readonly isFolder?: true;
  /** The files of sub-agents, in a folder next to the session file and named after it. */
  readonly parts?: string;
  /** Instead of the home folder: the working directory and its parents. */
  readonly around?: string;
}

/** An agent whose sessions can be found. */
export interface ScannedAgent {
  readonly name: string;
  /** Bytes of its files per token, measured on real sessions. */
  readonly bytesPerToken: number;
  readonly places: readonly AgentLocation[];
}

const rollouts = ['rollout-*.jsonl', 'rollout-*.jsonl.zst'];
const codexHome: LocationRoot = { variable: 'CODEX_HOME', home: '.codex' };

/** The workspace storage folders of VS Code and its derivatives. */
const workspaces: readonly AgentLocation[] = [
  ...['Code', 'Code - Insiders', 'VSCodium'].flatMap((product): AgentLocation[] => {
    const inside = `${product}/User/workspaceStorage`;
    return [
      { variable: 'XDG_CONFIG_HOME', home: '.config', platform: 'linux', inside },
      { home: 'Library/Application Support', platform: 'darwin', inside },
      { variable: 'APPDATA', home: 'AppData/Roaming', platform: 'win32', inside },
    ];
  }),
  { home: '.vscode-server/data/User/workspaceStorage' },
  { home: '.vscode-server-insiders/data/User/workspaceStorage' },
  { variable: 'VSCODE_PORTABLE', inside: 'user-data/User/workspaceStorage' },
];

/** The agents, and where each documents its sessions to be. */
export const agents: readonly ScannedAgent[] = [
  {
    name: 'claude-code',
    bytesPerToken: 14,
    places: [
      { variable: 'CLAUDE_CONFIG_DIR', home: '.claude', inside: 'projects' },
      { variable: 'XDG_CONFIG_HOME', home: '.config', inside: 'claude/projects' },
    ].map((place) => ({ ...place, patterns: ['*/*.jsonl'], parts: 'subagents/agent-*.jsonl' })),
  },
  {
    name: 'codex',
    bytesPerToken: 7,
    places: [
      { ...codexHome, inside: 'sessions', patterns: rollouts.map((name) => `*/*/*/${name}`) },
      { ...codexHome, inside: 'archived_sessions', patterns: rollouts },
    ],
  },
  {
    name: 'copilot',
    bytesPerToken: 10,
    places: [
      { variable: 'COPILOT_HOME', home: '.copilot', inside: 'session-state' },
      { variable: 'XDG_STATE_HOME', inside: '.copilot/session-state' },
      // Early versions had one file per session instead of a folder.
    ].map((place) => ({ ...place, patterns: ['*/events.jsonl', '*.jsonl'] })),
  },
  {
    name: 'vscode',
    bytesPerToken: 10,
    places: workspaces.map((place) => ({ ...place, patterns: ['*/GitHub.copilot-chat/transcripts/*.jsonl'] })),
  },
  {
    name: 'gemini-cli',
    bytesPerToken: 9,
    places: [
      {
        variable: 'GEMINI_CLI_HOME',
        home: '',
        inside: '.gemini/tmp',
        patterns: ['*/chats/*.jsonl', '*/chats/*.json'],
        parts: '*.jsonl',
      },
    ],
  },
  {
    name: 'opencode',
    bytesPerToken: 10,
    places: [
      { variable: 'OPENCODE_DB' },
      {
        variable: 'XDG_DATA_HOME',
        home: '.local/share',
        inside: 'opencode',
        patterns: ['opencode.db', 'opencode-*.db'],
      },
    ],
  },
  {
    name: 'pi',
    bytesPerToken: 7,
    places: [
      { variable: 'PI_CODING_AGENT_SESSION_DIR', patterns: ['*.jsonl', '*/*.jsonl'] },
      { variable: 'PI_CODING_AGENT_DIR', home: '.pi/agent', inside: 'sessions', patterns: ['*/*.jsonl'] },
    ],
  },
  {
    name: 'oh-my-pi',
    bytesPerToken: 7,
    places: [{ home: '.omp/agent/sessions', patterns: ['*/*.jsonl'] }],
  },
  {
    name: 'openhands',
    bytesPerToken: 7,
    places: [
      { variable: 'OPENHANDS_CONVERSATIONS_DIR' },
      { variable: 'OPENHANDS_PERSISTENCE_DIR', home: '.openhands', inside: 'conversations' },
    ].map((place) => ({ ...place, patterns: ['*'], isFolder: true })),
  },
  {
    name: 'aider',
    bytesPerToken: 4,
    places: [{ variable: 'AIDER_CHAT_HISTORY_FILE' }, { around: '.aider.chat.history.md' }],
  },
];
