import type { ConversationDocument, Dialect, ValidityRules } from 'longhaul/message';

/**
 * The rule changes that follow from the rest of a request. They do not apply to another provider, which gets its own
 * request.
 *
 * @example
 * check(messages, provider, rulesOf({ document, provider }));
 */
export function rulesOf(input: {
  readonly document: ConversationDocument;
  readonly provider: Dialect;
}): Partial<ValidityRules> {
  return input.provider === input.document.dialect ? input.document.rules : {};
}
