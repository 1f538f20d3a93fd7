import { isAbsolute, resolve } from 'node:path';
import { LonghaulError } from 'longhaul';
import { dataPart, type Message, type TextPart } from 'longhaul/message';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** After so many milliseconds of silence on a pipe a person is told what is waited for. */
const patience = 3_000;

/**
 * The prompt: the text of the flag with the files that it mentions, and what comes through a pipe. Piped text alone is the
 * prompt; next to a text of the flag it is data, which is sent along and has no authority. `undefined` where there is
 * neither.
 *
 * @example
 * await readPrompt({ io, text: 'What is wrong here?', values }); // human: the question; data: the log
 */
export async function readPrompt({
  io,
  text,
  values,
}: {
  readonly io: Pick<Io, 'stdin' | 'stdinIsTerminal' | 'stderr' | 'sleep' | 'cwd' | 'files'>;
  readonly text: string | undefined;
  readonly values: Pick<Settings, 'limits'>;
}): Promise<Message | undefined> {
  const piped = io.stdinIsTerminal ? '' : await readPipe({ io, values });
  const isPiped = piped.trim() !== '';
  if (text === undefined || text.trim() === '') return isPiped ? { role: 'user', parts: [typed(piped)] } : undefined;
  const data = isPiped ? [dataPart({ from: 'pipe', text: piped })] : [];
  return { role: 'user', parts: [typed(text), ...(await mentionedFiles({ io, text })), ...data] };
}

function typed(text: string): TextPart {
  return { type: 'text', origin: 'human', text };
}

async function readPipe({
  io,
  values,
}: {
  readonly io: Pick<Io, 'stdin' | 'stderr' | 'sleep'>;
  readonly values: Pick<Settings, 'limits'>;
}): Promise<string> {
  const come = new AbortController();
  // A pipe that nobody closes would look like an agent that hangs.
  void io.sleep({ ms: patience, signal: come.signal }).then(async () => {
    if (!come.signal.aborted)
      await io.stderr.write('Waiting for the end of standard input; where there is none, add </dev/null.\n');
  });
  try {
    const limit = { bytes: values.limits.fileBytes, hint: 'Name a file in the prompt instead: the agent can read it.' };
    return await readText({ name: 'standard input', from: { stream: io.stdin() }, limit });
  } catch (error) {
    if (LonghaulError.is(error) && error.code === 'file-empty') return '';
    throw error;
  } finally {
    come.abort();
  }
}

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
async function mentionedFiles({
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
  const limit = { bytes: maxBytes, hint: '' };
  const text = await readText({ name, from: { files: io.files, path }, limit }).catch(() => undefined);
  return text === undefined || text.includes('\0') ? undefined : dataPart({ from: 'file', path: name, text });
}
