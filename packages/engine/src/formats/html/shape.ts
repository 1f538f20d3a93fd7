// The data embedded in the page. The writer and the page share only these types.

/** The session, as the page tells of it. */
export interface PageSession {
  readonly title: string;
  /** Its id, what it was imported from, its folder: in the order in which they are shown. */
  readonly facts: readonly (readonly [what: string, value: string])[];
  /** The leaf; `null` is before the first entry. */
  readonly leaf: number | null;
}

/** An entry of the log. Other entries are named by their handles. */
export interface PageEntry {
  readonly handle: number;
  /** The parent node; for a note, the leaf at the time it was appended. */
  readonly parent: number | null;
  readonly at: number;
  /** The type of the log entry; the page only compares and prints it. */
  readonly type: string;
  /** Nodes stand on paths. */
  readonly isNode: boolean;
  readonly who: Who;
  /** What to call it, or who speaks. */
  readonly name: string;
  readonly parts: readonly PagePart[];
  readonly label?: string;
  /** About how many tokens the model reads of it, and how many are sent after it. */
  readonly tokens: number;
  readonly context: number;
  /** On an epoch: the messages that are not sent any more, and those that are sent again. */
  readonly replaced?: PageMessages;
  readonly restored?: PageMessages;
  /** On a compaction: the first entry that stays verbatim. */
  readonly kept?: number;
  /** On a note: the entry it is about. */
  readonly target?: number;
}

/** Messages of what is sent. */
export interface PageMessages {
  readonly count: number;
  readonly stretches: readonly (readonly [first: number, last: number])[];
}

/** The author of an entry; `note` for entries without one. */
export type Who = 'human' | 'model' | 'tool' | 'engine' | 'data' | 'note';

export type PagePart =
  | {
      readonly type: 'text';
      readonly who: Who;
      readonly text: string;
      /** What it is called where it is folded away. */
      readonly title?: string;
    }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly text: string }
  | {
      readonly type: 'result';
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
      /** The entry with the call. */
      readonly call?: number;
    }
  | { readonly type: 'image'; readonly source: string };
