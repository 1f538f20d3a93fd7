import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { readFolderChoices } from '../settings/folder-choices.ts';
import { printable } from '../text/printable.ts';

/** Something in a project that could run code or instruct the agent, and is off until the user trusts it. */
export interface TrustItem {
  /** Used in sentences: `MCP server`, `extension`, `agent`. */
  readonly kind: string;
  readonly name: string;
  /** What it would do, in one line, for the question: a command, an address, a file. */
  readonly summary: string;
  /** What the consent is bound to: a change of this text asks again. */
  readonly content: string;
}

/** What the user trusts in one folder. */
export interface FolderTrust {
  /** The folder that the consent is saved for. */
  readonly folder: string;
  readonly has: (item: TrustItem) => boolean;
  /** Saves the consent. */
  readonly add: (items: readonly TrustItem[]) => Promise<void>;
  /** Withdraws all consent of this folder. */
  readonly clear: () => Promise<void>;
}

/** Hashes of the trusted items by `KIND NAME`, by the path of their folder. */
const schema = () => z.record(z.string(), z.record(z.string(), z.string()));

/**
 * Reads what the user trusts in a project. The consent is in the user's configuration, never in the project, and is bound
 * to the content of each item: after `git pull` a changed item is off again.
 *
 * @example
 * const trust = await readTrust({ io });
 * if (trust.has({ kind: 'extension', name: 'lint.ts', summary: '.longhaul/extensions/lint.ts', content })) …
 */
export async function readTrust({
  io,
}: {
  readonly io: Pick<Io, 'cwd' | 'env' | 'home' | 'platform' | 'files' | 'folder' | 'stderr'>;
}): Promise<FolderTrust> {
  const folder = await io.files.follow(await projectRoot({ io }));
  const choices = await readFolderChoices({ io, folder, fileName: 'trust.json', schema, what: 'trust decisions' });
  let known = choices.value ?? {};
  return {
    folder,
    has: (item) => known[keyOf(item)] === hashOf(item),
    async add(items) {
      const added = Object.fromEntries(items.map((item) => [keyOf(item), hashOf(item)]));
      known = { ...known, ...added };
      await choices.update((now) => ({ ...now, ...added }));
    },
    async clear() {
      known = {};
      await choices.update(() => undefined);
    },
  };
}

/**
 * The root of the project of the working folder: the nearest folder with a `.git`, otherwise the working folder itself.
 *
 * @example
 * await projectRoot({ io }); // '/home/me/project' in /home/me/project/src
 */
export async function projectRoot({ io }: { readonly io: Pick<Io, 'cwd' | 'platform' | 'files'> }): Promise<string> {
  const { join, dirname } = pathOf(io);
  for (let folder = io.cwd; ; folder = dirname(folder)) {
    if (await io.files.stat(join(folder, '.git')).catch(() => undefined)) return folder;
    if (folder === dirname(folder)) return io.cwd;
  }
}

/**
 * Asks once about the items that are not trusted yet, if there is a terminal; otherwise one line says that they are off
 * and how to trust them.
 *
 * @example
 * await askForTrust({ io, trust, items, isAsking: io.stdinIsTerminal && !json });
 */
export async function askForTrust({
  io,
  trust,
  items,
  isAsking,
}: {
  readonly io: Pick<Io, 'ask' | 'stderr'>;
  readonly trust: FolderTrust;
  readonly items: readonly TrustItem[];
  /** Whether the user can be asked. */
  readonly isAsking: boolean;
}): Promise<void> {
  const unknown = items.filter((item) => !trust.has(item));
  if (unknown.length === 0) return;
  const question = `This project wants to use:\n${unknown.map(itemLine).join('\n')}\nTrust it? y = yes, also in later runs; n = no: `;
  const answer = isAsking ? await io.ask(question) : undefined;
  if (answer !== undefined && /^\s*(?:y|yes)\s*$/i.test(answer)) return await trust.add(unknown);
  const names = unknown.map(({ kind, name }) => printable(`${kind} ${name}`)).join(', ');
  await io.stderr.write(`Off, because they come from the project: ${names}. To trust them: longhaul trust\n`);
}

/** One item, as it is listed. */
export function itemLine({ kind, name, summary }: TrustItem): string {
  return `  ${printable(`${kind} ${name}: ${summary}`)}`;
}

function keyOf({ kind, name }: TrustItem): string {
  return `${kind} ${name}`;
}

function hashOf({ content }: TrustItem): string {
  return createHash('sha256').update(content).digest('hex');
}
