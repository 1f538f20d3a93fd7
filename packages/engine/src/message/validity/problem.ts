/** What can be wrong with a message list. */
export type ProblemCode =
  | 'bad-call-id'
  | 'bad-tool-name'
  | 'duplicate-call'
  | 'duplicate-item'
  | 'duplicate-result'
  | 'empty-message'
  | 'empty-result'
  | 'empty-text'
  | 'lone-surrogate'
  | 'misplaced-part'
  | 'misplaced-result'
  | 'misplaced-system'
  | 'misplaced-thinking'
  | 'missing-thinking'
  | 'not-a-message'
  | 'not-opened-by-user'
  | 'nothing-to-send'
  | 'orphaned-result'
  | 'refused-member'
  | 'surplus-cache-mark'
  | 'trailing-assistant'
  | 'trailing-thinking'
  | 'unanswered-call'
  | 'unsigned-call'
  | 'unsigned-thinking'
  | 'unsupported-media';

/** Where: the index of the message, and of the part in it where one part is to blame. */
export interface PartPosition {
  readonly message: number;
  readonly part?: number;
}

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence. */
  readonly message: string;
  readonly at: PartPosition;
}

/** What `repair` did about a problem, and to which message of the list as it was given. */
export interface Repair {
  readonly code: ProblemCode;
  /** One sentence. */
  readonly message: string;
  readonly at: { readonly message: number };
}
