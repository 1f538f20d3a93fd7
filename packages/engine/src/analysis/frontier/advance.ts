import type { ToolResultPart } from '../../message/index.ts';
import { type CallOutcome, outcomeOf } from '../calls/outcome.ts';
import { isCut, resultText } from '../calls/result-text.ts';
import type { SourceItem } from '../source-item.ts';
import { type FileMap, fileMap, noteChange, noteRead, rebase, trimFiles } from './files.ts';
import {
  bounds,
  type CommandRun,
  type Frontier,
  type FrontierTask,
  type ProposedPlan,
  type RunningProcess,
  type TaskStatus,
  type TestRun,
} from './frontier.ts';
import { hashOf, type PendingCall, pendingOf } from './pending.ts';
import { applyTasks } from './tasks/apply.ts';
import { checkboxItems, numberedItems } from './tasks/checkboxes.ts';
import type { TaskOperation } from './tasks/operation.ts';
import { isFinished, statusOf } from './tasks/status.ts';
import { readTestRun } from './test-runs/test-run.ts';

/**
 * The frontier after more items. A pure reducer: the result is the same item by item or all at once. Accepts any content
 * and never throws.
 *
 * @example
 * const first = advanceFrontier({ frontier: createFrontier(), items: items.slice(0, 100) });
 * const frontier = advanceFrontier({ frontier: first, items: items.slice(100) });
 */
export function advanceFrontier({
  frontier,
  items,
}: {
  readonly frontier: Frontier;
  readonly items: readonly SourceItem[];
}): Frontier {
  const state = toMutable(frontier);
  for (const item of items) {
    applyItem({ state, item });
    trim(state);
  }
  return toFrontier(state);
}

function applyItem({
  state,
  item: { message, handle },
}: {
  readonly state: MutableFrontier;
  readonly item: SourceItem;
}): void {
  for (const part of message.parts) {
    // A call with engine origin is an example in a prompt, not a real call.
    if (part.type === 'tool_call' && part.origin !== 'engine') {
      const call = pendingOf({ part, handle, root: state.root });
      state.pending.push(call);
      begin({ state, call });
    } else if (part.type === 'tool_result') settle({ state, part, handle });
    else if (part.type === 'text' && part.origin === 'tool') noteScreenText({ state, text: part.text, handle });
    else if (part.type === 'text' && part.origin === 'engine') {
      noteObserved({ state, text: part.text, handle });
      noteEnded({ state, text: part.text });
    }
  }
}

/** What a call tells before its result: the project root, work delegated to another agent, a proposed plan. */
function begin({ state, call }: { readonly state: MutableFrontier; readonly call: PendingCall }): void {
  const where = call.shell?.directory;
  if (state.root === undefined && where !== undefined && /^(?:\/.|[A-Za-z]:[\\/].)/.test(where)) {
    state.root = where;
    rebase({ files: state.files, root: where });
  }
  if (call.plan !== undefined) state.plan = { text: call.plan, state: 'proposed', handle: call.handle };
  if (call.kind === 'agent') noteDelegated({ state, call, status: 'active', handle: call.handle });
}

function settle({
  state,
  part,
  handle,
}: {
  readonly state: MutableFrontier;
  readonly part: ToolResultPart;
  readonly handle: number;
}): void {
  // Some logs have lost their ids; several calls with one id are matched in order.
  const at = state.pending.findIndex(({ call }) => call === part.callId);
  const [call] = at < 0 ? [] : state.pending.splice(at, 1);
  // A result with engine origin replaces one that never arrived.
  if (!call || part.origin === 'engine') return;
  const text = resultText(part);
  const isError = part.isError === true;
  if (isError && call.shell?.isMarking) state.marking.add(call.tool);
  const isMarked = isRecordedSuccess(part) || (call.shell?.isMarking === true && state.marking.has(call.tool));
  const outcome = outcomeOf({ text, isError, isMarked, exit: part.exit, kind: call.kind });
  const settled: SettledCall = { state, call, outcome, text, handle };
  noteFiles(settled);
  noteTasks(settled);
  if (call.shell) noteCommand(settled);
  noteProcesses(settled);
  if (call.plan === undefined) return;
  state.plan = { text: call.plan, state: planState({ outcome, text }), handle: call.handle };
}

/** Anthropic's dialect, and so Claude Code, may mark a result explicitly as no error. */
function isRecordedSuccess({ wire }: ToolResultPart): boolean {
  return wire?.fields?.is_error === false;
}

