import type { ToolResultPart } from '../../message/index.ts';
import { type Outcome, outcomeOf } from '../calls/outcome.ts';
import { isCut, resultText } from '../calls/result-text.ts';
import type { SourceItem } from '../source-item.ts';
import { type Desk, laidOut, packed, type Settled, trim } from './effect-context.ts';
import { noteChange, noteRead, rebase } from './files.ts';
import type { Frontier, Plan, RunningProcess, TaskStatus } from './frontier.ts';
import { hashOf, type Pending, pendingOf } from './pending.ts';
import { applyTasks } from './tasks/apply.ts';
import { checkboxItems, numberedItems } from './tasks/checkboxes.ts';
import type { TaskOperation } from './tasks/operation.ts';
import { statusOf } from './tasks/status.ts';
import { readTestRun } from './test-runs/test-run.ts';

/**
 * The frontier after more items. A pure reducer: item by item or all at once, it comes to the same. Content can be
 * anything; nothing throws.
 *
 * @example
 * const frontier = advanceFrontier({ frontier: before.frontier, items: context.slice(before.length) });
 */
export function advanceFrontier({
  frontier,
  items,
}: {
  readonly frontier: Frontier;
  readonly items: readonly SourceItem[];
}): Frontier {
  const desk = laidOut(frontier);
  for (const item of items) {
    take({ desk, item });
    trim(desk);
  }
  return packed(desk);
}

function take({ desk, item: { message, handle } }: { readonly desk: Desk; readonly item: SourceItem }): void {
  for (const part of message.parts) {
    // A call of the engine is an example in a prompt: nobody made it.
    if (part.type === 'tool_call' && part.origin !== 'engine') {
      const call = pendingOf({ part, handle, root: desk.root });
      desk.pending.push(call);
      begin({ desk, call });
    } else if (part.type === 'tool_result') settle({ desk, part, handle });
    else if (part.type === 'text' && part.origin === 'tool') noteTold({ desk, text: part.text, handle });
    else if (part.type === 'text' && part.origin === 'engine') {
      noteObserved({ desk, text: part.text, handle });
      noteEnded({ desk, text: part.text });
    }
  }
}

/** What is known before any result: where the project is, what was handed to another agent, which plan was proposed. */
function begin({ desk, call }: { readonly desk: Desk; readonly call: Pending }): void {
  const where = call.shell?.directory;
  if (desk.root === undefined && where !== undefined && /^(?:\/.|[A-Za-z]:[\\/].)/.test(where)) {
    desk.root = where;
    rebase({ files: desk.files, root: where });
  }
  if (call.plan !== undefined) desk.plan = { text: call.plan, state: 'proposed', handle: call.handle };
  if (call.kind === 'agent') noteDelegated({ desk, call, status: 'active', handle: call.handle });
}

function settle({
  desk,
  part,
  handle,
}: {
  readonly desk: Desk;
  readonly part: ToolResultPart;
  readonly handle: number;
}): void {
  // Some logs have lost their ids; calls under one id are answered in order.
  const at = desk.pending.findIndex(({ call }) => call === part.callId);
  const [call] = at < 0 ? [] : desk.pending.splice(at, 1);
  // A result of the engine stands for one that never came.
  if (!call || part.origin === 'engine') return;
  const text = resultText(part);
  const isError = part.isError === true;
  if (isError && call.shell?.isMarking) desk.marking.add(call.tool);
  const isMarked = isRecordedSuccess(part) || (call.shell?.isMarking === true && desk.marking.has(call.tool));
  const outcome = outcomeOf({ text, isError, isMarked, exit: part.exit, kind: call.kind });
  const settled: Settled = { desk, call, outcome, text, handle };
  noteFiles(settled);
  noteTasks(settled);
  if (call.shell) noteCommand(settled);
  noteProcesses(settled);
  if (call.plan === undefined) return;
  desk.plan = { text: call.plan, state: fateOf({ outcome, text }), handle: call.handle };
}

/** Anthropic's dialect, and so Claude Code, may say of a result that it is no error. */
function isRecordedSuccess({ wire }: ToolResultPart): boolean {
  return wire?.fields?.is_error === false;
}

