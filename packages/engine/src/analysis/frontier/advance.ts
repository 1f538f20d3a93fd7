import type { ToolResultPart } from '../../message/index.ts';
import { type Outcome, outcomeOf } from '../calls/outcome.ts';
import { resultText } from '../calls/result-text.ts';
import type { SourceItem } from '../source-item.ts';
import { type Desk, laidOut, packed, type Settled, trim } from './effect-context.ts';
import { rebase } from './files.ts';
import type { Frontier, Plan } from './frontier.ts';
import { noteCommand } from './note-command.ts';
import { noteFiles, noteTold } from './note-files.ts';
import { noteEnded, noteProcesses } from './note-processes.ts';
import { noteDelegated, noteObserved, noteTasks } from './note-tasks.ts';
import { type Pending, pendingOf } from './pending.ts';

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
