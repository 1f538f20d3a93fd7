const marker = Symbol.for('longhaul.error');

/** The fields of every error of the family. */
export interface ErrorFacts {
  /** Stable, kebab-case, safe to branch on. */
  readonly code: string;
  /** One sentence: what is wrong, and where. */
  readonly cause: string;
  /** One sentence: what to do next. */
  readonly next: string;
}

/**
 * The one error family. The message is the cause; `next` says what to do. `LonghaulError.is` works across two copies of
 * the package in one process, where `instanceof` does not.
 *
 * @example
 * try {
 *   readConversation({ value: 42 });
 * } catch (error) {
 *   if (LonghaulError.is(error)) console.error(`${error.message} ${error.next}`);
 * }
 */
export class LonghaulError extends Error {
  override readonly name: string = 'LonghaulError';
  readonly code: string;
  readonly next: string;
  readonly [marker] = true;

  constructor({ code, cause, next, from }: ErrorFacts & { readonly from?: unknown }) {
    super(cause, from === undefined ? undefined : { cause: from });
    this.code = code;
    this.next = next;
  }

  static is(value: unknown): value is LonghaulError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  /** The form in which errors leave a process: `{ code, cause, next }`. */
  toJSON(): ErrorFacts {
    return { code: this.code, cause: this.message, next: this.next };
  }
}
