import { isAbsolute, resolve } from 'node:path';
import { dataPart, type TextPart } from 'longhaul/message';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';

/** A mentioned file above this is left to the agent's own tools, which read it in pieces. */
const maxBytes = 256 * 1024;

/** At most this many files are attached to one prompt. */
const maxFiles = 20;

/** `@path` at the start of a word; a path with spaces stands in quotes: `@"my notes.md"`. */
const mention = /(?<![^\s([{,;])@(?:"([^"\n]{1,1000})"|([^\s"@]{1,1000}))/gu;

/**
 * The files that a prompt mentions as `@path`, as data. What is no regular text file of moderate size stays what it is: a
 * word of the prompt. Only text that the user typed is read for mentions, never piped text or other files.
 *
 * @example
 * await mentionedFiles({ io, text: 'Compare @old.md with @new.md.' });
 */
export async function mentionedFiles({
  io,
  text,
}: {
  readonly io: Pick<Io, 'cwd' | 'files'>;
  readonly text: string;
}): Promise<TextPart[]> {
  const names = [...text.matchAll(mention)].flatMap(([, quoted, bare]) => quoted ?? candidates(bare ?? ''));
  const parts = new Map<string, TextPart>();
  for (const name of new Set(names)) {
    const path = isAbsolute(name) ? name : resolve(io.cwd, name);
    if (parts.size >= maxFiles) break;
    if (parts.has(path)) continue;
    const part = await attach({ io, name, path });
    if (part) parts.set(path, part);
  }
  return [...parts.values()];
}

/** A mention may be followed by a sign of the sentence. */
function candidates(word: string): string[] {
  const bare = word.replace(/[.,;:!?)\]}]{1,8}$/u, '');
  return bare === word || bare === '' ? [word] : [word, bare];
}

async function attach({
  io,
  name,
  path,
}: {
  readonly io: Pick<Io, 'files'>;
  readonly name: string;
  readonly path: string;
}): Promise<TextPart | undefined> {
  const facts = await io.files.stat(path).catch(() => undefined);
  if (facts?.kind !== 'file' || facts.bytes > maxBytes) return undefined;
  const limit = { bytes: maxBytes, next: '' };
  const text = await readText({ name, from: { files: io.files, path }, limit }).catch(() => undefined);
  return text === undefined || text.includes('\0') ? undefined : dataPart({ from: 'file', path: name, text });
}
