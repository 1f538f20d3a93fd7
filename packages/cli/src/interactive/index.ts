/**
 * The half of the terminal agent that knows no terminal.
 *
 * - `app/interactive.ts`: `Interactive` opens a session with an agent, takes what the user types (`submit`: a prompt, a slash
 *   command, `!command`), and answers with a `view` and a stream of events. `stop` is Esc, `setMode` is Shift-Tab,
 *   `answer` answers a question about a call. Typing while the agent works steers it at the next step, or queues.
 * - `app/view.ts`: the types of the view. Items of the conversation have stable ids and are immutable values that are replaced;
 *   the list itself is one array that changes in place, so that a step costs the same however long the session is.
 * - `app/transcript.ts`: items from entries of the log, page by page from the newest: opening reads one page.
 * - `app/view-state.ts`: the same from what is appended now, with the events of the run in between. The log is the only state:
 *   an event shows early what an entry says later, and everything on the screen can be read again from the log, except for
 *   notices that concern this run, the mode, and rules that were given for this run.
 * - `app/consent-queue.ts`: modes, rules and questions. A question is a value that waits; a changed mode or a new rule decides
 *   it again.
 * - `commands/`: slash commands, each with name, hint, help and completion. They return values (`app/result.ts`): text,
 *   tables, pickers, confirmations, a map, a tree; functions in them continue the command. An interface draws each kind
 *   once, and a new command needs no new drawing.
 * - `app/completion.ts`, `app/pastes.ts`, `store/prompt-history.ts`: what the input line needs; `app/prompt-sources.ts`: other sessions
 *   in a prompt.
 * - `plain/`: the line mode, an interface of its own and the simplest example of one.
 *
 * All text in the view is free of control sequences. The output of `!command` is data of the user's message, like a
 * mentioned file: it belongs to what the user said, but nothing in it becomes a rule or an approval.
 */

export type { Completion } from './app/completion.ts';
export { Interactive } from './app/interactive.ts';
export type * from './app/result.ts';
export type * from './app/view.ts';
