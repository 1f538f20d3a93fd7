import type { ToolResultPart } from '../../message/index.ts';
import { outcomeOf } from '../calls/outcome.ts';
import { resultText } from '../calls/result-text.ts';
import type { SourceItem } from '../source.ts';
import { type Desk, laidOut, packed, type Settled, trim } from './desk.ts';
import { rebase } from './files.ts';
import type { Frontier } from './frontier.ts';
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
  const outcome = outcomeOf({ text, isError: part.isError === true, kind: call.kind });
  const settled: Settled = { desk, call, outcome, text, handle };
  noteFiles(settled);
  noteTasks(settled);
  if (call.shell) noteCommand(settled);
  noteProcesses(settled);
  if (call.plan === undefined) return;
  desk.plan = { text: call.plan, state: outcome.state === 'ok' ? 'approved' : 'rejected', handle: call.handle };
}
