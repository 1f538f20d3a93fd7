import type { SessionId, Store } from '../session/index.ts';
import { writeClaudeCode } from './claude-code/write.ts';
import { writeCodex } from './codex/write.ts';
import { jsonLines } from './export/json.ts';
import type { MaskText } from './export/masking.ts';
import { type ExportSource, openSource } from './export/source.ts';
import { writeGeminiCli } from './gemini-cli/write.ts';
import { writeHtml } from './html/write.ts';
import { writeMarkdown } from './markdown/write.ts';
import { writeOpencode } from './opencode/write.ts';
import { writeOpenhands } from './openhands/write.ts';
import { writeOwn } from './own/format.ts';
import { writePi } from './pi/write.ts';
import { writePlain } from './plain/message-list.ts';
import { writeTranscript } from './transcript/write.ts';
import { createWarnings, type FormatWarning } from './warnings.ts';

/** The formats that can be written. */
export type ExportFormat = (typeof exportFormats)[number];

/** All formats that can be written, in the order in which they are listed to people. */
export const exportFormats = [
  'longhaul',
  'pi',
  'transcript',
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'openhands',
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
  'markdown',
  'html',
] as const;

const writers: { readonly [F in ExportFormat]: (source: ExportSource) => AsyncIterable<string> } = {
  longhaul: ({ header, head, entries }) => jsonLines(writeOwn({ header, head, entries: entries() })),
  pi: ({ header, entries, warnings }) => jsonLines(writePi({ header, entries: entries(), warnings })),
  transcript: (source) => jsonLines(writeTranscript(source)),
  'claude-code': (source) => jsonLines(writeClaudeCode(source)),
  codex: (source) => jsonLines(writeCodex(source)),
  'gemini-cli': (source) => jsonLines(writeGeminiCli(source)),
  opencode: writeOpencode,
  openhands: (source) => jsonLines(writeOpenhands(source)),
  anthropic: (source) => writePlain({ source, dialect: 'anthropic' }),
  'openai-chat': (source) => writePlain({ source, dialect: 'openai-chat' }),
  'openai-responses': (source) => writePlain({ source, dialect: 'openai-responses' }),
  gemini: (source) => writePlain({ source, dialect: 'gemini' }),
  markdown: writeMarkdown,
  html: writeHtml,
};

/** A file piece by piece; what could not be said in its format is known once all of it was read. */
export interface Exported {
  readonly text: AsyncIterable<string>;
  readonly warnings: readonly FormatWarning[];
}

/**
 * A session as the text of a file. The log is read as the text is asked for, so a session of any length can be written.
 *
 * @example
 * const { text } = await exportSession({ store, session: id, format: 'html', mask: createMask() });
 * await writeFile('session.html', text);
 */
export async function exportSession({
  store,
  session,
  format,
  mask,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly format: ExportFormat;
  /** Takes secrets out of every text before it is written; without it everything is written as it was said. */
  readonly mask?: MaskText;
}): Promise<Exported> {
  const warnings = createWarnings();
  const source = await openSource({ store, session, mask, warnings });
  return { text: written(), warnings: warnings.list };

  async function* written(): AsyncGenerator<string> {
    yield* writers[format](source);
    source.finish();
  }
}
