import type { ConversationDocument, Dialect, ValidityRules } from 'longhaul/message';

/**
 * What the rest of a request changes about its provider's rules. Asked about another provider, it changes nothing: that
 * one will get a request of its own.
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
