import type { Json, JsonObject } from '../../../message/index.ts';
import { formatHandle, type ModelName } from '../../../session/index.ts';
import type { AfterCompaction, AfterMove, BeforeCompaction, BeforeMove, Compacting, HookEvent } from '../hooks.ts';
import { type ShellEvent, sideOf } from './command.ts';

/** The input of each shell event. */
export interface ShellInputs {
  readonly PreCompact: BeforeCompaction;
  readonly Compacting: Compacting;
  readonly PostCompact: AfterCompaction;
  readonly PreMove: BeforeMove;
  readonly PostMove: AfterMove;
}

/**
 * What a command reads on its standard input. Members that Claude Code has too are called as they are there, so that a
 * script that was written for it works; `reason` is the trigger in our own, finer words.
 *
 * @example
 * JSON.stringify(shellInput({ name: 'PreCompact', event }));
 */
export function shellInput<Event extends ShellEvent>({
  name,
  event,
}: {
  readonly name: Event;
  readonly event: ShellInputs[Event];
}): JsonObject {
  const { session, at, trigger, cwd, transcript }: HookEvent = event;
  return {
    hook_event_name: name,
    session_id: session,
    ...(transcript !== undefined && { transcript_path: transcript }),
    ...(cwd !== undefined && { cwd }),
    timestamp: new Date(at).toISOString(),
    trigger: sideOf(trigger),
    reason: trigger,
    ...own[name](event),
  };
}

const own: { readonly [Event in ShellEvent]: (event: ShellInputs[Event]) => JsonObject } = {
  // Empty without a requested focus, as in other agents; a requested focus is always there (editor.md 3.10).
  PreCompact: ({ focus = '', tokens, window, messages, model }) => ({
    custom_instructions: focus,
    tokens,
    window,
    messages,
    ...(model && { model: nameOf(model) }),
  }),
  Compacting: ({ focus = '', handles, budget }) => ({
    custom_instructions: focus,
    from: handles && formatHandle({ entry: handles.from }),
    to: handles && formatHandle({ entry: handles.to }),
    budget,
  }),
  PostCompact: ({ result, entry, kept }) => ({
    compact_summary: result.summary ?? '',
    installed: result.installed,
    outcome: result.reason,
    ...(result.strategy !== undefined && { strategy: result.strategy }),
    tokens_before: result.tokensBefore,
    tokens_after: result.tokensAfter,
    entry,
    ...(kept !== undefined && { kept }),
    ...(result.loss && { loss: result.loss as unknown as Json }),
  }),
  PreMove: ({ from, to, ancestor, abandoned, summarize, focus = '', label }) => ({
    from,
    to,
    ancestor,
    abandoned,
    summarize,
    custom_instructions: focus,
    ...(label !== undefined && { label }),
  }),
  PostMove: ({ from, to, leaf, summary }) => ({ from, to, leaf, ...(summary !== undefined && { summary }) }),
};

function nameOf({ provider, name }: ModelName): string {
  return `${provider}/${name}`;
}
