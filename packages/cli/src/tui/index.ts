/**
 * The terminal interface: it draws what `interactive/` says and hands keys to it, and holds no state of the conversation.
 *
 * - `app.ts`: wires keys, frames, dialogs and the session.
 * - `screen.ts`: writes frames. Lines that are final scroll off into the scrollback and are never drawn again, so that a
 *   frame costs the same however long the conversation is.
 * - `terminal.ts`: raw mode, keys, and giving the terminal back however the process ends.
 * - `transcript-view.ts`: items of the conversation as lines; `transcript-viewer.ts` shows all of them, to scroll and unfold.
 * - `prompt-input.ts`, `text-buffer.ts`, `vim.ts`: the input.
 * - `dialogs.ts`, `picker.ts`: what commands return, and questions about calls. `overlay.ts` is what they share.
 * - `panels.ts`: activity, todos, background commands, status line.
 * - `markdown.ts`, `highlight.ts`, `diff.ts`, `theme.ts`, `keymap.ts`.
 */
export { runTui } from './app.ts';
export { ConfirmDialog, ConsentDialog, resultLines } from './dialogs.ts';
export { renderDiff } from './diff.ts';
export { createHighlighter } from './highlight.ts';
export { keyTable } from './keymap.ts';
export { StreamingMarkdown } from './markdown.ts';
export { LineField } from './overlay.ts';
export { meterBar } from './panels.ts';
export { Picker, TreeView } from './picker.ts';
export { PromptEditor } from './prompt-input.ts';
export { MainScreen } from './screen.ts';
export { RawTerminal } from './terminal.ts';
export { TextBuffer } from './text-buffer.ts';
export { colorDepthOf, createTheme } from './theme.ts';
export { TranscriptTail } from './transcript-view.ts';
export { TranscriptViewer } from './transcript-viewer.ts';
export { VimKeys } from './vim.ts';
