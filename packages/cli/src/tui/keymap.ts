/** Where a key has its meaning. */
export type KeyContext = 'anywhere' | 'input' | 'question' | 'list' | 'transcript';

/** A key with what it does. */
export interface KeyBinding<Action extends string = string> {
  readonly action: Action;
  /** As the terminal library names them; the first is shown in help. */
  readonly keys: readonly string[];
  readonly help: string;
}

const bind = <const Action extends string>(action: Action, keys: string, help: string): KeyBinding<Action> => ({
  action,
  keys: keys.split(' '),
  help,
});

/** All keys, in the order of the table in docs/terminal.md, which is made from this one. */
export const keymap = {
  anywhere: [
    bind('submit', 'enter', 'Send the message; while the agent works, it gets it before its next step'),
    bind('queue', 'tab', 'While the agent works: send the message when it has finished'),
    bind('newline', 'shift+enter alt+enter ctrl+j', 'New line; a backslash before Enter does the same'),
    bind('stop', 'escape', 'Stop the agent or a command; twice on an empty input: rewind'),
    bind('mode', 'shift+tab', 'Next mode: ask, auto-edit, plan, read-only'),
    bind('quit', 'ctrl+c', 'Clear the input; twice: leave'),
    bind('leave', 'ctrl+d', 'Leave, if the input is empty'),
    bind('suspend', 'ctrl+z', 'Suspend; `fg` brings everything back'),
    bind('details', 'ctrl+o', 'Unfold or fold the tool calls on the screen: arguments, output, diff'),
    bind('thinking', 'ctrl+t', 'Show or fold the thinking on the screen'),
    bind('transcript', 'pageUp', 'The whole conversation, to scroll, search and unfold'),
    bind('background', 'ctrl+b', 'Show or hide the output of background commands'),
    bind('editor', 'ctrl+g', 'Edit the message in $VISUAL or $EDITOR'),
    bind('search', 'ctrl+r', 'Search earlier messages'),
    bind('image', 'ctrl+v', 'Attach the image on the clipboard'),
    // Without a keyboard protocol, terminals send the same for both.
    bind('model', 'alt+p alt+up', 'Choose another model'),
    bind('redraw', 'ctrl+l', 'Draw the screen again'),
  ],
  input: [
    bind('left', 'left', 'One character left'),
    bind('right', 'right', 'One character right'),
    bind('up', 'up ctrl+p', 'One row up; in the first row: the message before'),
    bind('down', 'down ctrl+n', 'One row down; in the last row: the message after'),
    bind('wordLeft', 'alt+left ctrl+left alt+b', 'One word left'),
    bind('wordRight', 'alt+right ctrl+right alt+f', 'One word right'),
    bind('lineStart', 'home ctrl+a', 'Start of the line'),
    bind('lineEnd', 'end ctrl+e', 'End of the line'),
    bind('allStart', 'ctrl+home', 'Start of the text'),
    bind('allEnd', 'ctrl+end', 'End of the text'),
    bind('deleteLeft', 'backspace ctrl+h', 'Delete the character before the cursor'),
    bind('deleteRight', 'delete', 'Delete the character after the cursor'),
    bind('killWordLeft', 'ctrl+w alt+backspace ctrl+backspace', 'Delete the word before the cursor'),
    bind('killWordRight', 'alt+d alt+delete', 'Delete the word after the cursor'),
    bind('killLineEnd', 'ctrl+k', 'Delete to the end of the line'),
    bind('killLineStart', 'ctrl+u', 'Delete to the start of the line'),
    bind('yank', 'ctrl+y', 'Insert what was deleted last'),
    bind('yankPop', 'alt+y', 'After Ctrl-Y: insert what was deleted before that'),
    bind('undo', 'ctrl+-', 'Undo; on most keyboards Ctrl-_ or Ctrl-/'),
    bind('redo', 'alt+u', 'Redo'),
  ],
  question: [
    bind('yes', 'y', 'Allow it once'),
    bind('no', 'n', 'Deny it'),
    bind('always', 'a', 'Allow it and everything its rule covers, for this run'),
    bind('folder', 'f', 'The same, also for later runs in this folder'),
    bind('edit', 'e', 'Change the rule first'),
    bind('reason', 'r', 'Deny it and say why'),
    bind('focus', 'tab', 'Go back from the input to the question'),
  ],
  list: [
    bind('previous', 'up ctrl+p', 'Previous row'),
    bind('next', 'down ctrl+n', 'Next row'),
    bind('pagePrevious', 'pageUp', 'One page up'),
    bind('pageNext', 'pageDown', 'One page down'),
    bind('first', 'home', 'First row'),
    bind('last', 'end', 'Last row'),
    bind('choose', 'enter', 'Choose the row'),
    bind('fold', 'left', 'Tree: fold the branch'),
    bind('unfold', 'right', 'Tree: unfold the branch'),
    bind('close', 'escape ctrl+c', 'Close without choosing; letters filter the rows'),
  ],
  transcript: [
    bind('lineUp', 'up k', 'Previous item'),
    bind('lineDown', 'down j', 'Next item'),
    bind('pageUp', 'pageUp b', 'One page up'),
    bind('pageDown', 'pageDown space', 'One page down'),
    bind('top', 'home g', 'The beginning of the conversation'),
    bind('bottom', 'end G', 'The end'),
    bind('toggle', 'enter right left', 'Unfold or fold the item; long output is read from the log'),
    bind('all', 'ctrl+o', 'Unfold or fold all items'),
    bind('find', '/', 'Search; Enter repeats it'),
    bind('findNext', 'n', 'Next match'),
    bind('leave', 'escape q ctrl+c', 'Back'),
  ],
} as const satisfies Record<KeyContext, readonly KeyBinding[]>;

