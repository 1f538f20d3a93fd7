/**
 * The file system, as little of it as the command needs. Failures are Node's own, with their `code` (`ENOENT`, …); see
 * `systemCode`.
 */
export interface Files {
  /** What is at the path, links followed; `undefined` where nothing is. */
  readonly stat: (path: string) => Promise<FileFacts | undefined>;
  /** The path that a chain of links leads to, also where nothing is there yet; the path itself where it is no link. */
  readonly follow: (path: string) => Promise<string>;
  /** The bytes, piece by piece, so that a reader can stop early. */
  readonly read: (path: string) => AsyncIterable<Uint8Array>;
  /** The first so many bytes, or all where there are fewer, at the cost of one look at the disk. */
  readonly head: (input: { path: string; bytes: number }) => Promise<Uint8Array>;
  /**
   * Calls whenever something happens to a file or near it, until the answer is called. It may call for nothing, and on
   * some file systems it never calls: whoever waits for a change looks from time to time as well.
   */
  readonly watch: (input: { path: string; onChange: () => void }) => () => void;
  /** What stands in a folder, in no order; links are `other` and not followed. */
  readonly list: (path: string) => Promise<readonly FolderItem[]>;
  /** Makes a file that must not exist yet, and returns when its bytes are on the disk. */
  readonly create: (input: { path: string; text: string | AsyncIterable<string>; mode: number }) => Promise<void>;
  /** Gives a file a second name, which must not exist yet. */
  readonly link: (input: { from: string; to: string }) => Promise<void>;
  /** Moves a file over whatever has the new name. */
  readonly rename: (input: { from: string; to: string }) => Promise<void>;
  /** Removes a file; fine if it is already gone. */
  readonly remove: (path: string) => Promise<void>;
  /** From now until the answer is called, a signal that ends the process removes the file first. */
  readonly removeOnSignal: (path: string) => () => void;
  /** Returns when the folder's list of names is on the disk, as far as the system can promise that. */
  readonly syncFolder: (path: string) => Promise<void>;
}

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** When its content was last changed, in milliseconds since 1970. */
  readonly modifiedAt: number;
  /** The permission bits. */
  readonly mode: number;
  /** The same for two names of one file. */
  readonly identity: string;
}

interface FolderItem {
  readonly name: string;
  readonly kind: FileFacts['kind'];
}

/**
 * The code of a failure of the system; `undefined` for any other value.
 *
 * @example
 * if (systemCode(error) === 'ENOENT') return undefined;
 */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
