/** The effects of a command on files, as far as its arguments show. */
export interface Effects {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** Deleted, or changed with everything inside. */
  readonly deletes?: readonly string[];
  /** Written with everything inside, if it is a folder. */
  readonly trees?: readonly string[];
  /** Why it needs approval although it is understood. */
  readonly danger?: string;
  /** The working folder of the command, relative to the current one. */
  readonly directory?: string;
  /** The command without options that do not change its meaning: `git -C x push` is `git push`. */
  readonly canonical?: readonly string[];
  /** A command that this one runs. */
  readonly runs?: readonly string[];
}

/** A command with unknown arguments. */
export interface Unclear {
  readonly unclear: string;
}

/** Judges the arguments of one program. */
export type Judge = (args: readonly string[]) => Effects | Unclear;

export function unclear(reason: string): Unclear {
  return { unclear: reason };
}
