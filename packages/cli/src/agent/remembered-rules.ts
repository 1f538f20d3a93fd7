import { z } from 'zod';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { userFilePath } from '../settings/locations.ts';

/** The rules that the user saved for one folder. */
export interface RememberedRules {
  readonly rules: readonly string[];
  /** Saves a rule for this folder; later runs allow what it covers. */
  readonly add: (rule: string) => Promise<void>;
}

const fileName = 'permissions.json';

/** Rules by the path of their folder. */
const saved = z.record(z.string(), z.strictObject({ allow: z.array(z.string().min(1)) }));

/**
 * Reads the rules that the user saved for a folder. They are in the user's configuration, not in the folder, whose files
 * are not trusted.
 *
 * @example
 * const remembered = await readRememberedRules({ io, folder: '/home/me/project' });
 */
export async function readRememberedRules({
  io,
  folder,
}: {
  readonly io: Pick<Io, 'env' | 'home' | 'platform' | 'folder' | 'stderr'>;
  /** Absolute and real. */
  readonly folder: string;
}): Promise<RememberedRules> {
  const dir = pathOf(io).dirname(userFilePath({ io }));
  const files = io.folder(dir);
  const read = async () => {
    const text = await files.read(fileName).catch(() => undefined);
    if (text === undefined) return {};
    const parsed = saved.safeParse(jsonOrUndefined(text));
    if (parsed.success) return parsed.data;
    await io.stderr.write(`The saved permissions in ${pathOf(io).join(dir, fileName)} are invalid and not used.\n`);
    return undefined;
  };
  return {
    rules: (await read())?.[folder]?.allow ?? [],
    async add(rule) {
      const all = await read();
      // An invalid file is left to the user.
      if (!all) return;
      const allow = [...new Set([...(all[folder]?.allow ?? []), rule])];
      await files.write({ name: fileName, text: `${JSON.stringify({ ...all, [folder]: { allow } }, undefined, 2)}\n` });
    },
  };
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