/** That a plan was approved is believed only where the client says so. */
function fateOf({ outcome, text }: { readonly outcome: Outcome; readonly text: string }): Plan['state'] {
  if (outcome.state !== 'ok') return 'rejected';
  return /\b(?:approved|accepted)\b/i.test(text.slice(0, 400)) ? 'approved' : 'proposed';
}

/** Notes a command and, where it judged the code, what it found. */
function noteCommand({ desk, call, outcome, text, handle }: Settled): void {
  const { isRun = false, isLook = false, isPiped = false } = call.shell ?? {};
  const { exit } = outcome;
  // To a search, exit code 1 means that there is nothing.
  const isQuiet = isLook && (outcome.state === 'ok' || outcome.exit === 1);
  // Agents look around a lot: hundreds of searches would push out what was done.
  if (desk.commands.at(-1)?.isLook) desk.commands.pop();
  desk.commands.push({
    command: call.brief,
    state: outcome.isUnproven ? 'unknown' : outcome.state,
    ...(exit !== undefined && { exit }),
    ...(isQuiet && { isLook: true as const }),
    handle,
  });
  const run = isRun && readTestRun({ text, outcome, isPiped, command: call.brief, handle });
  if (!run) return;
  desk.tests.delete(run.command);
  desk.tests.set(run.command, run);
}

/** Notes what a command left running, and what it ended. */
function noteProcesses({ desk: { processes }, call, outcome, handle }: Settled): void {
  const { shell, kind, target } = call;
  const isOk = outcome.state === 'ok';
  if (shell && (outcome.state === 'running' || (shell.isBackground && isOk))) {
    const id = outcome.shell ?? shell.id ?? `@${handle}`;
    processes.set(id, { id, command: call.brief, handle });
  }
  const isOver = outcome.exit !== undefined || outcome.state === 'failed';
  if (target !== undefined && (kind === 'shell-stop' ? isOk : isOver)) processes.delete(target);
  for (const stopped of isOk ? (shell?.stops ?? []) : []) end({ processes, stopped });
}

/** `kill 123` names a process, `pkill -f "npm run dev"` words of its command. */
function end({
  processes,
  stopped,
}: {
  readonly processes: Map<string, RunningProcess>;
  readonly stopped: string;
}): void {
  processes.delete(stopped);
  if (/^\d+$/.test(stopped) || stopped.length < 3) return;
  for (const { id, command } of [...processes.values()]) if (command.includes(stopped)) processes.delete(id);
}

const notice =
  /<task-id>([\w-]{1,64})<\/task-id>[^<]{0,2000}(?:<(?!task-id|status)[^<]{0,2000}){0,20}<status>(?:completed|failed|killed|stopped)<\/status>/g;

/** Claude Code tells by a note of its own that something in the background has ended. */
function noteEnded({ desk, text }: { readonly desk: Desk; readonly text: string }): void {
  if (!text.includes('<task-notification>')) return;
  for (const [, id = ''] of text.matchAll(notice)) desk.processes.delete(id);
}

/** Notes the files of a call that did what it was asked to do. A failed one changed nothing. */
function noteFiles({ desk: { files, root }, call, outcome, text, handle }: Settled): void {
  const isOk = outcome.state === 'ok' || outcome.state === 'running';
  const changes = isOk ? call.changes : outcome.state === 'failed' ? call.changes.slice(0, call.certain) : [];
  const isFolder = text.slice(0, 2000).includes('<type>directory</type>'); // opencode
  const opened = openFile({ call, text });
  const isChange = /^(?:edit|create)\b/.test(call.brief);
  for (const { path, isRaw } of isOk && !isFolder ? call.reads : []) {
    noteRead({ files, path, root, handle, hash: isRaw && isWhole(text) ? hashOf(text) : undefined });
  }
  for (const change of changes) noteChange({ files, change, root, handle: call.handle });
  if (opened === undefined) return;
  if (isChange) noteChange({ files, change: { path: opened, op: 'edit' }, root, handle: call.handle });
  else noteRead({ files, path: opened, root, handle, hash: undefined });
}

