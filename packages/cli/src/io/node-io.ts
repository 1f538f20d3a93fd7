import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { cannotWrite } from '../errors/file-errors.ts';
import { type Files, systemCode } from './files.ts';
import type { Io, Output } from './io.ts';
import { nodeFiles } from './node-files.ts';

/**
 * The real world, from Node's `process`.
 *
 * @example
 * process.exitCode = await run({ argv: process.argv.slice(2), io: nodeIo({ process }) });
 */
export function nodeIo({
  process,
  files = nodeFiles,
}: {
  readonly process: NodeJS.Process;
  readonly files?: Files;
}): Io {
  return {
    stdout: outputOf({ stream: process.stdout, name: 'standard output' }),
    stderr: outputOf({ stream: process.stderr, name: 'standard error' }),
    stdin: () => process.stdin,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    files,
    unique: () => randomUUID().slice(0, 8),
  };
}

function outputOf({ stream, name }: { readonly stream: NodeJS.WriteStream; readonly name: string }): Output {
  // The callback of `write` gets the same error; without a listener the event would end the process with a stack.
  stream.on('error', () => undefined);
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 100,
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          // EPIPE: the reader has seen enough. EOF is what Windows calls it.
          if (!error || systemCode(error) === 'EPIPE' || systemCode(error) === 'EOF') resolve();
          else reject(cannotWrite({ name, error }));
        });
      }),
  };
}
