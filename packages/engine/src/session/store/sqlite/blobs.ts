import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { DamageError } from '../errors.ts';
import type { StoreFiles } from './files.ts';

/**
 * Long strings of one session, each in a file named by the SHA-256 of its UTF-8 bytes. A file appears under its name only
 * when its bytes are synced, so a name that can be seen has its content whole.
 */
export class Blobs {
  readonly #files: StoreFiles;
  readonly #folder: string;
  readonly #session: string;
  /** Known to be on disk whole and under a synced name. */
  readonly #durable = new Set<string>();
  #isPrepared = false;
  #counter = 0;

  constructor({
    files,
    folder,
    session,
  }: { readonly files: StoreFiles; readonly folder: string; readonly session: string }) {
    this.#files = files;
    this.#folder = folder;
    this.#session = session;
  }

  /** Makes them durable, all with one sync of the folder. Returns their names. */
  keep(texts: readonly string[]): string[] {
    const blobs = texts.map((text) => {
      const bytes = Buffer.from(text, 'utf8');
      return { bytes, name: hash(bytes) };
    });
    const fresh = new Map(blobs.filter(({ name }) => !this.#durable.has(name)).map(({ name, bytes }) => [name, bytes]));
    if (fresh.size > 0) {
      this.#prepare();
      for (const [name, bytes] of fresh) this.#write(name, bytes);
      this.#files.syncFolder(this.#folder);
      for (const name of fresh.keys()) this.#durable.add(name);
    }
    return blobs.map(({ name }) => name);
  }

  /** Looks at the disk again next time: what no entry names may be swept by others. */
  forget(): void {
    this.#durable.clear();
  }

  /** The text of a blob, verified. */
  text(name: string): string {
    const bytes = this.#files.read(join(this.#folder, name));
    if (!bytes) throw this.#damage({ name, what: 'it is missing' });
    if (hash(bytes) !== name) throw this.#damage({ name, what: 'its bytes are not those that were written' });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  /** The process that created the folder may have been killed before its name was durable. */
  #prepare(): void {
    if (this.#isPrepared) return;
    this.#files.makeFolder(this.#folder);
    this.#files.syncFolder(dirname(this.#folder));
    this.#isPrepared = true;
  }

  #write(name: string, bytes: Uint8Array): void {
    const path = join(this.#folder, name);
    const present = this.#files.read(path);
    if (present && hash(present) === name) return;
    this.#counter += 1;
    const temporary = `${path}.${process.pid}-${this.#counter}-${Date.now().toString(36)}`;
    this.#files.writeSynced(`${temporary}.new`, bytes);
    // A damaged file of that name is healed by the same text coming again; the damaged file is kept next to it.
    if (present) this.#files.rename(path, `${temporary}.damaged`);
    this.#files.rename(`${temporary}.new`, path);
  }

  #damage({ name, what }: { readonly name: string; readonly what: string }): DamageError {
    return new DamageError({ what, where: `Blob ${name} of session ${this.#session}` });
  }
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
