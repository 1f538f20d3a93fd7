/** What a command does to files, as far as its arguments say so. */
export interface Effects {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** Deleted, or changed together with everything inside. */
  readonly deletes?: readonly string[];
  /** Why it needs consent although it is understood. */
  readonly danger?: string;
  /** The folder that the command works in, from the current one. */
  readonly directory?: string;
  /** The command with options removed that do not change what it does: `git -C x push` is `git push`. */
  readonly canonical?: readonly string[];
  /** A command that this one runs. */
  readonly runs?: readonly string[];
}

/** A command whose arguments are not known. */
export interface Unclear {
  readonly unclear: string;
}

/** Judges the arguments of one program. */
export type Judge = (args: readonly string[]) => Effects | Unclear;

export function unclear(reason: string): Unclear {
  return { unclear: reason };
}
