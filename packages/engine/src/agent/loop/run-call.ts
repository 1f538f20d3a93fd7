import type { Json, JsonObject, Message } from '../../message/index.ts';
import { withGracePeriod } from '../../time.ts';
import type { Access, PermissionRequest } from '../permission.ts';
import { visible } from '../plain-text.ts';
import type { FileHistory } from '../rollback/file-history.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { isSafe, type PlannedCall } from './call.ts';
import type { EffectContext } from './effect-context.ts';
import { accessOf } from './plan-calls.ts';
import { engineResult, isOutcome, resultOf, textOf, truncated } from './results.ts';

/** Outcome of a call: the result for the log and the data of its event. */
export interface CallResult {
  readonly message: Message;
  readonly isError: boolean;
  readonly text: string;
  readonly ms: number;
  readonly details?: Json;
}

/** Runs one call if it is allowed. Never throws: every outcome is a result the model can read. */
export async function runCall({
  context,
  planned,
}: {
  readonly context: EffectContext;
  readonly planned: PlannedCall;
}): Promise<CallResult> {
  const { call } = planned;
  const tool = context.tools.find(({ definition }) => definition.name === call.name);
  const refuse = (text: string): CallResult => ({ message: engineResult({ call, text }), isError: true, text, ms: 0 });
  const begin = (input: JsonObject, summary: string) =>
    context.emit({ type: 'tool_start', callId: call.id, tool: call.name, input, summary: visible(summary) });
  if (planned.problem !== undefined || !tool) {
    begin(planned.input, call.name);
    return refuse(planned.problem ?? 'Unknown tool.');
  }
  const about = { tool: call.name, callId: call.id };
  const before = await context.runHooks('preToolUse', { ...about, input: planned.input }, context.signal);
  const input = before.input ?? planned.input;
  const judged = before.input ? await accessOf({ tool, input }) : { access: planned.access };
  if ('why' in judged) {
    begin(input, call.name);
    return refuse(judged.why);
  }
  const { access } = judged;
  const summary = summaryOf({ name: call.name, access });
  begin(input, summary);
  if (before.deny !== undefined) return refuse(`It was not run: a hook denied it: ${before.deny}`);
  const request: PermissionRequest = {
    callId: call.id,
    tool: call.name,
    input,
    access,
    summary,
    ...(before.ask !== undefined && { mustAsk: before.ask }),
  };
  const why = await denialOf({ context, request, preview: async () => await tool.preview?.(input) });
  if (why !== undefined) return refuse(`It was not run: permission denied: ${why}`);
  if (context.signal.aborted) return refuse('It was not run: the user stopped the work first.');
  const tracked = await trackFiles({ context, request });
  await recordStart({ context, planned: { ...planned, access } });
  return await execute({ context, planned, tool, input, access, added: before.context ?? [], tracked });
}

/** Why a call may not run. Only hooks and permissions decide; text of models or tools never does. */
async function denialOf(of: {
  readonly context: EffectContext;
  readonly request: PermissionRequest;
  readonly preview: () => Promise<string | undefined>;
}): Promise<string | undefined> {
  const { context } = of;
  let { request } = of;
  if (isReportable(request.access) || request.mustAsk !== undefined) {
    context.emit({ type: 'permission', request });
    // Notification hooks are not awaited.
    void context.runHooks('notification', { kind: 'permission', text: request.summary });
    const hook = await context.runHooks('permissionRequest', { request }, context.signal);
    if (hook.deny !== undefined) return hook.deny;
    // The hook answers in place of the user; rules that deny still apply.
    if (hook.allow) request = { ...request, isApproved: true };
  }
  try {
    const decision = await context.permissions.decide(request, context.signal, of.preview);
    return decision.allowed ? undefined : decision.why;
  } catch (error) {
    return context.signal.aborted ? 'the work was stopped.' : `the permission check failed: ${String(error)}`;
  }
}

function isReportable(access: Access): boolean {
  return access.kind === 'read' ? access.isOutside : access.kind !== 'none';
}