/** SWE-agent has one file open, which only the result of a command names. */
function openFile({ call, text }: { readonly call: Pending; readonly text: string }): string | undefined {
  return call.kind === 'shell' ? /^\[File: (.{1,1000}?) \(\d+ lines total\)\]/.exec(text)?.[1] : undefined;
}

/** aider makes no calls; what it did stands among the lines of its screen. */
function noteTold({
  desk: { files, root },
  text,
  handle,
}: {
  readonly desk: Desk;
  readonly text: string;
  readonly handle: number;
}): void {
  const told = /^(?:Applied edit to (\S.{0,999}?)|Added (\S.{0,999}?) to the chat\.?) *$/gm;
  for (const [, edited, added] of text.matchAll(told)) {
    if (added !== undefined) noteRead({ files, path: added, root, handle, hash: undefined });
    if (edited !== undefined) noteChange({ files, change: { path: edited, op: 'edit' }, root, handle });
  }
}

/** Whether what a tool gave of a file is the file and nothing else. */
function isWhole(text: string): boolean {
  return !isCut(text) && !/<system-reminder>|exit(?:ed with)? code/i.test(text.slice(-400));
}

/** Notes what a call said about tasks, now that it has succeeded. */
function noteTasks({ desk, call, outcome, text, handle }: Settled): void {
  if (call.kind === 'agent') {
    noteDelegated({ desk, call, status: delegatedStatus({ outcome, text }), handle });
    return;
  }
  if (outcome.state !== 'ok') return;
  const createdId = /#?(\d{1,9})\b/.exec(text.slice(0, 200))?.[1];
  for (const operation of call.tasks) {
    desk.tasks = applyTasks({ tasks: desk.tasks, operation, handle: call.handle, createdId });
  }
  if (call.kind === 'todo-view') noteObserved({ desk, text, handle, isList: true });
}

/** Notes a sight of the list. */
function noteObserved({
  desk,
  text,
  handle,
  isList = false,
}: {
  readonly desk: Desk;
  readonly text: string;
  readonly handle: number;
  readonly isList?: boolean;
}): void {
  for (const operation of observations({ text, isList })) {
    desk.tasks = applyTasks({ tasks: desk.tasks, operation, handle });
  }
}

/** Notes how far work is that was handed to another agent: from its call on, not from its result. */
function noteDelegated({
  desk,
  call,
  status,
  handle,
}: {
  readonly desk: Desk;
  readonly call: Pending;
  readonly status: TaskStatus;
  readonly handle: number;
}): void {
  for (const operation of call.tasks) {
    if (operation.op !== 'set') continue;
    const items = operation.items.map((item) => ({ ...item, status }));
    desk.tasks = applyTasks({ tasks: desk.tasks, operation: { ...operation, items }, handle });
  }
}

const going = /\b(?:launched|started|running) in (?:the )?background\b|^Async agent launched/i;

function delegatedStatus({ outcome, text }: Pick<Settled, 'outcome' | 'text'>): TaskStatus {
  switch (outcome.state) {
    case 'ok':
      return going.test(text.slice(0, 400)) ? 'active' : 'done';
    case 'running':
      return 'active';
    case 'refused':
      return 'abandoned';
    default:
      return 'failed';
  }
}

/**
 * A list of tasks that a client or a tool tells again: `<todos>` in a reminder, the result of listing. It is a sight of
 * the list at some time, perhaps an old one, so it may not reopen anything.
 */
function observations({
  text,
  isList = false,
}: {
  readonly text: string;
  /** Whether the whole text is such a list. */
  readonly isList?: boolean;
}): TaskOperation[] {
  const told = isList ? text : taggedIn(text);
  if (told === undefined) return [];
  const items = [...checkboxItems(told), ...numberedItems({ text: told, read: statusOf })];
  return items.length === 0 ? [] : [{ op: 'observe', list: 'todo', items }];
}

function taggedIn(text: string): string | undefined {
  const start = text.indexOf('<todos>');
  const end = start < 0 ? -1 : text.indexOf('</todos>', start);
  return end < 0 ? undefined : text.slice(start + '<todos>'.length, end);
}
