import { LonghaulError } from 'longhaul';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** After so many milliseconds of silence on a pipe a person is told what is waited for. */
const patience = 3_000;

/**
 * What is to be said: the text of the flag, and after it what comes through a pipe. `undefined` where there is neither.
 *
 * @example
 * await readPrompt({ io, text: 'What is wrong here?', values }); // 'What is wrong here?\n\n(the log)'
 */
export async function readPrompt({
  io,
  text,
  values,
}: {
  readonly io: Pick<Io, 'stdin' | 'stdinIsTerminal' | 'stderr' | 'sleep'>;
  readonly text: string | undefined;
  readonly values: Pick<Settings, 'limits'>;
}): Promise<string | undefined> {
  const piped = io.stdinIsTerminal ? '' : await readPipe({ io, values });
  const parts = [text ?? '', piped].filter((part) => part.trim() !== '');
  return parts.length === 0 ? undefined : parts.join('\n\n');
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
