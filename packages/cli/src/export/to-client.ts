import { posix, win32 } from 'node:path';
import { LonghaulError } from 'longhaul';
import type { Exported } from 'longhaul/formats';
import type { Invocation } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { writeWhole } from '../output/write-whole.ts';
import { bytesText } from '../text/bytes.ts';
import { printable } from '../text/printable.ts';
import { placeFor, type ResumingClient } from './clients.ts';

/**
 * Writes an exported session to where another agent finds it, and prints how to open it there. An existing session of the
 * agent is never replaced.
 *
 * @example
 * await exportToClient({ invocation, client: resumingClient('claude'), exported, session: header.id, createdAt, dryRun: false });
 */
export async function exportToClient({
  invocation,
  client,
  exported,
  session,
  createdAt,
  dryRun,
}: {
  readonly invocation: Invocation;
  readonly client: ResumingClient;
  readonly exported: Exported;
  readonly session: string;
  readonly createdAt: number;
  readonly dryRun: boolean;
}): Promise<void> {
  const { io, paint } = invocation;
  const { dirname, join } = io.platform === 'win32' ? win32 : posix;
  // Which id the session has there is known from the text; a conversation that an agent can open fits into memory.
  const text = (await Array.fromAsync(exported.text)).join('');
  const id = client.isFolder ? session : idIn(text);
  const found = await placeFor({ client, io, id, startedAt: createdAt });
  const path = found ?? join(io.cwd, `${id}.${client.name}.json`);
  if (await io.files.stat(path)) throw alreadyThere({ client, path, session });
  const files = client.isFolder ? eventFiles({ text, folder: join(path, 'events'), join }) : [{ path, text }];
  if (!dryRun) {
    await io.files.createFolder(dirname(files[0]?.path ?? path));
    for (const file of files) {
      await writeWhole({ io, path: file.path, name: file.path, text: file.text, replace: false, mode: 0o600 });
    }
  }
  const resume = client.resume({ id, path });
  await printResult({
    invocation,
    value: { sessionId: session, client: client.name, id, path, resume, dryRun, warnings: exported.warnings },
    lines: () => [
      `${dryRun ? 'Would write' : 'Wrote'} ${paint('stdout').strong(printable(path))} (${bytesText(Buffer.byteLength(text))}) for ${client.title}.`,
      ...exported.warnings.map(({ message }) => `note: ${printable(message)}`),
      ...(dryRun ? [] : ['Open it in this folder with:', ...resume.map((line) => `  ${printable(line)}`)]),
    ],
  });
}

/** The id of the session in the first record that has one. */
function idIn(text: string): string {
  const names = /"(?:sessionId|id)":\s*"([^"]+)"/.exec(text.slice(0, 10_000));
  return names?.[1] ?? '';
}

/** OpenHands has a file for each event, numbered from zero. */
function eventFiles({
  text,
  folder,
  join,
}: {
  readonly text: string;
  readonly folder: string;
  readonly join: (...parts: string[]) => string;
}): { readonly path: string; readonly text: string }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      const { id } = JSON.parse(line) as { readonly id: string };
      return { path: join(folder, `event-${String(index).padStart(5, '0')}-${id}.json`), text: line };
    });
}

function alreadyThere({
  client,
  path,
  session,
}: {
  readonly client: ResumingClient;
  readonly path: string;
  readonly session: string;
}): LonghaulError {
  return new LonghaulError({
    code: 'output-exists',
    message: `${client.title} already has this session: ${path}.`,
    hint: `Continue it there, or export a copy: \`longhaul fork ${session}\`, then \`longhaul export last --to ${client.name}\`.`,
  });
}