/** A plan counts as approved only if the client says so. */
function planState({ outcome, text }: { readonly outcome: CallOutcome; readonly text: string }): ProposedPlan['state'] {
  if (outcome.state !== 'ok') return 'rejected';
  return /\b(?:approved|accepted)\b/i.test(text.slice(0, 400)) ? 'approved' : 'proposed';
}

/** Records a command and, for a test, build or linter, its result. */
function noteCommand({ state, call, outcome, text, handle }: SettledCall): void {
  const { isRun = false, isLook = false, isPiped = false } = call.shell ?? {};
  const { exit } = outcome;
  // For a search, exit code 1 means no matches.
  const isQuiet = isLook && (outcome.state === 'ok' || outcome.exit === 1);
  // Only the last read-only command is kept: hundreds of searches would push out the others.
  if (state.commands.at(-1)?.isLook) state.commands.pop();
  state.commands.push({
    command: call.brief,
    state: outcome.isUnproven ? 'unknown' : outcome.state,
    ...(exit !== undefined && { exit }),
    ...(isQuiet && { isLook: true as const }),
    handle,
  });
  const run = isRun && readTestRun({ text, outcome, isPiped, command: call.brief, handle });
  if (!run) return;
  state.tests.delete(run.command);
  state.tests.set(run.command, run);
}

