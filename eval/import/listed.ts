import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImportFormat, importFormats } from 'longhaul/formats';
import type { EntryCounts } from 'longhaul/session';

/** A session of the folder, and what the folder's own list says is in it. */
export interface Listed {
  readonly file: string;
  readonly path: string;
  /** The reader that should know it. */
  readonly format: ImportFormat;
  /** With those of its sub-agents. */
  readonly counts: Omit<EntryCounts, 'entries'>;
}

interface Row {
  readonly file: string;
  readonly format: string;
  readonly messages: number;
  readonly tool_calls: number;
  readonly tool_results: number;
  readonly thinking_blocks: number;
  readonly images: number;
  readonly est_tokens: number;
}

/** The sessions that `index.json` lists. */
export function listedIn(folder: string): Listed[] {
  const { sessions } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { sessions: readonly Row[] };
  return sessions.map((row) => ({
    file: row.file,
    path: join(folder, row.file),
    format: readerOf(row.format),
    counts: {
      messages: row.messages,
      toolCalls: row.tool_calls,
      toolResults: row.tool_results,
      thinking: row.thinking_blocks,
      images: row.images,
      tokens: row.est_tokens,
    },
  }));
}

/** The list calls formats by more than their agent: `gemini-cli-chat-json`. */
function readerOf(listed: string): ImportFormat {
  const found = importFormats.find((name) => listed.startsWith(`${name}-`));
  if (!found) throw new Error(`The list names the format ${listed}, which no reader is called after.`);
  return found;
}
