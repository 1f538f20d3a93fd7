import { LonghaulError } from '../../errors.ts';
import type { Head, SessionId } from './store.ts';

/**
 * Another writer appended first. Nothing was written; `head` is the current head of the session.
 *
 * @example
 * try {
 *   await session.append(draft);
 * } catch (error) {
 *   if (!(error instanceof ConflictError)) throw error;
 *   await session.reload();
 *   await session.append(draft);
 * }
 */
export class ConflictError extends LonghaulError {
  override readonly name = 'ConflictError';
  readonly session: SessionId;
  readonly head: Head;

  constructor({
    session,
    expected,
    head,
  }: { readonly session: SessionId; readonly expected: number; readonly head: Head }) {
    super({
      code: 'session-conflict',
      message: `Session ${session} is at @${head.last}, not at @${expected}: another writer appended to it.`,
      hint: 'Reload the session and append again, or fork it and go on in the fork.',
    });
    this.session = session;
    this.head = head;
  }
}

/**
 * There is no such session.
 *
 * @example
 * const session = await openSession({ store, id }).catch((error) => {
 *   if (error instanceof MissingSessionError) return createSession({ store, header: { id } });
 *   throw error;
 * });
 */
export class MissingSessionError extends LonghaulError {
  override readonly name = 'MissingSessionError';

  constructor({ session }: { readonly session: SessionId }) {
    super({
      code: 'session-missing',
      message: `There is no session ${session}.`,
      hint: 'List the sessions to see which there are.',
    });
  }
}

/**
 * A session of this id is there already; nothing was changed.
 *
 * @example
 * await store.create({ header }).catch((error) => {
 *   if (!(error instanceof SessionExistsError)) throw error;
 * });
 */
export class SessionExistsError extends LonghaulError {
  override readonly name = 'SessionExistsError';

  constructor({ session }: { readonly session: SessionId }) {
    super({
      code: 'session-exists',
      message: `There is already a session ${session}.`,
      hint: 'Open it, or create one under another id.',
    });
  }
}

/**
 * An append that cannot be part of this log (handles that do not ascend, an id that is taken). Nothing was written.
 *
 * @example
 * await store.append({ session: id, expect: 0, entries, leaf: null, epoch: null }).catch((error) => {
 *   if (error instanceof RejectedAppendError) console.error(error.message);
 *   throw error;
 * });
 */
export class RejectedAppendError extends LonghaulError {
  override readonly name = 'RejectedAppendError';

  constructor({ session, why }: { readonly session: SessionId; readonly why: string }) {
    super({
      code: 'append-rejected',
      message: `The append to session ${session} was rejected: ${why}. Nothing was written.`,
      hint: 'Reload the session and append again.',
    });
  }
}

/**
 * What was stored cannot be read back as it was.
 *
 * @example
 * const session = await openSession({ store, id }).catch((error) => {
 *   if (error instanceof DamageError) return openSession({ store, id, allowDamage: true });
 *   throw error;
 * });
 */
export class DamageError extends LonghaulError {
  override readonly name = 'DamageError';

  constructor({ what, where, cause }: { readonly what: string; readonly where: string; readonly cause?: unknown }) {
    super({
      code: 'store-damaged',
      message: `${where} is damaged: ${what}.`,
      hint: 'Run `longhaul doctor` to see what can be saved.',
      cause,
    });
  }
}

/**
 * The store could not write; what was acknowledged before is safe.
 *
 * @example
 * await session.append(draft).catch((error) => {
 *   if (error instanceof StoreWriteError) console.error(`${error.message} ${error.hint}`);
 *   throw error;
 * });
 */
export class StoreWriteError extends LonghaulError {
  override readonly name = 'StoreWriteError';

  constructor({ why, cause }: { readonly why: string; readonly cause?: unknown }) {
    super({
      code: 'store-write-failed',
      message: `The store cannot be written: ${why}. Nothing of this append was kept; everything before it is safe.`,
      hint: 'Free some space or choose another folder, then append again.',
      cause,
    });
  }
}
