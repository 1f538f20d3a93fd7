import type { Json, JsonObject, Message } from '../../message/index.ts';
import { withGracePeriod } from '../../time.ts';
import type { Access, PermissionRequest } from '../permission.ts';
import { visible } from '../plain-text.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { isSafe, type PlannedCall } from './call.ts';
import type { Desk } from './effect-context.ts';
import { accessOf } from './plan-calls.ts';
import { bounded, isOutcome, madeUp, resultOf, textOf } from './results.ts';

/** Outcome of a call: the result for the log and the data of its event. */
export interface CallEnd {
  readonly message: Message;
  readonly isError: boolean;
  readonly text: string;
  readonly ms: number;
  readonly details?: Json;
}

/** Runs one call if it is allowed. Never throws: every outcome is a result the model can read. */
export async function runCall({
  desk,
  planned,
}: {
  readonly desk: Desk;
  readonly planned: PlannedCall;
}): Promise<CallEnd> {
  const { call } = planned;
  const tool = desk.tools.find(({ definition }) => definition.name === call.name);
  const refuse = (text: string): CallEnd => ({ message: madeUp({ call, text }), isError: true, text, ms: 0 });
  const begin = (input: JsonObject, summary: string) =>
    desk.tell({ type: 'tool_start', callId: call.id, tool: call.name, input, summary: visible(summary) });
  if (planned.problem !== undefined || !tool) {
    begin(planned.input, call.name);
    return refuse(planned.problem ?? 'Unknown tool.');
  }
  const about = { tool: call.name, callId: call.id };
  const before = await desk.ask('preToolUse', { ...about, input: planned.input }, desk.signal);
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
    ...{ callId: call.id, tool: call.name, input, access, summary },
    ...(before.ask !== undefined && { mustAsk: before.ask }),
  };
  const why = await denied({ desk, request });
  if (why !== undefined) return refuse(`It was not run: permission denied: ${why}`);
  if (desk.signal.aborted) return refuse('It was not run: the user stopped the work first.');
  await noteStart({ desk, planned: { ...planned, access } });
  return await ran({ desk, planned, tool, input, context: before.context ?? [] });
}

/** Why a call may not run. Only hooks and permissions decide; text of models or tools never does. */
async function denied(of: { readonly desk: Desk; readonly request: PermissionRequest }): Promise<string | undefined> {
  const { desk } = of;
  let { request } = of;
  if (isWorthTelling(request.access) || request.mustAsk !== undefined) {
    desk.tell({ type: 'permission', request });
    // Notification hooks are not awaited.
    void desk.ask('notification', { kind: 'permission', text: request.summary });
    const hook = await desk.ask('permissionRequest', { request }, desk.signal);
    if (hook.deny !== undefined) return hook.deny;
    // The hook answers in place of the user; rules that deny still apply.
    if (hook.allow) request = { ...request, isApproved: true };
  }
  try {
    const decision = await desk.permissions.decide(request, desk.signal);
    return decision.allowed ? undefined : decision.why;
  } catch (error) {
    return desk.signal.aborted ? 'the work was stopped.' : `the permission check failed: ${String(error)}`;
  }
}

function isWorthTelling(access: Access): boolean {
  return access.kind === 'execute' || access.kind === 'write' || (access.kind === 'read' && access.isOutside);
}

/** A resumed run needs to know whether the call may have had effects. */
async function noteStart({ desk, planned }: { readonly desk: Desk; readonly planned: PlannedCall }): Promise<void> {
  if (isSafe(planned) && !planned.isOnce) return;
  await desk.session.append({ type: 'custom', customType: 'longhaul:started', data: { call: planned.call.id } });
}

async function ran(of: {
  readonly desk: Desk;
  readonly planned: PlannedCall;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly context: readonly string[];
}): Promise<CallEnd> {
  const { desk, planned, tool, input } = of;
  const { call } = planned;
  const started = desk.clock.now();
  const work = attempt({ desk, tool, input, callId: call.id });
  const outcome = await withGracePeriod({ ...desk, work, fallback: () => failure(neverEnded) });
  const ms = desk.clock.now() - started;
  const text = textOf(outcome.content);
  const isError = outcome.isError === true;
  const about = { tool: call.name, callId: call.id, input, text, ms };
  const after = await desk.ask(isError ? 'postToolUseFailure' : 'postToolUse', about, desk.signal);
  const context = [...of.context, ...(after.context ?? [])];
  const { details } = outcome;
  return {
    message: resultOf({ call, outcome, context }),
    isError,
    text,
    ms,
    ...(details !== undefined && { details }),
  };
}

async function attempt(of: {
  readonly desk: Desk;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly callId: string;
}): Promise<ToolOutcome> {
  const { desk, tool, input, callId } = of;
  const onOutput = (text: string) => desk.tell({ type: 'tool_output', callId, text });
  try {
    const outcome: unknown = await tool.run({ input, callId, signal: desk.signal, onOutput });
    return isOutcome(outcome) ? bounded(outcome) : failure('The tool returned an invalid result.');
  } catch (error) {
    if (desk.signal.aborted) return failure('The user stopped it while it ran. It may have taken partial effect.');
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
