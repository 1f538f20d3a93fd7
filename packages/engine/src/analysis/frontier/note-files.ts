import { isCut } from '../calls/result-text.ts';
import type { Desk, Settled } from './effect-context.ts';
import { noteChange, noteRead } from './files.ts';
import { hashOf, type Pending } from './pending.ts';

/** Notes the files of a call that did what it was asked to do. A failed one changed nothing. */
export function noteFiles({ desk: { files, root }, call, outcome, text, handle }: Settled): void {
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
export function noteTold({
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
