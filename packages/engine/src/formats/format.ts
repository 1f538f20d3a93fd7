import type { Json, JsonObject } from '../json.ts';
import type { FileRecord } from './lines/read-records.ts';
import type { ImportFormat, ParsedSession } from './parsed-session.ts';
import type { WarningList } from './warnings.ts';

/**
 * A format whose file is a record of JSON a line. It is read as it comes, never more than a line in memory.
 *
 * @example
 * const codex: LinesFormat = { kind: 'lines', name: 'codex', isRecord, read: readCodex };
 */
export interface LinesFormat {
  readonly kind: 'lines';
  readonly name: ImportFormat;
  /** Whether a record is one of this format, and of no other. Asked of the first lines, and of what damage left over. */
  readonly isRecord: (value: JsonObject) => boolean;
  /** How the first line begins where it is too long, or too torn, to be looked at whole. */
  readonly startsLike?: RegExp;
  readonly read: (input: {
    /** All records, the first included. */
    readonly records: AsyncIterable<FileRecord>;
    /** The first record, to know the session by. */
    readonly first: FileRecord;
    /** The first characters of the file as they are. */
    readonly beginning: string;
    readonly warnings: WarningList;
  }) => ParsedSession;
}

/** A format whose file is one JSON value, read as a whole. */
export interface DocumentFormat {
  readonly kind: 'document';
  readonly name: ImportFormat;
  /** Whether a value is a file of this format, and of no other. */
  readonly isDocument: (value: Json) => boolean;
  readonly read: (input: { readonly value: Json; readonly warnings: WarningList }) => ParsedSession;
}

/** A format whose file is text, read line by line. */
export interface TextFormat {
  readonly kind: 'text';
  readonly name: ImportFormat;
  /** Whether a file begins like one of this format. */
  readonly isText: (beginning: string) => boolean;
  readonly read: (input: {
    /** Without their line ends. */
    readonly lines: AsyncIterable<{ readonly number: number; readonly text: string }>;
    readonly beginning: string;
    readonly warnings: WarningList;
  }) => ParsedSession;
}

/** A SQLite database. It is opened read-only in its own folder, because the newest rows may be in the WAL file. */
export interface DatabaseFormat {
  readonly kind: 'database';
  readonly name: ImportFormat;
  readonly read: (input: { readonly path: string; readonly warnings: WarningList }) => ParsedSession;
}

export type Format = LinesFormat | DocumentFormat | TextFormat | DatabaseFormat;
