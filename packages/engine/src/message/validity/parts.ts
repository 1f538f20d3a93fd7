import type { ContentPart, Message, Part, TextPart, ThinkingPart } from '../message.ts';
import type { ProblemCode } from './problem.ts';
import type { Rules } from './rules.ts';
import { hasForm, isWellFormed } from './strings.ts';

/** What is wrong with one part by itself, whatever stands around it. */
export interface PartFault {
  readonly code: ProblemCode;
  readonly message: string;
}

export function faultsOfPart(input: {
  readonly part: Part;
  readonly message: Message;
  readonly rules: Rules;
}): PartFault[] {
  const { part, message, rules } = input;
  const faults: PartFault[] = [];
  const add = (code: ProblemCode, sentence: string) => faults.push({ code, message: sentence });

  if (!belongs(part, message, rules)) {
    add('misplaced-part', `A ${nameOf(part)} cannot stand in a ${message.role} message.`);
  }
  if (!isWellFormed(part)) add('lone-surrogate', 'The text holds half of a surrogate pair, which is no valid Unicode.');
  if (isRejectedText(part, rules)) add('empty-text', `${part.text === '' ? 'An empty' : 'A blank'} text is rejected.`);
  if (part.type === 'tool_result' && part.content.some((content) => isRejectedText(content, rules))) {
    add('empty-text', 'An empty text inside a tool result is rejected.');
  }
  if (
    isUnsupported(part, rules) ||
    (part.type === 'tool_result' && part.content.some((c) => isUnsupported(c, rules)))
  ) {
    add('unsupported-media', 'The provider does not take files of this type.');
  }
  if (isUnsigned(part, rules))
    add(
      'unsigned-thinking',
      'Reasoning is accepted only with proof of where it came from (signature, id or encrypted form).',
    );
  const id = part.type === 'tool_call' ? part.id : part.type === 'tool_result' ? part.callId : undefined;
  if (id !== undefined && !hasForm(id, rules.callId))
    add('bad-call-id', `The call id "${id}" has a form that is rejected.`);
  const name = part.type === 'tool_call' || part.type === 'tool_result' ? part.name : undefined;
  if (name !== undefined && !hasForm(name, rules.toolName)) {
    add('bad-tool-name', `The tool name "${name}" has a form that is rejected.`);
  }
  return faults;
}

/** Whether this kind of part may stand in a message of this role. */
export function belongs(part: Part, message: Message, rules: Rules): boolean {
  switch (part.type) {
    case 'tool_call':
    case 'thinking':
      return message.role === 'assistant';
    case 'tool_result':
      return message.role === 'tool' || message.role === 'user';
    case 'image':
    case 'document':
      return message.role === 'assistant' ? rules.assistantMedia : message.role !== 'system';
    case 'text':
    case 'opaque':
      return true;
  }
}

/** A signed or encrypted part says something even without text. */
export function isRejectedText(part: ContentPart | Part, rules: Rules): part is TextPart | ThinkingPart {
  if (part.type !== 'text' && part.type !== 'thinking') return false;
  if (part.signature !== undefined || ('encrypted' in part && part.encrypted !== undefined)) return false;
  if (rules.rejectedText === 'none') return false;
  return rules.rejectedText === 'empty' ? part.text === '' : part.text.trim() === '';
}

export function isUnsupported(part: ContentPart | Part, rules: Rules): boolean {
  if ((part.type !== 'image' && part.type !== 'document') || part.source.kind !== 'base64') return false;
  return !(part.type === 'image' ? rules.imageTypes : rules.documentTypes).test(part.source.mediaType);
}

/** Reasoning that its provider cannot tell for its own is refused, also with the empty signature some clients leave. */
export function isUnsigned(part: Part, rules: Rules): boolean {
  if (part.type !== 'thinking' || part.encrypted !== undefined) return false;
  if (rules.thinkingProof === 'id') return typeof part.wire?.fields?.id !== 'string';
  return rules.thinkingProof === 'signature' && !part.signature;
}

function nameOf(part: Part): string {
  return part.type.replace('_', ' ');
}
