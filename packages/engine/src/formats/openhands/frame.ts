import { isObject, type Json } from '../../json.ts';
import type { ContentPart } from '../../message/index.ts';

/**
 * The output of a command as the model was shown it: between what the shell's record adds before and after. The record
 * is the same in all versions.
 *
 * @example
 * framed({ content, metadata: event.extras.metadata });
 */
export function framed({
  content,
  metadata,
}: {
  readonly content: readonly ContentPart[];
  readonly metadata: Json | undefined;
}): readonly ContentPart[] {
  if (!isObject(metadata)) return content;
  const { prefix, suffix, working_dir: folder, py_interpreter_path: python, exit_code: code } = metadata;
  const after = [
    isText(suffix) ? suffix : '',
    isText(folder) ? `\n[Current working directory: ${folder}]` : '',
    isText(python) ? `\n[Python interpreter: ${python}]` : '',
    // -1 stands for a command that is still running.
    typeof code === 'number' && code !== -1 ? `\n[Command finished with exit code ${code}]` : '',
  ];
  return [...added(isText(prefix) ? prefix : ''), ...content, ...added(after.join(''))];
}

function added(text: string): ContentPart[] {
  return text === '' ? [] : [{ type: 'text', origin: 'engine', text }];
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
