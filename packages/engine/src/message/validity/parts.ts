import { isObject } from '../../json.ts';
import { isSent } from '../codecs/sent.ts';
import { isForeign } from '../codecs/wire.ts';
import type { ContentPart, Dialect, Message, Part, TextPart, ThinkingPart, ToolResultPart } from '../message.ts';
import type { ProblemCode } from './problem.ts';
import type { ValidityRules } from './rules.ts';
import { fits, isWellFormed } from './strings.ts';

/** Problems of one part by itself, independent of its context. */
export interface PartFault {
  readonly code: ProblemCode;
  readonly message: string;
}

export function faultsOfPart(input: {
  readonly part: Part;
  readonly message: Message;
  readonly dialect: Dialect;
  readonly rules: ValidityRules;
}): PartFault[] {
  const { part, message, dialect, rules } = input;
  const faults: PartFault[] = [];
  const expect = (holds: boolean, code: ProblemCode, sentence: string) => {
    if (!holds) faults.push({ code, message: sentence });
  };
  const place = `A ${part.type.replace('_', ' ')} cannot stand in a ${message.role} message.`;
  expect(belongs(part, message, rules), 'misplaced-part', place);
  expect(isItem(part, message), 'not-a-message', 'This entry is no message of the dialect.');
  expect(isWellFormed(part), 'lone-surrogate', 'The text holds half of a surrogate pair, which is no valid Unicode.');
  expect(!isRejectedText(part, dialect, rules), 'empty-text', 'A text without any visible character is rejected.');
  expect(
    !isUnsigned(part, rules),
    'unsigned-thinking',
    'Reasoning is taken back only with its signature, id or encrypted form.',
  );
  const isTaken =
    !isUnsupported(part, rules) &&
    !(part.type === 'tool_result' && part.content.some((nested) => isUnsupported(nested, rules)));
  expect(isTaken, 'unsupported-media', 'The provider does not take files of this type.');
  if (part.type === 'tool_result') {
    expect(!isEmptyError(part, dialect, rules), 'empty-result', 'A result that is an error must say something.');
  }
  if (part.type === 'tool_call' || part.type === 'tool_result') {
    const id = part.type === 'tool_call' ? part.id : part.callId;
    expect(fits(id, rules.callId), 'bad-call-id', `The call id "${id}" has a form that is rejected.`);
    const { name } = part;
    expect(
      name === undefined || fits(name, rules.toolName),
      'bad-tool-name',
      `The tool name "${name}" has a form that is rejected.`,
    );
  }
  return faults;
}

/** Whether this kind of part may stand in a message of this role. */
export function belongs(part: Part, message: Message, rules: ValidityRules): boolean {
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
      return true;
    case 'opaque':
      // Whatever a new kind of part may be, it is an object.
      return isObject(part.value);
  }
}

/** An item that is not a message: legal only if the dialect allows its kind between messages. */
export function isItem(part: Part, message: Message): boolean {
  if (part.type !== 'opaque' || message.wire?.form !== 'item') return true;
  if (part.dialect === 'openai-responses') return responsesItems.test(part.kind);
  // The legacy role, which Chat Completions still takes.
  return part.dialect === 'openai-chat' && isObject(part.value) && part.value.role === 'function';
}

const responsesItems =
  /^(.*_call(_output)?|item_reference|compaction|compaction_trigger|reasoning|mcp_\w+|tool_search_\w+|additional_tools|configuration_update|program(_output)?)$/;

/** A proof that reaches the wire says something even without text. */
export function isRejectedText(part: Part, dialect: Dialect, rules: ValidityRules): part is TextPart | ThinkingPart {
  if (rules.rejectedText === 'none' || (part.type !== 'text' && part.type !== 'thinking')) return false;
  const isProof = part.type === 'thinking' && (part.encrypted !== undefined || part.signature !== undefined);
  const isSigned = dialect === 'gemini' && part.signature !== undefined && !isForeign(part, dialect);
  if (isProof || isSigned) return false;
  return rules.rejectedText === 'empty' ? part.text === '' : part.text.trim() === '';
}

export function isEmptyError(part: ToolResultPart, dialect: Dialect, rules: ValidityRules): boolean {
  if (!rules.errorsSaySomething || part.isError !== true) return false;
  return part.content.every((nested) =>
    nested.type === 'text' ? nested.text.trim() === '' : !isSent(nested, dialect),
  );
}

export function isUnsupported(part: ContentPart | Part, rules: ValidityRules): boolean {
  if ((part.type !== 'image' && part.type !== 'document') || part.source.kind !== 'base64') return false;
  return !(part.type === 'image' ? rules.imageTypes : rules.documentTypes).test(part.source.mediaType);
}

/** Reasoning that its provider cannot tell for its own is refused, also with the empty signature some clients leave. */
export function isUnsigned(part: Part, rules: ValidityRules): boolean {
  if (part.type !== 'thinking' || part.encrypted !== undefined) return false;
  if (rules.thinkingProof === 'id') return typeof part.wire?.fields?.id !== 'string';
  return rules.thinkingProof === 'signature' && !part.signature;
}
