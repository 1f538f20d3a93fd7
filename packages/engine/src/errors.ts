const marker = Symbol.for('longhaul.error');

/** The fields of every error of the family. */
export interface ErrorFacts {
  /** Stable, kebab-case, safe to branch on. */
  readonly code: string;
  /** One sentence: what is wrong, and where. */
  readonly message: string;
  /** One sentence: what to do next. */
  readonly hint: string;
}

/** What `LonghaulError` is constructed with. */
export interface LonghaulErrorOptions extends ErrorFacts {
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/**
 * The one error family. `message` says what is wrong, `hint` what to do, `cause` is the error that led to it. `LonghaulError.is` works across two copies of
 * the package in one process, where `instanceof` does not.
 *
 * @example
 * try {
 *   readConversation({ value: 42 });
 * } catch (error) {
 *   if (LonghaulError.is(error)) console.error(`${error.message} ${error.hint}`);
 * }
 */
export class LonghaulError extends Error {
  override readonly name: string = 'LonghaulError';
  readonly code: string;
  readonly hint: string;
  readonly [marker] = true;

  constructor({ code, message, hint, cause }: LonghaulErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }

  static is(value: unknown): value is LonghaulError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  /** The form in which errors leave a process: `{ code, message, hint }`. */
  toJSON(): ErrorFacts {
    return { code: this.code, message: this.message, hint: this.hint };
  }
}

/**
 * What may not be cut is larger than the window. It names the part and by how much it is too large; nothing was sent and
 * nothing was lost. The prompt room's error of the same name is one of these.
 *
 * @example
 * if (error instanceof BudgetExceededError) console.error(`${error.part}: ${error.excess} tokens too many`);
 */
export class BudgetExceededError extends LonghaulError {
  override readonly name = 'BudgetExceededError';
  /** What is too large: the head, the tools, the latest message, or a place in a prompt. */
  readonly part: string;
  /** By how many tokens. */
  readonly excess: number;

  constructor({ part, excess, limit, message, hint }: BudgetExcess) {
    super({
      code: 'budget-exceeded',
      message: message ?? `${part} may not be cut, and exceed the ${limit} tokens that are there by ${excess}.`,
      hint: hint ?? 'Make it smaller, or use a model with a larger window.',
    });
    this.part = part;
    this.excess = excess;
  }
}

/** What is too large, by how much, and other words for it than the usual ones. */
export interface BudgetExcess {
  readonly part: string;
  readonly excess: number;
  readonly limit: number;
  readonly message?: string;
  readonly hint?: string;
}
