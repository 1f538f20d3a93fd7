/**
 * What a slash command returns: values that every interface draws in its own way. Functions in them continue the
 * command: they are called with the user's choice and return further results.
 */
export type CommandResult =
  | TextResult
  | TableResult
  | PickerResult
  | ConfirmResult
  | EditorResult
  | MapResult
  | TreeResult
  /** Puts text into the input, for editing. */
  | { readonly kind: 'edit'; readonly text: string }
  /** Ends the program. */
  | { readonly kind: 'exit' };

/** Text in a panel, or below the conversation. */
export interface TextResult {
  readonly kind: 'text';
  readonly title?: string;
  readonly text: string;
  readonly format: 'plain' | 'markdown' | 'diff';
  readonly level?: 'info' | 'warning' | 'error';
}

interface TableResult {
  readonly kind: 'table';
  readonly title?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Shown in place of a table without rows. */
  readonly empty: string;
}

/** A list to choose from. */
interface PickerResult {
  readonly kind: 'picker';
  readonly title: string;
  readonly items: readonly PickerItem[];
  /** The id of the item that is chosen at first. */
  readonly selected?: string;
  readonly empty: string;
  /** What is shown next to the list about an item. */
  readonly preview?: (id: string) => Promise<string>;
  /** The first is done by Enter. */
  readonly actions: readonly PickerAction[];
}

export interface PickerItem {
  readonly id: string;
  readonly label: string;
  /** Faint, behind the label. */
  readonly detail?: string;
  /** Cannot be chosen: why. */
  readonly disabled?: string;
}

interface PickerAction {
  /** A letter that does it, where it is not Enter. */
  readonly key?: string;
  readonly label: string;
  /** Asks for a text first, e.g. a new name. */
  readonly input?: { readonly label: string; readonly initial?: (id: string) => string };
  readonly run: (id: string, text: string) => Promise<readonly CommandResult[]>;
}

/** A question with a few answers. */
interface ConfirmResult {
  readonly kind: 'confirm';
  readonly title: string;
  readonly body: readonly (TextResult | TableResult)[];
  /** The first is the default. Leaving the question open is not possible: dismissing it runs the last choice. */
  readonly choices: readonly ConfirmChoice[];
}

interface ConfirmChoice {
  readonly key: string;
  readonly label: string;
  readonly run: () => Promise<readonly CommandResult[]>;
}

/** A text of several lines to change in the editor of the user. */
interface EditorResult {
  readonly kind: 'editor';
  readonly title: string;
  readonly text: string;
  readonly run: (text: string) => Promise<readonly CommandResult[]>;
}

/** What fills the window, by kind, in the order in which it is sent. All in tokens. */
export interface MapResult {
  readonly kind: 'map';
  readonly title: string;
  readonly window: number;
  readonly used: number;
  readonly bound: number;
  readonly reserve: number;
  readonly threshold: number;
  readonly segments: readonly MapSegment[];
  /** What a compaction would replace first, in words. */
  readonly goesFirst: readonly string[];
}

export interface MapSegment {
  readonly kind:
    | 'system'
    | 'tools'
    | 'summary'
    | 'human'
    | 'model'
    | 'thinking'
    | 'toolCalls'
    | 'toolResults'
    | 'engine';
  readonly label: string;
  readonly tokens: number;
  readonly messages: number;
}

/** The whole session as a tree, in the order of drawing. */
export interface TreeResult {
  readonly kind: 'tree';
  readonly title: string;
  readonly nodes: readonly TreeNode[];
  /** The id of the current place. */
  readonly current: string | undefined;
  readonly preview: (id: string) => Promise<string>;
  /** Moves there. Leaving a branch first asks whether to summarize it. */
  readonly move: (id: string) => Promise<readonly CommandResult[]>;
  readonly label: (id: string, text: string) => Promise<readonly CommandResult[]>;
  /** Continues in a copy of the session from there. */
  readonly fork: (id: string) => Promise<readonly CommandResult[]>;
}

export interface TreeNode {
  readonly id: string;
  readonly parent: string | undefined;
  /** How many branches deep it is; straight runs are not indented. */
  readonly depth: number;
  readonly handle: string;
  readonly who: string;
  readonly text: string;
  readonly label?: string;
  /** Whether it is on the path to the current place. */
  readonly isOnPath: boolean;
  /** Whether several branches leave from it. */
  readonly isFork: boolean;
}

/** A result of plain text. */
export function textResult(text: string, title?: string): TextResult {
  return { kind: 'text', format: 'plain', text, ...(title !== undefined && { title }) };
}
