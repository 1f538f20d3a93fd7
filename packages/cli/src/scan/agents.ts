/** Where a folder or file of an agent is: where a variable says, if it is set, else in the home folder. */
interface Root {
  readonly variable?: string;
  /** From the home folder; without it there is no place unless the variable is set. */
  readonly home?: string;
  /** On these systems only. */
  readonly platform?: NodeJS.Platform;
}

/** Where an agent keeps sessions. */
export interface Place extends Root {
  /** From the root. */
  readonly inside?: string;
  /** The files below, level by level, with wildcards in names; without any the place itself is the file. */
  readonly patterns?: readonly string[];
  /** Whether what is found is the folder of a session, not a file. */
  readonly isFolder?: true;
  /** The files of sub-agents: below a folder that is called as the session and stands beside its file. */
  readonly parts?: string;
  /** Not from the home folder: from the working directory, and each above it. */
  readonly around?: string;
}

/** An agent whose sessions can be found. */
export interface Agent {
  readonly name: string;
  /** So many bytes of its files come to a token, measured on real sessions: the rest is what only the agent needs. */
  readonly bytesPerToken: number;
  readonly places: readonly Place[];
}

const rollouts = ['rollout-*.jsonl', 'rollout-*.jsonl.zst'];
const codexHome: Root = { variable: 'CODEX_HOME', home: '.codex' };

/** The folders in which VS Code and its kin keep what belongs to a workspace. */
const workspaces: readonly Place[] = [
  ...['Code', 'Code - Insiders', 'VSCodium'].flatMap((product): Place[] => {
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

/** The agents, and where each says that it keeps its sessions. */
export const agents: readonly Agent[] = [
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
      // Early versions had a file a session instead of a folder.
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
