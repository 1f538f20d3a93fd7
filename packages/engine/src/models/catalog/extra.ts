import { z } from 'zod';
import { LonghaulError } from '../../errors.ts';
import type { ModelEntry } from './entry.ts';
import { modelEntrySchema } from './schema.ts';

const entries = z.array(modelEntrySchema);

/** Entries from a user. They come from files and flags, so their type is a claim until it is checked. */
export function readExtra({ value }: { readonly value: unknown }): readonly ModelEntry[] {
  const result = entries.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = ['extra', ...(issue?.path ?? [])].reduce<string>(join, '');
  throw new LonghaulError({
    code: 'invalid-model-data',
    cause: `${path} is not valid model data: ${issue?.message ?? 'it does not fit the schema'}.`,
    next: fixOf({ issue, path }),
    from: result.error,
  });
}

function join(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}

function fixOf({ issue, path }: { readonly issue: z.core.$ZodIssue | undefined; readonly path: string }): string {
  if (issue?.code === 'unrecognized_keys') {
    return `Remove ${issue.keys.map((key) => `\`${key}\``).join(', ')} from ${path}, or correct the spelling; docs/models.md lists the members.`;
  }
  if (issue?.code === 'invalid_value') return `Set ${path} to one of: ${issue.values.map(String).join(', ')}.`;
  if (issue?.code === 'invalid_type')
    return `Set ${path} to ${article(issue.expected)}; docs/models.md has an example.`;
  return `Correct ${path}; docs/models.md has an example.`;
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
