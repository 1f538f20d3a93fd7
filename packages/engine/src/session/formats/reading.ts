import type { Entry } from '../entry/entry.ts';
import type { SessionHeader } from '../store/store.ts';

/** The formats that can be read. The four dialects are lists of messages or request bodies, as JSON or JSONL. */
export type ImportFormat = 'longhaul' | 'pi' | 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** All formats that can be read, in the order in which they are listed to people. */
export const importFormats: readonly ImportFormat[] = [
  'longhaul',
  'pi',
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
];

/** A file opened for reading, after its header. */
export interface Reading {
  readonly format: ImportFormat;
  /** The same for the same source: a second import finds the first by it. */
  readonly key: string;
  /** The header of the session to be; `id` only where the file says which it is. */
  readonly header: Omit<SessionHeader, 'v' | 'id' | 'createdAt' | 'source'> & {
    readonly id?: string;
    readonly createdAt?: number;
    readonly source?: SessionHeader['source'];
  };
  /** The entries in order of handle. To be asked for once. */
  readonly entries: (input: { readonly createdAt: number }) => AsyncIterable<Entry>;
}
