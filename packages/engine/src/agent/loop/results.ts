import { isObject } from '../../json.ts';
import type { ContentPart, Message, ToolCallPart } from '../../message/index.ts';
import type { ToolOutcome } from '../tool.ts';
import { isSafe, type PlannedCall } from './call.ts';

/** The result of a tool. Its origin is always `tool`: no tool speaks for a person. */
export function resultOf({
  call,
  outcome,
  context = [],
}: {
  readonly call: ToolCallPart;
  readonly outcome: ToolOutcome;
  /** Context of hooks, with origin `engine`. */
  readonly context?: readonly string[];
}): Message {
  const said = outcome.content.map((part): ContentPart => ({ ...part, origin: 'tool' }));
  const content: readonly ContentPart[] =
    said.length > 0 ? said : [{ type: 'text', origin: 'tool', text: '(no output)' }];
  const added = context.map((text): ContentPart => ({ type: 'text', origin: 'engine', text }));
  return {
    role: 'tool',
    parts: [
      {
        type: 'tool_result',
        origin: 'tool',
        callId: call.id,
        name: call.name,
        content: [...content, ...added],
        ...(outcome.isError && { isError: true }),
        ...exitOf(outcome),
      },
    ],
  };
}

/** The exit code of a command, which is not in the text of a successful one. */
function exitOf({ details }: ToolOutcome): { readonly exit?: number } {
  const exit = isObject(details) ? details.exit : undefined;
  return typeof exit === 'number' && Number.isInteger(exit) ? { exit } : {};
}

/** Limit of one result; larger ones would bloat the log and slow every reader. Characters. */
const maxChars = 1_000_000;

/** A result within the limit: head and tail of a longer text with a note in between. */
export function truncated(outcome: ToolOutcome): ToolOutcome {
  const size = outcome.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  if (size <= maxChars) return outcome;
  const half = maxChars / 2;
  const text = textOf(outcome.content.filter(({ type }) => type === 'text'));
  const [start, end] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  const note = `[… ${text.length - maxChars} of ${text.length} characters left out; they were not saved …]`;
  const words: ContentPart = { type: 'text', origin: 'tool', text: `${start}\n${note}\n${end}` };
  return { ...outcome, content: [words, ...outcome.content.filter(({ type }) => type !== 'text')] };
}

/** A result of the engine, for a call that did not run or did not end. */
export function engineResult({ call, text }: { readonly call: ToolCallPart; readonly text: string }): Message {
  return {
    role: 'tool',
    parts: [
      {
        type: 'tool_result',
        origin: 'engine',
        callId: call.id,
        name: call.name,
        isError: true,
        content: [{ type: 'text', origin: 'engine', text }],
      },
    ],
  };
}

/** The result text of a call that did not finish; says whether it may have had effects. */
export function unrunText({
  planned,
  why,
}: {
  readonly planned: PlannedCall;
  readonly why: 'aborted' | 'interrupted';
}): string {
  if (why === 'aborted') return 'It was not run: the user stopped the work first.';
  const { interrupted } = planned;
  const changes = !isSafe(planned) || planned.isOnce === true;
  if (!changes)
    return 'The work was interrupted before the result arrived. The call has no side effects; repeat it if needed.';
  return interrupted === 'started'
    ? 'The work was interrupted while it ran. It may have taken effect, partly or completely: check before you repeat it.'
    : 'The work was interrupted before it started. It had no effect.';
}

/** The text of a result, for events. */
export function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

export function isOutcome(value: unknown): value is ToolOutcome {
  if (typeof value !== 'object' || value === null || !('content' in value) || !Array.isArray(value.content))
    return false;
  return value.content.every(
    (part: unknown) =>
      typeof part === 'object' &&
      part !== null &&
      'type' in part &&
      typeof part.type === 'string' &&
      kinds.has(part.type) &&
      (part.type !== 'text' || ('text' in part && typeof part.text === 'string')),
  );
}

const kinds: ReadonlySet<string> = new Set(['text', 'image', 'document', 'opaque']);
