import { LonghaulError } from 'longhaul';
import type { z } from 'zod';
import { parseJsonText } from '../../input/parse-json.ts';
import { readText } from '../../input/read-text.ts';
import type { Io } from '../../io/io.ts';
import { pathOf } from '../../io/path-of.ts';
import type { Settings } from '../../settings/schema.ts';
import { type AgentScript, scriptSchema } from './schema.ts';

/**
 * Reads a script, or says in one sentence what is wrong with it and where.
 *
 * @example
 * const { prompts } = await readScript({ io, name: 'fix.json', values });
 */
export async function readScript({
  io,
  name,
  values,
}: {
  readonly io: Pick<Io, 'files' | 'stdin' | 'cwd' | 'platform'>;
  /** As it was written; `-` is standard input. */
  readonly name: string;
  readonly values: Pick<Settings, 'limits'>;
}): Promise<AgentScript> {
  const shown = name === '-' ? 'standard input' : name;
  const from = name === '-' ? { stream: io.stdin() } : { files: io.files, path: pathOf(io).resolve(io.cwd, name) };
  const limit = { bytes: values.limits.fileBytes, hint: 'Make the script shorter, or raise --limits-file-bytes.' };
  const text = await readText({ name: shown, from, limit });
  const parsed = scriptSchema.safeParse(parseJsonText({ name: shown, text }));
  if (parsed.success) return parsed.data;
  throw badScript({ name: shown, issue: parsed.error.issues[0] });
}

function badScript({ name, issue }: { readonly name: string; readonly issue: z.core.$ZodIssue | undefined }) {
  const place = placeOf(issue?.path ?? []);
  return new LonghaulError({
    code: 'bad-script',
    message: `${name} is no script: ${place} ${wordsFor(issue)}.`,
    hint: 'Correct that place; `longhaul run --schema` prints what may stand in a script.',
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the whole';
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
}

function wordsFor(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'unrecognized_keys':
      return `has ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}, which means nothing there`;
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return issue?.message ?? 'cannot be read';
  }
}

function withArticle(kind: string): string {
  const names: Readonly<Record<string, string>> = {
    array: 'a list',
    object: 'an object',
    string: 'a text',
    int: 'a whole number',
  };
  return names[kind] ?? `a ${kind}`;
}
