import type { EngineEvent, EventName } from './event.ts';

/**
 * An event in one short line, for people. It says nothing of what was said in the conversation but the one line of a
 * summary and the title of a checkpoint.
 *
 * @example
 * session.onAny((event) => console.error(eventLine(event)));
 */
export function eventLine<Name extends EventName>(event: EngineEvent<Name>): string {
  // The type of the event selects the formatter.
  const line = lines[event.type] as (event: EngineEvent<Name>) => string;
  return oneLine(line(event));
}

const lines: { readonly [Name in EventName]: (event: EngineEvent<Name>) => string } = {
  decision: ({ decision, why, ratio }) => `${decision} at ${percent(ratio)}: ${why}`,
  compactionStart: ({ trigger, tokens, window }) =>
    `compacting (${trigger}): ${number(tokens)}${window === undefined ? '' : ` of ${number(window)}`} tokens`,
  compactionComplete: (event) => compactionLine(event),
  jobStart: ({ job, tokens }) => `job ${job}: background summary started at ${number(tokens)} tokens`,
  jobSettled: ({ job, outcome, strategy, why, ms, cost }) =>
    `job ${job}: ${outcome}${strategy === undefined ? '' : ` (${strategy})`} after ${seconds(ms)}${dollars(cost)}${because(why)}`,
  jobInstalled: ({ job, tokensFreed }) => `job ${job}: installed, ${number(tokensFreed)} tokens freed`,
  jobDropped: ({ job, why }) => `job ${job}: dropped: ${why}`,
  prune: ({ entries, tokensFreed }) => `pruned ${entries.length} tool outputs, ${number(tokensFreed)} tokens freed`,
  guard: ({ dropped, reduced, tokensAfter, input = [], pins = [] }) =>
    `${shortenedInput(input)}cut to fit: ${dropped} messages left out, ${reduced} shortened, ${number(tokensAfter)} tokens left${withoutPins(pins)}`,
  epoch: ({ reason }) => `what is sent changed: ${reason}`,
  truncation: ({ by, before, after, limit }) =>
    `cut by ${by}: ${number(before.tokens)} -> ${number(after.tokens)} tokens of ${number(limit)}, ${before.messages} -> ${after.messages} messages`,
  usage: ({ used, window, free, messageCount }) =>
    `${number(used)} of ${number(window)} tokens in ${messageCount} messages, ${number(free)} free`,
  limit: ({ window, model }) => `the window of ${model ?? 'the model'} is ${number(window)} tokens`,
  hookFailed: ({ hook, command, why }) => `hook ${command ?? hook} failed: ${why}`,
  moved: ({ abandoned, summary }) =>
    `moved in the tree${abandoned === undefined ? '' : `, ${abandoned} entries left behind`}${summary === undefined ? '' : ', with a summary'}`,
  checkpoint: ({ number: at, title }) => `checkpoint ${at}: ${title}`,
};

type GuardEvent = EngineEvent<'guard'>;

function shortenedInput(input: NonNullable<GuardEvent['input']>): string {
  if (input.length === 0) return '';
  const each = input.map(({ handle, charsBefore, charsAfter }) => {
    const place = handle === undefined ? 'input' : `@${handle}`;
    return `${place} ${number(charsBefore)} -> ${number(charsAfter)} characters`;
  });
  return `the input does not fit the window and was shortened (${each.join(', ')}; recall has all of it); `;
}

function withoutPins(pins: readonly string[]): string {
  if (pins.length === 0) return '';
  return `; no room for ${pins.length === 1 ? '1 rule' : `${pins.length} rules`}: ${pins.map((pin) => `"${pin}"`).join(', ')}`;
}

function compactionLine(event: EngineEvent<'compactionComplete'>): string {
  const { success, error, cancelled, reason, tokensBefore, tokensAfter, strategy, ms, cost, short } = event;
  if (error !== undefined) return `compaction failed after ${seconds(ms)}: ${error}`;
  if (cancelled) return `compaction called off: ${reason}`;
  if (!success) return `nothing compacted: ${reason}`;
  const way = strategy === undefined ? '' : ` (${strategy})`;
  return `compacted${way}: ${number(tokensBefore)} -> ${number(tokensAfter)} tokens in ${seconds(ms)}${dollars(cost)}${because(short)}`;
}

function because(why: string | undefined): string {
  return why === undefined || why === '' ? '' : `: ${why}`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function dollars(cost: number | undefined): string {
  return cost === undefined || cost === 0 ? '' : `, $${cost.toFixed(cost < 0.01 ? 4 : 2)}`;
}

/** Longer lines would wrap in a terminal. */
const mostChars = 200;

function oneLine(text: string): string {
  // Also what a terminal would take for an order.
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length <= mostChars ? line : `${line.slice(0, mostChars - 1).trimEnd()}…`;
}