/** The actions of a context. */
export type ActionOf<Context extends KeyContext> = (typeof keymap)[Context][number]['action'];

const tables = new Map(
  Object.entries(keymap).map(([context, bindings]) => [
    context,
    new Map(bindings.flatMap(({ action, keys }) => keys.map((key) => [key, action] as const))),
  ]),
);

/**
 * What a key does in a context.
 *
 * @example
 * actionFor({ context: 'anywhere', key: 'shift+tab' }); // 'mode'
 */
export function actionFor<Context extends KeyContext>({
  context,
  key,
}: {
  readonly context: Context;
  readonly key: string | undefined;
}): ActionOf<Context> | undefined {
  if (key === undefined) return undefined;
  return tables.get(context)?.get(key) as ActionOf<Context> | undefined;
}

/**
 * A key as people write it.
 *
 * @example
 * keyName('ctrl+o'); // 'Ctrl-O'
 */
export function keyName(key: string): string {
  const names: Readonly<Record<string, string>> = { pageUp: 'PageUp', pageDown: 'PageDown', escape: 'Esc', '-': '_' };
  return key
    .split('+')
    .map((part, _, all) => {
      if (part in names && (part !== '-' || all.length > 1)) return names[part];
      if (part.length > 1) return `${part.charAt(0).toUpperCase()}${part.slice(1)}`;
      return all.length > 1 ? part.toUpperCase() : part;
    })
    .join('-');
}

const titles: Readonly<Record<KeyContext, string>> = {
  anywhere: 'Anywhere',
  input: 'Editing',
  question: 'A question about a call',
  list: 'Lists and trees',
  transcript: 'The whole conversation',
};

/**
 * The table of all keys as Markdown, for the documentation and `/help`.
 *
 * @example
 * keyTable(); // '### Anywhere\n\n| key | effect |\n...'
 */
export function keyTable(): string {
  const sections = Object.entries(keymap).map(([context, bindings]) => {
    const rows = bindings.map(
      ({ keys, help }) => `| ${keys.map((key) => `\`${keyName(key)}\``).join(', ')} | ${help} |`,
    );
    return [`### ${titles[context as KeyContext]}`, '', '| key | effect |', '|---|---|', ...rows].join('\n');
  });
  return `${sections.join('\n\n')}\n`;
}