/** Records the processes that a command started or ended. */
function noteProcesses({ state: { processes }, call, outcome, handle }: SettledCall): void {
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

/** `kill 123` names a process id, `pkill -f "npm run dev"` a part of its command. */
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

/** Claude Code reports the end of a background task in a notification. */
function noteEnded({ state, text }: { readonly state: MutableFrontier; readonly text: string }): void {
  if (!text.includes('<task-notification>')) return;
  for (const [, id = ''] of text.matchAll(notice)) state.processes.delete(id);
}

/** Records the files of a successful call; a failed one changed nothing. */
function noteFiles({ state: { files, root }, call, outcome, text, handle }: SettledCall): void {
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

/** SWE-agent has one file open, which only the command's result names. */
function openFile({ call, text }: { readonly call: PendingCall; readonly text: string }): string | undefined {
  return call.kind === 'shell' ? /^\[File: (.{1,1000}?) \(\d+ lines total\)\]/.exec(text)?.[1] : undefined;
}

/** aider makes no calls; its edits are reported in its screen output. */
function noteScreenText({
  state: { files, root },
  text,
  handle,
}: {
  readonly state: MutableFrontier;
  readonly text: string;
  readonly handle: number;
}): void {
  const report = /^(?:Applied edit to (\S.{0,999}?)|Added (\S.{0,999}?) to the chat\.?) *$/gm;
  for (const [, edited, added] of text.matchAll(report)) {
    if (added !== undefined) noteRead({ files, path: added, root, handle, hash: undefined });
    if (edited !== undefined) noteChange({ files, change: { path: edited, op: 'edit' }, root, handle });
  }
}

/** Whether a result is the complete file and nothing else. */
function isWhole(text: string): boolean {
  return !isCut(text) && !/<system-reminder>|exit(?:ed with)? code/i.test(text.slice(-400));
}

/** Applies the task operations of a call that succeeded. */
function noteTasks({ state, call, outcome, text, handle }: SettledCall): void {
  if (call.kind === 'agent') {
    noteDelegated({ state, call, status: delegatedStatus({ outcome, text }), handle });
    return;
  }
  if (outcome.state !== 'ok') return;
  const createdId = /#?(\d{1,9})\b/.exec(text.slice(0, 200))?.[1];
  for (const operation of call.tasks) {
    state.tasks = applyTasks({ tasks: state.tasks, operation, handle: call.handle, createdId });
  }
  if (call.kind === 'todo-view') noteObserved({ state, text, handle, isList: true });
}

/** Applies an observed task list. */
function noteObserved({
  state,
  text,
  handle,
  isList = false,
}: {
  readonly state: MutableFrontier;
  readonly text: string;
  readonly handle: number;
  readonly isList?: boolean;
}): void {
  for (const operation of observations({ text, isList })) {
    state.tasks = applyTasks({ tasks: state.tasks, operation, handle });
  }
}

/** Records the status of work delegated to another agent, from the call on. */
function noteDelegated({
  state,
  call,
  status,
  handle,
}: {
  readonly state: MutableFrontier;
  readonly call: PendingCall;
  readonly status: TaskStatus;
  readonly handle: number;
}): void {
  for (const operation of call.tasks) {
    if (operation.op !== 'set') continue;
    const items = operation.items.map((item) => ({ ...item, status }));
    state.tasks = applyTasks({ tasks: state.tasks, operation: { ...operation, items }, handle });
  }
}

const inBackground = /\b(?:launched|started|running) in (?:the )?background\b|^Async agent launched/i;

function delegatedStatus({ outcome, text }: Pick<SettledCall, 'outcome' | 'text'>): TaskStatus {
  switch (outcome.state) {
    case 'ok':
      return inBackground.test(text.slice(0, 400)) ? 'active' : 'done';
    case 'running':
      return 'active';
    case 'refused':
      return 'abandoned';
    default:
      return 'failed';
  }
}

/**
 * A task list repeated by a client or a tool: `<todos>` in a reminder, the result of listing. It may be outdated, so it
 * must not reopen anything.
 */
function observations({
  text,
  isList = false,
}: {
  readonly text: string;
  /** Whether the whole text is a list. */
  readonly isList?: boolean;
}): TaskOperation[] {
  const listText = isList ? text : taggedIn(text);
  if (listText === undefined) return [];
  const items = [...checkboxItems(listText), ...numberedItems({ text: listText, read: statusOf })];
  return items.length === 0 ? [] : [{ op: 'observe', list: 'todo', items }];
}

function taggedIn(text: string): string | undefined {
  const start = text.indexOf('<todos>');
  const end = start < 0 ? -1 : text.indexOf('</todos>', start);
  return end < 0 ? undefined : text.slice(start + '<todos>'.length, end);
}

/** The frontier in mutable form, for the reducer. */
interface MutableFrontier {
  root: string | undefined;
  tasks: readonly FrontierTask[];
  plan: ProposedPlan | undefined;
  readonly commands: CommandRun[];
  readonly tests: Map<string, TestRun>;
  readonly files: FileMap;
  readonly processes: Map<string, RunningProcess>;
  readonly pending: PendingCall[];
  readonly marking: Set<string>;
  readonly forgotten: { tasks: number; files: number };
}

/** A call with its result. */
interface SettledCall {
  readonly state: MutableFrontier;
  readonly call: PendingCall;
  readonly outcome: CallOutcome;
  readonly text: string;
  /** The entry of the result. */
  readonly handle: number;
}

function toMutable({
  root,
  tasks,
  plan,
  commands,
  tests,
  files,
  processes,
  pending,
  marking = [],
  forgotten,
}: Frontier): MutableFrontier {
  return {
    root,
    tasks,
    plan,
    commands: [...commands],
    tests: new Map(tests.map((run) => [run.command, run])),
    files: fileMap({ files, root }),
    processes: new Map(processes.map((process) => [process.id, process])),
    pending: [...pending],
    marking: new Set(marking),
    forgotten: { ...forgotten },
  };
}

function toFrontier({ root, plan, tests, files, processes, marking, ...rest }: MutableFrontier): Frontier {
  return {
    ...(root !== undefined && { root }),
    ...(plan && { plan }),
    ...rest,
    tests: [...tests.values()],
    files: [...files.values()],
    processes: [...processes.values()],
    marking: [...marking],
  };
}

/** Enforces the bounds; after each item, so that the result does not depend on batching. */
function trim(state: MutableFrontier): void {
  const { kept, dropped } = trimTasks(state.tasks);
  state.tasks = kept;
  state.forgotten.tasks += dropped;
  state.forgotten.files += trimFiles(state.files);
  trimList({ list: state.commands, size: bounds.commands });
  trimList({ list: state.pending, size: bounds.pending });
  trimMap({ map: state.tests, size: bounds.tests });
  trimMap({ map: state.processes, size: bounds.processes });
}

function trimList({ list, size }: { readonly list: unknown[]; readonly size: number }): void {
  if (list.length > size) list.splice(0, list.length - size);
}

function trimMap({ map, size }: { readonly map: Map<string, unknown>; readonly size: number }): void {
  for (const key of [...map.keys()].slice(0, Math.max(0, map.size - size))) map.delete(key);
}

/** Drops tasks over the bound: finished before open ones, oldest first. */
function trimTasks(tasks: readonly FrontierTask[]): {
  readonly kept: readonly FrontierTask[];
  readonly dropped: number;
} {
  const excess = tasks.length - bounds.tasks;
  if (excess <= 0) return { kept: tasks, dropped: 0 };
  const byAge = tasks.toSorted((a, b) => a.handle - b.handle);
  const order = [
    ...byAge.filter(({ status }) => isFinished(status)),
    ...byAge.filter(({ status }) => !isFinished(status)),
  ];
  const gone = new Set(order.slice(0, excess));
  return { kept: tasks.filter((task) => !gone.has(task)), dropped: excess };
}
