import { native } from '../codecs/wire.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../message.ts';
import { isMisnamed, repetitions } from './check.ts';
import { createEdits, edited } from './edits.ts';
import { groupsOf } from './groups.ts';
import { type Call, pair } from './pairing.ts';
import type { Step } from './slot.ts';

/** The one thing repair may add. */
const missing = 'no result recorded';

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
    const last = groups[batch[0]?.group ?? 0]?.messages.at(-1) ?? 0;
    const answers = batch.flatMap((call): ToolResultPart[] => {
      if (!call.result) {
        const { id, name } = call.part;
        const message = `Added "${missing}" for the call ${id} of ${name}.`;
        repairs.push({ code: 'unanswered-call', message, at: at(call.at.message) });
        return [madeResult(edits.call(call))];
      }
      if (rules.results === 'later') return [];
      const part = edits.result(call.result);
      edits.set(call.result.at, undefined);
      if (call.result.fault) {
        repairs.push({
          code: call.result.fault,
          message: 'Moved a result to its call.',
          at: at(call.result.at.message),
        });
      }
      return [part];
    });
    if (answers.length > 0) added.set(last, answers);
  }
  return edits.size + added.size === 0 ? slots : edited(slots, edits, added);
};

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
    content: [{ type: 'text', origin: 'engine', text: missing }],
    ...(hasNoId && { wire: { dialect: 'gemini', form: 'no-id' } }),
  };
}

function suffixed(id: string, count: number, maxLength: number): string {
  const suffix = `_${count}`;
  return `${id.slice(0, maxLength - suffix.length)}${suffix}`;
}
