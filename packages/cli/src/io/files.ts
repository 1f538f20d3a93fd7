/**
 * The part of the file system that the CLI needs. Errors are Node's own, with their `code` (`ENOENT`, …); see
 * `systemCode`.
 */
export interface FileSystem {
  /** What is at the path, following links; `undefined` if nothing. */
  readonly stat: (path: string) => Promise<FileFacts | undefined>;
  /** The target of a chain of links, even if it does not exist; the path itself if it is not a link. */
  readonly follow: (path: string) => Promise<string>;
  /** The bytes in chunks, so that a reader can stop early. */
  readonly read: (path: string) => AsyncIterable<Uint8Array>;
  /** The first bytes of a file, with a single read. */
  readonly head: (input: { path: string; bytes: number }) => Promise<Uint8Array>;
  /**
   * Calls the listener when something happens to a file or near it; returns an unsubscribe function. Calls may be
   * spurious, and some file systems report nothing, so callers must poll as well.
   */
  readonly watch: (input: { path: string; onChange: () => void }) => () => void;
  /** The entries of a folder, unordered; links are `other` and not followed. */
  readonly list: (path: string) => Promise<readonly FolderItem[]>;
  /** Creates a file that must not exist yet; resolves when its bytes are on disk. */
  readonly create: (input: { path: string; text: string | AsyncIterable<string>; mode: number }) => Promise<void>;
  /** Creates a folder that only the user can read, with its parents; succeeds if it exists. */
  readonly createFolder: (path: string) => Promise<void>;
  /** Creates a hard link; the new name must not exist yet. */
  readonly link: (input: { from: string; to: string }) => Promise<void>;
  /** Renames a file, replacing any file with the new name. */
  readonly rename: (input: { from: string; to: string }) => Promise<void>;
  /** Removes a file; succeeds if it is already gone. */
  readonly remove: (path: string) => Promise<void>;
  /** Removes the file if a signal ends the process; returns a function that cancels this. */
  readonly removeOnSignal: (path: string) => () => void;
  /** Syncs a folder to disk, as far as the system supports it. */
  readonly syncFolder: (path: string) => Promise<void>;
}

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** Modification time in milliseconds since 1970. */
  readonly modifiedAt: number;
  /** The permission bits. */
  readonly mode: number;
  /** Equal for two names of one file. */
  readonly identity: string;
}

interface FolderItem {
  readonly name: string;
  readonly kind: FileFacts['kind'];
}

/**
 * The code of a system error; `undefined` for any other value.
 *
 * @example
 * if (systemCode(error) === 'ENOENT') return undefined;
 */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
