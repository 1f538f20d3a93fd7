import { native } from '../codecs/wire.ts';
import type { Message, Part, ToolCallPart, ToolResultPart } from '../message.ts';
import { isMisnamed, repetitions } from './check.ts';
import { createEdits, type Edits, edited } from './edits.ts';
import { groupsOf } from './groups.ts';
import { noResult } from './no-result.ts';
import { type Call, pair, type Result } from './pairing.ts';
import type { Repair } from './problem.ts';
import type { Step } from './slot.ts';

/** Gives every call its one result, in the place where the provider looks for it, and drops results of no call. */
export const mendPairs: Step = ({ slots, dialect, rules, repairs }) => {
  const messages = slots.map((slot) => slot.message);
  const groups = groupsOf({ messages, dialect, rules });
  const { calls, results } = pair({ groups, rules });
  const edits = createEdits();
  const added = new Map<number, Part[]>();
  const at = (index: number) => ({ message: slots[index]?.from ?? 0 });

  for (const { fault, at: place } of results) {
    if (fault !== 'orphaned-result' && fault !== 'duplicate-result') continue;
    edits.set(place, undefined);
    const what = fault === 'orphaned-result' ? 'of a call that is not there' : 'of a call that was answered before';
    repairs.push({ code: fault, message: `Dropped a result ${what}.`, at: at(place.message) });
  }
  for (const [call, count] of repetitions(calls, rules)) {
    const id = suffixed(call.part.id, count, rules.callId.maxLength);
    edits.set(call.at, { ...call.part, id });
    if (call.result) edits.set(call.result.at, { ...call.result.part, callId: id });
    repairs.push({
      code: 'duplicate-call',
      message: 'Gave a repeated call an id of its own.',
      at: at(call.at.message),
    });
  }
  for (const call of calls) {
    if (!call.result || !isMisnamed(call, dialect)) continue;
    edits.set(call.result.at, { ...edits.result(call.result), name: call.part.name });
    repairs.push({
      code: 'bad-tool-name',
      message: "Gave a result its call's tool name.",
      at: at(call.result.at.message),
    });
  }
  for (const batch of brokenBatches(calls)) {
    const asked = groups[batch[0]?.group ?? 0]?.messages.at(-1) ?? 0;
    const open = batch.filter((call) => !call.result);
    const made = open.map((call) => madeResult(edits.call(call)));
    for (const { part, at: place } of open) {
      const message = `Added "${noResult}" for the call ${part.id} of ${part.name}.`;
      repairs.push({ code: 'unanswered-call', message, at: at(place.message) });
    }
    const isInPlace = batch.every((call) => !call.result?.fault);
    if (rules.results === 'later') {
      if (made.length > 0) added.set(asked, made);
    } else if (isInPlace) {
      completeBatch({ batch, made, messages, edits, added, asked });
    } else {
      added.set(asked, gatheredBatch({ batch, edits, repairs, at }));
    }
  }
  return edits.size + added.size === 0 ? slots : edited(slots, edits, added);
};

/** What is there stays where it is; only what is missing is put behind it. */
function completeBatch(input: {
  readonly batch: readonly Call[];
  readonly made: readonly ToolResultPart[];
  readonly messages: readonly Message[];
  readonly edits: Edits;
  readonly added: Map<number, Part[]>;
  readonly asked: number;
}): void {
  const { batch, made, messages, edits, added, asked } = input;
  const last = batch
    .flatMap((call) => call.result ?? [])
    .sort(byPlace)
    .at(-1);
  if (!last) added.set(asked, [...made]);
  else if (messages[last.at.message]?.role === 'tool') added.set(last.at.message, [...made]);
  else edits.follow(last.at, [edits.result(last), ...made]);
}

/** All results of the batch in one message behind the calls, in the order of the calls. */
function gatheredBatch(input: {
  readonly batch: readonly Call[];
  readonly edits: Edits;
  readonly repairs: Repair[];
  readonly at: (index: number) => Repair['at'];
}): Part[] {
  const { batch, edits, repairs, at } = input;
  return batch.map((call) => {
    if (!call.result) return madeResult(edits.call(call));
    const part = edits.result(call.result);
    edits.set(call.result.at, undefined);
    const { fault } = call.result;
    if (fault) repairs.push({ code: fault, message: 'Moved a result to its call.', at: at(call.result.at.message) });
    return part;
  });
}

function byPlace(a: Result, b: Result): number {
  return a.at.message - b.at.message || a.at.part - b.at.part;
}

/** The calls of each answer of which at least one has no result, or one in the wrong place. */
function brokenBatches(calls: readonly Call[]): Call[][] {
  const batches = Map.groupBy(calls, (call) => call.group);
  return [...batches.values()].filter((batch) => batch.some((call) => !call.result || call.result.fault));
}

function madeResult(call: ToolCallPart): ToolResultPart {
  // Gemini's calls may go without an id; then the result must, too.
  const hasNoId = native(call, 'gemini')?.form?.split(' ').includes('no-id') ?? false;
  return {
    type: 'tool_result',
    origin: 'engine',
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', origin: 'engine', text: noResult }],
    ...(hasNoId && { wire: { dialect: 'gemini', form: 'no-id' } }),
  };
}

function suffixed(id: string, count: number, maxLength: number): string {
  const suffix = `_${count}`;
  return `${id.slice(0, maxLength - suffix.length)}${suffix}`;
}
