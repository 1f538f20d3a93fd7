import { LonghaulError } from '../../../errors.ts';
import {
  ConflictError,
  DamageError,
  MissingSessionError,
  RejectedAppendError,
  SessionExistsError,
  StoreWriteError,
} from '../errors.ts';
import type { Head, SessionId } from '../store.ts';

/** An error in a form that crosses threads. */
export type Failure =
  | { readonly kind: 'conflict'; readonly session: SessionId; readonly expected: number; readonly head: Head }
  | { readonly kind: 'missing'; readonly session: SessionId }
  | { readonly kind: 'exists'; readonly session: SessionId }
  | { readonly kind: 'rejected'; readonly session: SessionId; readonly why: string }
  | { readonly kind: 'damage'; readonly what: string; readonly where: string }
  | { readonly kind: 'write'; readonly why: string }
  | { readonly kind: 'other'; readonly code: string; readonly message: string; readonly hint: string };

/** Thrown inside the writer; carries what is needed to raise the typed error on the other side. */
export class FailureError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** What an error of SQLite, the file system or our own means, while doing something with `where`. */
export function failureOf({ error, where }: { readonly error: unknown; readonly where: string }): Failure {
  if (error instanceof FailureError) return error.failure;
  if (error instanceof DamageError) return { kind: 'damage', ...placeOf(error, where) };
  if (LonghaulError.is(error)) return { kind: 'other', ...error.toJSON() };
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  const said = message ?? String(error);
  if (code === 'ERR_SQLITE_ERROR' && errcode !== undefined)
    return sqliteFailure({ primary: errcode === sharedMemorySize ? 13 : errcode & 0xff, said, where });
  // A number that JavaScript cannot hold was never written.
  if (code === 'ERR_OUT_OF_RANGE') return { kind: 'damage', what: said, where };
  const why = code === undefined ? undefined : fileFailures[code];
  if (why !== undefined) return { kind: 'write', why };
  return { kind: 'other', code: 'store-failed', message: `${where} could not be used: ${said}.`, hint: doctorHint };
}

export function errorOf(failure: Failure): LonghaulError {
  switch (failure.kind) {
    case 'conflict':
      return new ConflictError(failure);
    case 'missing':
      return new MissingSessionError(failure);
    case 'exists':
      return new SessionExistsError(failure);
    case 'rejected':
      return new RejectedAppendError(failure);
    case 'damage':
      return new DamageError(failure);
    case 'write':
      return new StoreWriteError(failure);
    case 'other':
      return new LonghaulError(failure);
  }
}

/** Damage found in the bytes, as against a disk or a lock that said no. */
export function isDamage(error: unknown): boolean {
  return failureOf({ error, where: '' }).kind === 'damage';
}

/**
 * Whether the disk takes no writes: full, read-only, not permitted, failing. Not a lock that another process holds, and
 * not damage. What is there may still be readable.
 */
export function isWriteRefusal(error: unknown): boolean {
  if (error instanceof FailureError) return false;
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (code === 'ERR_SQLITE_ERROR' && errcode !== undefined) return sqliteRefusals.has(errcode & 0xff);
  return code !== undefined && code in fileFailures;
}

const doctorHint = 'Run `longhaul doctor` to see what is wrong.';

/** By primary result code: https://www.sqlite.org/rescode.html */
const sqliteWrites: Readonly<Record<number, string>> = {
  3: 'access is denied',
  5: 'another process has held it for too long',
  6: 'another process has held it for too long',
  8: 'it is read-only',
  10: 'the disk reports an error',
  13: 'the disk is full',
  14: 'it cannot be opened',
  15: 'another process has held it for too long',
  22: 'the file would be too large',
};

/** Extended result code of SQLite: the shared-memory file next to a database could not be extended. */
const sharedMemorySize = 4874;

const sqliteRefusals = new Set([3, 8, 10, 13, 14, 22]);

const sqliteDamage = new Set([11, 26]);

const fileFailures: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'access is denied',
  EPERM: 'access is denied',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

function sqliteFailure({
  primary,
  said,
  where,
}: {
  readonly primary: number;
  readonly said: string;
  readonly where: string;
}): Failure {
  if (sqliteDamage.has(primary)) return { kind: 'damage', what: said, where };
  const why = sqliteWrites[primary];
  if (why !== undefined) return { kind: 'write', why };
  // A statement that does not fit its table (a missing table or column) is a file that is not what it should be.
  if (primary === 1) return { kind: 'damage', what: said, where };
  return { kind: 'other', code: 'store-failed', message: `${where} could not be used: ${said}.`, hint: doctorHint };
}

function placeOf(error: DamageError, where: string): { readonly what: string; readonly where: string } {
  const [, place = where, what = error.message] = /^(.*?) is damaged: (.*)\.$/s.exec(error.message) ?? [];
  return { what, where: place };
}