type TrackedFiles = Awaited<ReturnType<FileHistory['before']>>;

/** Keeps the files that a call is about to change. A disk that refuses them does not stop the call. */
async function trackFiles(of: {
  readonly context: EffectContext;
  readonly request: PermissionRequest;
}): Promise<TrackedFiles | undefined> {
  const { context, request } = of;
  try {
    const tracked = await context.fileHistory?.before(request);
    if (tracked?.notice !== undefined) context.emit({ type: 'notice', text: visible(tracked.notice) });
    return tracked;
  } catch (error) {
    context.emit({ type: 'notice', text: notKept(error) });
    return undefined;
  }
}

function notKept(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return visible(`Earlier versions of files are not kept, so this call cannot be rolled back: ${why}`);
}

/** A resumed run needs to know whether the call may have had effects. */
async function recordStart({
  context,
  planned,
}: {
  readonly context: EffectContext;
  readonly planned: PlannedCall;
}): Promise<void> {
  if (isSafe(planned) && !planned.isOnce) return;
  await context.session.append({ type: 'tool_started', call: planned.call.id });
}

async function execute(of: {
  readonly context: EffectContext;
  readonly planned: PlannedCall;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly access: Access;
  readonly added: readonly string[];
  readonly tracked: TrackedFiles | undefined;
}): Promise<CallResult> {
  const { context, planned, tool, input, tracked } = of;
  const { call } = planned;
  const started = context.clock.now();
  const work = runTool({ context, tool, input, callId: call.id });
  const outcome = await withGracePeriod({ ...context, work, fallback: () => failure(neverEnded) });
  const ms = context.clock.now() - started;
  await tracked?.after(outcome.written).catch((error) => context.emit({ type: 'notice', text: notKept(error) }));
  const text = textOf(outcome.content);
  const isError = outcome.isError === true;
  const about = { tool: call.name, callId: call.id, input, text, ms };
  const after = await context.runHooks(isError ? 'postToolUseFailure' : 'postToolUse', about, context.signal);
  const paths = !isError && 'paths' in of.access && !of.access.isOutside ? of.access.paths : [];
  const instructions = paths.length === 0 ? [] : await context.instructionsFor(paths);
  const added = [...of.added, ...instructions, ...(after.context ?? [])];
  const { details } = outcome;
  return {
    message: resultOf({ call, outcome, context: added }),
    isError,
    text,
    ms,
    ...(details !== undefined && { details }),
  };
}

async function runTool(of: {
  readonly context: EffectContext;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly callId: string;
}): Promise<ToolOutcome> {
  const { context, tool, input, callId } = of;
  const onOutput = (text: string) => context.emit({ type: 'tool_output', callId, text });
  try {
    const outcome: unknown = await tool.run({ input, callId, signal: context.signal, onOutput });
    return isOutcome(outcome) ? truncated(outcome) : failure('The tool returned an invalid result.');
  } catch (error) {
    if (context.signal.aborted) return failure('The user stopped it while it ran. It may have taken partial effect.');
    return failure(`It failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A tool that does not end after an abort is abandoned. */
const neverEnded = 'The user stopped it, but it did not end. It may still be running or may have taken effect.';

function failure(text: string): ToolOutcome {
  return { content: [{ type: 'text', origin: 'tool', text }], isError: true };
}

/** One line that says what a call would do. */
function summaryOf({ name, access }: { readonly name: string; readonly access: Access }): string {
  switch (access.kind) {
    case 'none':
      return name;
    case 'execute':
      return `${name}: ${oneLine(access.command)}`;
    case 'fetch':
      return `${name} ${oneLine(access.url)}`;
    case 'remote':
      return oneLine(access.tool);
    default:
      return `${name} ${access.paths.map(oneLine).join(', ')}${access.isOutside ? ' (outside the workspace)' : ''}`;
  }
}

/** Multi-line commands and control characters must not disguise a command, so everything is shown. */
function oneLine(text: string): string {
  const line = visible(text)
    .replace(/\p{Cf}/gu, '\ufffd')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
