import type { Desk, Settled } from './effect-context.ts';
import type { RunningProcess } from './frontier.ts';

/** Notes what a command left running, and what it ended. */
export function noteProcesses({ desk: { processes }, call, outcome, handle }: Settled): void {
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
export function noteEnded({ desk, text }: { readonly desk: Desk; readonly text: string }): void {
  if (!text.includes('<task-notification>')) return;
  for (const [, id = ''] of text.matchAll(notice)) desk.processes.delete(id);
}
