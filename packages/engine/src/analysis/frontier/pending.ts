import { createHash } from 'node:crypto';
import type { ToolCallPart } from '../../message/index.ts';
import { argumentNames, textArgument } from '../calls/arguments.ts';
import { briefOf, oneLine } from '../calls/brief.ts';
import { type Call, readCall } from '../calls/call.ts';
import { pathKey } from '../calls/paths.ts';
import type { ToolKind } from '../calls/tools.ts';
import type { TaskOperation } from './tasks/operation.ts';
import { taskOperations } from './tasks/operations.ts';

/**
 * A call whose result has not come: all that will matter then, without the contents that were written. Nothing of it
 * holds until the result says so, or a failed edit would count as a change (sessions.md 6.7).
 */
export interface Pending {
  readonly call: string;
  readonly tool: string;
  readonly kind: ToolKind | undefined;
  readonly brief: string;
  readonly handle: number;
  readonly reads: readonly { readonly path: string; readonly isRaw: boolean }[];
  readonly changes: readonly PendingChange[];
  /** How many of `changes` hold also when the command fails. */
  readonly certain: number;
  readonly tasks: readonly TaskOperation[];
  readonly shell?: {
    readonly isRun: boolean;
    readonly isLook: boolean;
    readonly isPiped: boolean;
    readonly isMarking: boolean;
    readonly isBackground: boolean;
    readonly id?: string;
    readonly directory?: string;
    readonly stops: readonly string[];
  };
  /** The shell or agent that a call looks at or ends. */
  readonly target?: string;
  readonly plan?: string;
}

export interface PendingChange {
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete';
  readonly hash?: string;
}

/** A command can name thousands of files; so many are kept of it. */
const mostFiles = 200;

/** What a call will mean, should it succeed. */
export function pendingOf({
  part,
  handle,
  root,
}: {
  readonly part: ToolCallPart;
  readonly handle: number;
  readonly root: string | undefined;
}): Pending {
  const call = readCall({ part, directory: root });
  const { shell, kind, args } = call;
  const target = targetOf({ kind, args });
  const plan = kind === 'plan' ? (args.plan ?? args.summary) : undefined;
  return {
    call: part.id,
    tool: part.name,
    kind,
    brief: withoutMove({ brief: briefOf({ call }), root }),
    handle,
    reads: call.reads.slice(0, mostFiles).map(({ path, isRaw }) => ({ path, isRaw })),
    changes: call.changes.slice(0, mostFiles).map(({ path, op, added }) => ({
      path,
      op,
      ...(op === 'write' && { hash: hashOf(added) }),
    })),
    certain: shell?.effects.certain ?? 0,
    tasks: taskOperations({ call, id: part.id, keyOf: (path) => pathKey({ path, root }) }),
    ...(shell && {
      shell: {
        isRun: shell.effects.isRun,
        isLook: shell.effects.isLook,
        isPiped: shell.effects.isPiped,
        isMarking: shell.isMarking,
        isBackground: shell.isBackground,
        ...(shell.id !== undefined && { id: shell.id }),
        ...(shell.directory !== undefined && { directory: shell.directory }),
        stops: shell.effects.stops.slice(0, 20),
      },
    }),
    ...(target !== undefined && { target }),
    ...(typeof plan === 'string' && { plan: titleOf(plan) }),
  };
}

/** The first 16 digits of the SHA-256 of a text in UTF-8: what `sha256sum` begins with. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Going to the root of the project first says nothing. */
function withoutMove({ brief, root }: { readonly brief: string; readonly root: string | undefined }): string {
  const move = `cd ${root} && `;
  return root !== undefined && brief.startsWith(move) && brief.length > move.length ? brief.slice(move.length) : brief;
}

function targetOf({ kind, args }: Pick<Call, 'kind' | 'args'>): string | undefined {
  const looksAtShell = kind === 'shell-output' || kind === 'shell-stop';
  return looksAtShell ? textArgument({ from: args, names: argumentNames.shell }) : undefined;
}

/** The heading of a plan, or its first line. */
function titleOf(plan: string): string {
  return oneLine({ text: plan.replace(/^[#\s*-]+/, ''), length: 160 }).replace(/ …$/, '');
}
