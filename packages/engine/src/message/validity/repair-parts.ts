import { isSent } from '../codecs/sent.ts';
import type { Dialect, Message, Part, ToolResultPart } from '../message.ts';
import { noResult } from './no-result.ts';
import {
  belongs,
  faultsOfPart,
  isEmptyError,
  isItem,
  isRejectedText,
  isUnsigned,
  isUnsupported,
  type PartFault,
} from './parts.ts';
import type { ProblemCode } from './problem.ts';
import type { Rules } from './rules.ts';
import type { Step } from './slot.ts';
import { inForm, wellFormed } from './strings.ts';

/** Mends what is wrong with parts by themselves. */
export const mendParts: Step = ({ slots, dialect, rules, repairs }) =>
  slots.map((slot) => {
    const { message, from } = slot;
    let isChanged = false;
    const parts = message.parts.flatMap((part): readonly Part[] => {
      const faults = isSent(part, dialect) ? faultsOfPart({ part, message, dialect, rules }) : [];
      if (faults.length === 0) return [part];
      isChanged = true;
      repairs.push(...faults.map((fault) => ({ code: fault.code, message: deed(fault), at: { message: from } })));
      return mendPart({ part, message, dialect, rules });
    });
    return isChanged ? { message: { ...message, parts }, from } : slot;
  });

function mendPart(input: {
  readonly part: Part;
  readonly message: Message;
  readonly dialect: Dialect;
  readonly rules: Rules;
}): readonly Part[] {
  const { part, message, dialect, rules } = input;
  if (!isItem(part, message) || !belongs(part, message, rules) || isRejectedText(part, dialect, rules)) return [];
  if (isUnsupported(part, rules) || isUnsigned(part, rules)) return [];
  const clean = wellFormed(part);
  if (clean.type === 'tool_call') {
    return [{ ...clean, id: inForm(clean.id, rules.callId), name: inForm(clean.name, rules.toolName) }];
  }
  return [clean.type === 'tool_result' ? mendResult(clean, dialect, rules) : clean];
}

function mendResult(part: ToolResultPart, dialect: Dialect, rules: Rules): ToolResultPart {
  const name = part.name === undefined ? {} : { name: inForm(part.name, rules.toolName) };
  const content = part.content.filter((nested) => !isUnsupported(nested, rules));
  const mended = { ...part, ...name, callId: inForm(part.callId, rules.callId), content };
  if (!isEmptyError(mended, dialect, rules)) return mended;
  const { wire: _, ...plain } = mended;
  return { ...plain, content: [{ type: 'text', origin: 'engine', text: noResult }] };
}

const deeds: Partial<Record<ProblemCode, string>> = {
  'bad-call-id': 'Rewrote the call id in a form that is accepted.',
  'bad-tool-name': 'Rewrote the tool name in a form that is accepted.',
  'empty-result': 'Put "no result recorded" into an error that said nothing.',
  'not-a-message': 'Dropped an entry that is no message.',
  'empty-text': 'Dropped a text without content.',
  'lone-surrogate': 'Replaced half of a surrogate pair by U+FFFD.',
  'unsigned-thinking': 'Dropped reasoning without proof of where it came from.',
  'unsupported-media': 'Dropped a file of a type that is not taken.',
};

function deed(fault: PartFault): string {
  return deeds[fault.code] ?? `Dropped it: ${fault.message}`;
}
