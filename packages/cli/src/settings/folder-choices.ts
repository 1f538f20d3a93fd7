import type { z } from 'zod';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { userFilePath } from './locations.ts';

/** What the user decided for one folder, in a file of the user's configuration. */
export interface FolderChoices<Value> {
  readonly value: Value | undefined;
  /** Saves a new value, made from the one in the file now; `undefined` removes the folder from it. */
  readonly update: (change: (now: Value | undefined) => Value | undefined) => Promise<void>;
}

/**
 * Reads a file of the user's configuration that holds decisions by folder. They are not kept in the folder itself, whose
 * files are not trusted.
 *
 * @example
 * const { value, update } = await readFolderChoices({ io, folder, fileName: 'permissions.json', schema, what: 'permissions' });
 */
export async function readFolderChoices<Value>({
  io,
  folder,
  fileName,
  schema,
  what,
}: {
  readonly io: Pick<Io, 'env' | 'home' | 'platform' | 'folder' | 'stderr'>;
  /** Absolute and real. */
  readonly folder: string;
  readonly fileName: string;
  /** Of the whole file: values by folder. Made when there is a file, since starting must be fast. */
  readonly schema: () => z.ZodType<Record<string, Value>>;
  /** For the message about an invalid file: "The saved … in FILE are invalid". */
  readonly what: string;
}): Promise<FolderChoices<Value>> {
  const dir = pathOf(io).dirname(userFilePath({ io }));
  const files = io.folder(dir);
  return {
    value: (await read())?.[folder],
    async update(change) {
      const all = await read();
      // An invalid file is left to the user.
      if (!all) return;
      const { [folder]: now, ...others } = all;
      const value = change(now);
      const next = value === undefined ? others : { ...others, [folder]: value };
      await files.write({ name: fileName, text: `${JSON.stringify(next, undefined, 2)}\n` });
    },
  };

  async function read(): Promise<Record<string, Value> | undefined> {
    const text = await files.read(fileName).catch(() => undefined);
    if (text === undefined) return {};
    const parsed = schema().safeParse(jsonOrUndefined(text));
    if (parsed.success) return parsed.data;
    await io.stderr.write(`The saved ${what} in ${pathOf(io).join(dir, fileName)} are invalid and not used.\n`);
    return undefined;
  }
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
