import type { Entry, SessionHeader } from '../session/index.ts';

/** The formats that can be read. The last four are lists of messages or request bodies, as JSON or JSONL. */
export type ImportFormat = (typeof importFormats)[number];

/** All formats that can be read, in the order in which they are listed to people. */
export const importFormats = [
  'longhaul',
  'pi',
  'claude-code',
  'codex',
  'copilot',
  'gemini-cli',
  'opencode',
  'openhands',
  'swe-agent',
  'tau-bench',
  'aider',
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
] as const;

/** The header of a session to be; `id` only where the file says which of ours it is. */
export type ParsedHeader = Omit<SessionHeader, 'v' | 'id' | 'createdAt' | 'source'> & {
  readonly id?: string;
  readonly createdAt?: number;
  readonly source?: SessionHeader['source'];
};

/** A file opened for reading, after its header. */
export interface ParsedSession {
  readonly format: ImportFormat;
  /** The same for the same source, also when it has grown: a second import finds the first by it. */
  readonly key: string;
  readonly header: ParsedHeader;
  /**
   * The entries in order, handles from 1 in each session. To be asked for once. `createdAt` is the time of entries before
   * the first that has one.
   */
  readonly entries: (input: { readonly createdAt: number }) => AsyncIterable<Entry | EmbeddedEntry>;
}

/** An entry of another session in the same file: of a sub-agent, or of a further run. */
export interface EmbeddedEntry {
  readonly embedded: EmbeddedSession;
  readonly entry: Entry;
}

/** Another session in the same file. The same object for all entries of one session. */
export interface EmbeddedSession {
  /** As `Reading.key`. */
  readonly key: string;
  readonly header: ParsedHeader;
  /** For a sub-agent: the `key` of the session whose model called it, and the id of that tool call. */
  readonly owner?: { readonly key: string; readonly call?: string };
}
