import { z } from 'zod';
import { readFolderChoices } from '../settings/folder-choices.ts';

/** The rules that the user saved for one folder. */
export interface RememberedRules {
  readonly rules: readonly string[];
  /** Saves a rule for this folder; later runs allow what it covers. */
  readonly add: (rule: string) => Promise<void>;
}

/** Rules by the path of their folder. */
const schema = () => z.record(z.string(), z.strictObject({ allow: z.array(z.string().min(1)) }));

/**
 * Reads the rules that the user saved for a folder.
 *
 * @example
 * const remembered = await readRememberedRules({ io, folder: '/home/me/project' });
 */
export async function readRememberedRules({
  io,
  folder,
}: Pick<Parameters<typeof readFolderChoices>[0], 'io' | 'folder'>): Promise<RememberedRules> {
  const choices = await readFolderChoices({ io, folder, fileName: 'permissions.json', schema, what: 'permissions' });
  return {
    rules: choices.value?.allow ?? [],
    add: async (rule) => await choices.update((now) => ({ allow: [...new Set([...(now?.allow ?? []), rule])] })),
  };
}
