import { native } from '../codecs/wire.ts';
import type { Message, Part } from '../message.ts';
import { isProviderCompaction } from '../provider-compaction.ts';
import type { MessageGroup } from './groups.ts';
import type { Problem } from './problem.ts';
import type { ValidityRules } from './rules.ts';

/** What is wrong with the order of turns, once every call has its result. */
export function orderProblems(input: {
  readonly groups: readonly MessageGroup[];
  readonly messages: readonly Message[];
  readonly rules: ValidityRules;
}): Problem[] {
  const { groups, messages, rules } = input;
  const [first] = groups;
  const last = groups.at(-1);
  if (!first || !last) {
    // A head alone is a valid request to OpenAI's chat, where the head is part of the list.
    if (!rules.opensWithUser && messages.length > 0) return [];
    return [{ code: 'nothing-to-send', message: 'There is no message to send.', at: { message: 0 } }];
  }
  const problems: Problem[] = [];
  const add = (code: Problem['code'], message: string, at: Problem['at']) => problems.push({ code, message, at });
  if (rules.opensWithUser && first.kind === 'assistant') {
    add('not-opened-by-user', 'The list must open with a user message.', { message: first.messages[0] ?? 0 });
  }
  if (!rules.endsWithAssistant && last.kind === 'assistant' && !isPaused(last)) {
    add('trailing-assistant', 'The list must end with a user message or a tool result.', {
      message: last.messages[0] ?? 0,
    });
  }
  for (const [index, group] of groups.entries()) {
    for (const stranded of orphanThinking(group, rules)) {
      add('trailing-thinking', 'Nothing follows this reasoning in its answer.', stranded.at);
    }
    for (const late of lateThinking(group, rules)) {
      add('misplaced-thinking', 'An answer that holds reasoning must begin with it.', late.at);
    }
    if (group.kind === 'system' && !isSystemInPlace(groups, index)) {
      add('misplaced-system', 'A system message may only follow a user turn and precede an answer.', {
        message: group.messages[0] ?? 0,
      });
    }
  }
  const bare = rules.opensWithThinking ? groups[openChain(groups)] : undefined;
  if (bare && beginning(bare)?.type !== 'thinking') {
    const message = 'With thinking on, the answer that called tools must begin with its thinking.';
    add('missing-thinking', message, { message: bare.messages[0] ?? 0 });
  }
  for (const call of rules.signedCalls ? unsignedCalls(groups, messages) : []) {
    add('unsigned-call', 'A call of the current turn needs the signature it came with.', call.at);
  }
  return problems;
}

/** Reasoning that leads to nothing, where that is refused. */
export function orphanThinking(group: MessageGroup, rules: ValidityRules): MessageGroup['entries'] {
  if (group.kind !== 'assistant' || rules.thinkingLeadsTo === 'anything') return [];
  const { entries } = group;
  const last = entries.findLastIndex(({ part }) => part.type !== 'thinking');
  return entries.filter(({ part }, index) => {
    if (part.type !== 'thinking') return false;
    return rules.thinkingLeadsTo === 'something'
      ? index > last
      : (entries[index + 1]?.part.type ?? 'thinking') === 'thinking';
  });
}

/** The reasoning of an answer that begins with something else, where that is refused. */
export function lateThinking(group: MessageGroup, rules: ValidityRules): MessageGroup['entries'] {
  if (!rules.thinkingFirst || group.kind !== 'assistant' || beginning(group)?.type === 'thinking') return [];
  return group.entries.filter(({ part }) => part.type === 'thinking');
}

/** What an answer begins with; a compaction that its provider put in front is none of it. */
function beginning({ entries }: MessageGroup): Part | undefined {
  return entries.find(({ part }) => !isProviderCompaction(part))?.part;
}

/**
 * Anthropic takes a system message in the list directly after a user turn or a paused answer, if an answer or nothing
 * follows it; not first, not two in a row, not between a call and its result.
 */
export function isSystemInPlace(groups: readonly MessageGroup[], index: number): boolean {
  const next = groups[index + 1];
  const before = groups[index - 1];
  const isBehind = before?.kind === 'user' || (before !== undefined && isPaused(before));
  return isBehind && (next === undefined || next.kind === 'assistant');
}

/** A turn that a provider's own tool interrupted goes on where it stopped (`pause_turn`), so it may end a list. */
export function isPaused(group: MessageGroup): boolean {
  const part = group.entries.at(-1)?.part;
  return group.kind === 'assistant' && part?.type === 'opaque' && /_tool_(use|result)$/.test(part.kind);
}

/** The answer whose calls the end of the list still works on; -1 where a user has spoken since. */
function openChain(groups: readonly MessageGroup[]): number {
  const last = groups.at(-1);
  const isChain =
    last?.kind === 'user' && last.entries.length > 0 && last.entries.every(({ part }) => part.type === 'tool_result');
  return isChain ? groups.length - 2 : -1;
}

/** Since the last words of a user, the first call of each answer must be signed; the others ride on it. */
export function unsignedCalls(groups: readonly MessageGroup[], messages: readonly Message[]): MessageGroup['entries'] {
  const spoken = groups.findLastIndex(
    (group) => group.kind === 'user' && group.entries.some(({ part }) => part.type !== 'tool_result'),
  );
  return groups.slice(spoken + 1).flatMap((group) => {
    const call = group.entries.find(({ part }) => part.type === 'tool_call');
    // The codec gives a call of another model Google's stand-in for a signature.
    const message = call && messages[call.at.message];
    const isOwn = message !== undefined && native(message, 'gemini') !== undefined;
    return call?.part.type === 'tool_call' && group.kind === 'assistant' && isOwn && !call.part.signature ? [call] : [];
  });
}
