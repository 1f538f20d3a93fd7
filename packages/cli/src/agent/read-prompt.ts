import { LonghaulError } from 'longhaul';
import { dataPart, type Message, type TextPart } from 'longhaul/message';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { mentionedFiles } from './mentions.ts';

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
    const limit = { bytes: values.limits.fileBytes, next: 'Name a file in the prompt instead: the agent can read it.' };
    return await readText({ name: 'standard input', from: { stream: io.stdin() }, limit });
  } catch (error) {
    if (LonghaulError.is(error) && error.code === 'file-empty') return '';
    throw error;
  } finally {
    come.abort();
  }
}
