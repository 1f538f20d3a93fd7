import { LonghaulError } from '../../errors.ts';
import { type Dialect, dialects } from '../message.ts';

/**
 * What one provider demands of a message list, as data. Each member rests on the provider's documentation or on the
 * wording of its rejection, given next to the value. A model that differs from its provider's usual rules is served by
 * overriding members in `check` and `repair`.
 */
export interface ValidityRules {
  /** Where the results of an answer's calls must stand. */
  readonly results:
    | 'next-turn' /* first thing in the user turn after the assistant turn */
    | 'next-message' /* directly after the very message that called */
    | 'later' /* anywhere after the call */;
  /** The provider holds earlier items, so a result may answer a call that is not in the list. */
  readonly continues: boolean;
  /** Where a call id may not repeat: in the list, in one answer, or in one answer for another tool. */
  readonly uniqueCallIds: 'list' | 'answer' | 'tool';
  /** The ids under which the provider stores items may not repeat. */
  readonly uniqueItemIds: boolean;
  readonly callId: IdFormat;
  readonly toolName: IdFormat;
  /** Which texts are rejected: none, the empty one, or any without a visible character. */
  readonly rejectedText: 'none' | 'empty' | 'blank';
  /** A result flagged as an error may not be empty. */
  readonly errorsSaySomething: boolean;
  /** The list must open with a user turn. */
  readonly opensWithUser: boolean;
  /** The list may end with an assistant turn, which the model then continues. */
  readonly endsWithAssistant: boolean;
  /** What reasoning must carry to be taken back: its signature, or the id under which it is stored; encrypted will do. */
  readonly thinkingProof: 'none' | 'signature' | 'id';
  /** What must follow reasoning in its turn: nothing, something said or called later on, or that as the very next item. */
  readonly thinkingLeadsTo: 'anything' | 'something' | 'next-item';
  /** An assistant turn that holds reasoning must begin with it. */
  readonly thinkingFirst: boolean;
  /** Thinking is on in this request, so the turn that holds the open chain of calls must begin with thinking. */
  readonly opensWithThinking: boolean;
  /** Calls made since the last user text must be signed. */
  readonly signedCalls: boolean;
  /** Answers may contain images and documents. */
  readonly assistantMedia: boolean;
  /** How many cache marks a request may carry; `Infinity` where they are no business of the provider's. */
  readonly cacheMarks: number;
  /** Media types taken as bytes. */
  readonly imageTypes: RegExp;
  readonly documentTypes: RegExp;
}

export interface IdFormat {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

const anything = /^[\s\S]+$/;
const wordy = /^[a-zA-Z0-9_-]+$/;
const bitmap = /^image\/(png|jpeg|gif|webp)$/;

const anthropic: ValidityRules = {
  // "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
  results: 'next-turn',
  continues: false,
  // "`tool_use` ids must be unique"
  uniqueCallIds: 'list',
  uniqueItemIds: false,
  // "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
  callId: { pattern: wordy, maxLength: 256 },
  toolName: { pattern: wordy, maxLength: 128 },
  // "text content blocks must contain non-whitespace text"
  rejectedText: 'blank',
  // "content cannot be empty if `is_error` is true"
  errorsSaySomething: true,
  // "first message must use the "user" role"
  opensWithUser: true,
  // "This model does not support assistant message prefill. The conversation must end with a user message."
  endsWithAssistant: false,
  // "thinking.signature: Field required"
  thinkingProof: 'signature',
  // "The final block in an assistant message cannot be `thinking`."
  thinkingLeadsTo: 'something',
  // "If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`."
  // Only with thinking that the caller budgets: `{ thinkingFirst: true }`; models that decide themselves interleave.
  thinkingFirst: false,
  // "Expected `thinking` or `redacted_thinking`, but found `tool_use`." Only with thinking on: `{ opensWithThinking: true }`.
  opensWithThinking: false,
  signedCalls: false,
  assistantMedia: false,
  // "A maximum of 4 blocks with cache_control may be provided. Found 5."
  cacheMarks: 4,
  imageTypes: bitmap,
  documentTypes: /^(application\/pdf|text\/.*)$/,
};

const openaiChat: ValidityRules = {
  // "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
  results: 'next-message',
  continues: false,
  uniqueCallIds: 'answer',
  uniqueItemIds: false,
  // "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40"
  callId: { pattern: anything, maxLength: 40 },
  // "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'"
  toolName: { pattern: wordy, maxLength: 64 },
  rejectedText: 'none',
  errorsSaySomething: false,
  opensWithUser: false,
  endsWithAssistant: true,
  thinkingProof: 'none',
  thinkingLeadsTo: 'anything',
  thinkingFirst: false,
  opensWithThinking: false,
  signedCalls: false,
  assistantMedia: false,
  cacheMarks: Number.POSITIVE_INFINITY,
  imageTypes: bitmap,
  // "Expected a base64-encoded data URL with an application/pdf MIME type"; text goes as text.
  documentTypes: /^(application\/pdf|text\/.*)$/,
};

const openaiResponses: ValidityRules = {
  ...openaiChat,
  // "No tool output found for function call call_x." The output may stand anywhere after its call.
  results: 'later',
  uniqueCallIds: 'list',
  // "Duplicate item found with id rs_1."
  uniqueItemIds: true,
  // "Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64"
  callId: { pattern: anything, maxLength: 64 },
  toolName: { pattern: wordy, maxLength: 128 },
  documentTypes: anything,
  // "Missing required parameter: 'input[1].id'." Codex leaves the id out where the item is encrypted.
  thinkingProof: 'id',
  // "Item 'rs_…' of type 'reasoning' was provided without its required following item."
  thinkingLeadsTo: 'next-item',
};

const gemini: ValidityRules = {
  // "the number of function response parts is equal to the number of function call parts of the function call turn"
  results: 'next-turn',
  continues: false,
  // Gemini pairs by name and order; ids are optional.
  uniqueCallIds: 'tool',
  uniqueItemIds: false,
  callId: { pattern: anything, maxLength: Number.POSITIVE_INFINITY },
  // "Must start with a letter or an underscore. Must be alphameric, underscores, dots, colons or dashes, at most 128."
  toolName: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/, maxLength: 128 },
  // "Unable to submit request because it must have a text parameter."
  rejectedText: 'empty',
  errorsSaySomething: false,
  // "function call turn comes immediately after a user turn or after a function response turn"
  opensWithUser: true,
  // "multiturn requests must end with a user turn"
  endsWithAssistant: false,
  thinkingProof: 'none',
  thinkingLeadsTo: 'anything',
  thinkingFirst: false,
  opensWithThinking: false,
  // "Function call is missing a thought_signature": Gemini 3 only: `{ signedCalls: true }`.
  signedCalls: false,
  assistantMedia: true,
  cacheMarks: Number.POSITIVE_INFINITY,
  imageTypes: /^image\//,
  documentTypes: anything,
};

/** The rules of each provider's current models. */
const rules: { readonly [D in Dialect]: ValidityRules } = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
};

/** A provider's rules with what differs; a member that is `undefined` changes nothing. */
export function rulesFor(provider: Dialect, overrides: Partial<ValidityRules>): ValidityRules {
  if (!Object.hasOwn(rules, provider)) {
    throw new LonghaulError({
      code: 'unknown-provider',
      message: `There are no rules for a provider "${provider}".`,
      hint: `Name one of ${dialects.join(', ')}.`,
    });
  }
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  if (given.length === 0) return rules[provider];
  return { ...rules[provider], ...Object.fromEntries(given) };
}
