import { isAbsolute, resolve } from 'node:path';
import { LonghaulError } from 'longhaul';
import { dataPart, type Message, type Part, type TextPart } from 'longhaul/message';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** After this many milliseconds without input on a pipe, a note says what the command is waiting for. */
const pipeNoticeMs = 3_000;

/**
 * Reads the prompt: the text of the flag with the files it mentions, and piped text. Piped text alone is the prompt;
 * together with a flag it is attached as data, which has no authority. `undefined` if there is neither.
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

/**
 * Reads the file with a plan that the user has edited.
 *
 * @example
 * await plans.approve({ text: await readPlan({ io, file: 'plan.md' }) });
 */
export async function readPlan(of: { readonly io: Pick<Io, 'cwd' | 'files'>; readonly file: string }): Promise<string> {
  const { io, file } = of;
  const limit = { bytes: 200_000, hint: 'Shorten the plan.' };
  return await readText({ name: file, from: { files: io.files, path: resolve(io.cwd, file) }, limit });
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
  // A pipe that is never closed would look like an agent that hangs.
  void io.sleep({ ms: pipeNoticeMs, signal: come.signal }).then(async () => {
    if (!come.signal.aborted)
      await io.stderr.write('Waiting for the end of standard input. If there is no input, add </dev/null.\n');
  });
  try {
    const limit = { bytes: values.limits.fileBytes, hint: 'Name a file in the prompt instead; the agent can read it.' };
    return await readText({ name: 'standard input', from: { stream: io.stdin() }, limit });
  } catch (error) {
    if (LonghaulError.is(error) && error.code === 'file-empty') return '';
    throw error;
  } finally {
    come.abort();
  }
}

/** Larger mentioned files are left to the agent's tools, which read them in pages. */
const maxBytes = 256 * 1024;

/** Providers take no larger images. */
const maxImageBytes = 5 * 1024 * 1024;

/** At most this many files are attached to one prompt. */
const maxFiles = 20;

/** `@path` at the start of a word; a path with spaces is quoted: `@"my notes.md"`. */
const mention = /(?<![^\s([{,;])@(?:"([^"\n]{1,1000})"|([^\s"@]{1,1000}))/gu;

/**
 * Reads the files that a prompt mentions as `@path`: text as data, images as images. Anything but a regular file of
 * moderate size is left as plain text. Only typed text is searched for mentions, never piped text or other files.
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
}): Promise<Part[]> {
  const names = [...text.matchAll(mention)].flatMap(([, quoted, bare]) => quoted ?? candidates(bare ?? ''));
  const parts = new Map<string, Part>();
  for (const name of new Set(names)) {
    const path = isAbsolute(name) ? name : resolve(io.cwd, name);
    if (parts.size >= maxFiles) break;
    if (parts.has(path)) continue;
    const part = await attach({ io, name, path });
    if (part) parts.set(path, part);
  }
  return [...parts.values()];
}

/** A mention may be followed by punctuation. */
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
}): Promise<Part | undefined> {
  const facts = await io.files.stat(path).catch(() => undefined);
  if (facts?.kind !== 'file') return undefined;
  if (facts.bytes <= maxImageBytes) {
    const image = imagePart(await io.files.head({ path, bytes: maxImageBytes }).catch(() => new Uint8Array()));
    if (image) return image;
  }
  if (facts.bytes > maxBytes) return undefined;
  const limit = { bytes: maxBytes, hint: '' };
  const text = await readText({ name, from: { files: io.files, path }, limit }).catch(() => undefined);
  return text === undefined || text.includes('\0') ? undefined : dataPart({ from: 'file', path: name, text });
}

/** The first bytes of the formats that every provider takes. */
const imageTypes: readonly { readonly mediaType: string; readonly starts: (bytes: Uint8Array) => boolean }[] = [
  { mediaType: 'image/png', starts: (bytes) => hasBytes({ bytes, at: 0, wanted: [0x89, 0x50, 0x4e, 0x47] }) },
  { mediaType: 'image/jpeg', starts: (bytes) => hasBytes({ bytes, at: 0, wanted: [0xff, 0xd8, 0xff] }) },
  { mediaType: 'image/gif', starts: (bytes) => hasBytes({ bytes, at: 0, wanted: [0x47, 0x49, 0x46, 0x38] }) },
  { mediaType: 'image/webp', starts: (bytes) => hasBytes({ bytes, at: 8, wanted: [0x57, 0x45, 0x42, 0x50] }) },
];

function hasBytes(of: {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly wanted: readonly number[];
}): boolean {
  return of.wanted.every((byte, index) => of.bytes[of.at + index] === byte);
}

/**
 * The bytes of an image as a part of the user's message; `undefined` if they are no image that providers take.
 *
 * @example
 * const part = imagePart(await readFile('screen.png'));
 */
export function imagePart(bytes: Uint8Array): Part | undefined {
  const type = bytes.length <= maxImageBytes ? imageTypes.find(({ starts }) => starts(bytes)) : undefined;
  if (!type) return undefined;
  const data = Buffer.from(bytes).toString('base64');
  return { type: 'image', origin: 'data', source: { kind: 'base64', mediaType: type.mediaType, data } };
}
