import { isSent } from '../codecs/sent.ts';
import { native } from '../codecs/wire.ts';
import type { Dialect, Message } from '../message.ts';
import { cacheProblems } from './cache-marks.ts';
import { groupsOf, type MessageGroup } from './groups.ts';
import { repeatedItems } from './item-ids.ts';
import { orderProblems } from './order.ts';
import { type PairedCall, pair } from './pairing.ts';
import { faultsOfPart } from './parts.ts';
import type { Problem, ProblemCode } from './problem.ts';
import { memberProblems } from './repair-members.ts';
import { rulesFor, type ValidityRules } from './rules.ts';

/**
 * Whether a provider would take this list, and where not. An empty answer means that it would.
 *
 * @param overrides where a model differs from its provider's usual rules, e.g. `{ endsWithAssistant: true }`
 * @example
 * for (const { at, message } of check(messages, 'anthropic')) console.log(`message ${at.message}: ${message}`);
 */
export function check(
  messages: readonly Message[],
  provider: Dialect,
  overrides: Partial<ValidityRules> = {},
): Problem[] {
  const rules = rulesFor(provider, overrides);
  const groups = groupsOf({ messages, dialect: provider, rules });
  return [
    ...messageProblems({ messages, dialect: provider, rules }),
    ...memberProblems(messages, provider),
    ...cacheProblems(messages, provider, rules),
    ...pairingProblems({ groups, rules, dialect: provider }),
    ...orderProblems({ groups, messages, rules }),
    ...repeatedItems(messages, rules).map(
      (at): Problem => ({ code: 'duplicate-item', message: 'The item is in the list twice.', at }),
    ),
  ].sort((a, b) => a.at.message - b.at.message || (a.at.part ?? -1) - (b.at.part ?? -1));
}

function messageProblems(input: {
  readonly messages: readonly Message[];
  readonly dialect: Dialect;
  readonly rules: ValidityRules;
}): Problem[] {
  const { messages, dialect, rules } = input;
  return messages.flatMap((message, index) => {
    const faults = message.parts.flatMap((part, position) =>
      isSent(part, dialect)
        ? faultsOfPart({ part, message, dialect, rules }).map((fault) => ({
            ...fault,
            at: { message: index, part: position },
          }))
        : [],
    );
    if (!isEmpty(message, dialect)) return faults;
    return [
      ...faults,
      { code: 'empty-message', message: 'The message has no content.', at: { message: index } } as const,
    ];
  });
}

/** Without any content on the wire, and without a member that replaces it. */
export function isEmpty(message: Message, dialect: Dialect): boolean {
  const wire = native(message, dialect);
  if (wire?.form === 'item') return message.parts.length === 0;
  if (substitutes[dialect]?.some((key) => (wire?.fields?.[key] ?? null) !== null)) return false;
  // Its parts belong to another provider: then it is left out, not empty.
  if (message.parts.length > 0 && !message.parts.some((part) => isSent(part, dialect))) return wire !== undefined;
  // For OpenAI's chat, reasoning alone is no content.
  return !message.parts.some(
    (part) => isSent(part, dialect) && !(dialect === 'openai-chat' && part.type === 'thinking'),
  );
}

const substitutes: { readonly [D in Dialect]?: readonly string[] } = {
  anthropic: ['output_config'],
  'openai-chat': ['refusal', 'audio', 'function_call'],
};

function pairingProblems(input: {
  readonly groups: readonly MessageGroup[];
  readonly rules: ValidityRules;
  readonly dialect: Dialect;
}): Problem[] {
  const { calls, results } = pair(input);
  const problems: Problem[] = results.flatMap(({ fault, part, at }) =>
    fault ? [{ code: fault, message: `${sentences[fault]} (call ${part.callId}).`, at }] : [],
  );
  for (const call of calls) {
    const { id, name } = call.part;
    if (!call.result) {
      problems.push({ code: 'unanswered-call', message: `The call ${id} of ${name} has no result.`, at: call.at });
    } else if (isMisnamed(call, input.dialect)) {
      const message = `The result of call ${id} names another tool than ${name}.`;
      problems.push({ code: 'bad-tool-name', message, at: call.result.at });
    }
  }
  return [...problems, ...repeatedCalls(calls, input.rules)];
}

/** Gemini pairs by name as well as by place. */
export function isMisnamed(call: PairedCall, dialect: Dialect): boolean {
  const name = call.result?.part.name;
  return dialect === 'gemini' && name !== undefined && name !== call.part.name;
}

function repeatedCalls(calls: readonly PairedCall[], rules: ValidityRules): Problem[] {
  return [...repetitions(calls, rules)].map(([call]) => ({
    code: 'duplicate-call',
    message: `The call id ${call.part.id} was used before.`,
    at: call.at,
  }));
}

/** Calls whose id was used before where the provider forbids it, with how many times. */
export function repetitions(calls: readonly PairedCall[], rules: ValidityRules): Map<PairedCall, number> {
  const seen = new Map<string, { readonly name: string; count: number }>();
  const repeated = new Map<PairedCall, number>();
  for (const call of calls) {
    const { id, name } = call.part;
    const key = rules.uniqueCallIds === 'list' ? id : `${call.group} ${id}`;
    const before = seen.get(key);
    if (!before) seen.set(key, { name, count: 1 });
    else if (rules.uniqueCallIds !== 'tool' || before.name !== name) {
      before.count += 1;
      repeated.set(call, before.count);
    }
  }
  return repeated;
}

const sentences = {
  'orphaned-result': 'The result answers a call that is not there',
  'duplicate-result': 'The call has been answered before',
  'misplaced-result': 'The result does not directly follow its call',
} as const satisfies Partial<Record<ProblemCode, string>>;
