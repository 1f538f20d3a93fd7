import { isMessageSent, isSent } from '../codecs/sent.ts';
import { native } from '../codecs/wire.ts';
import { headLength } from '../head.ts';
import type { Dialect, Message, Part } from '../message.ts';
import type { PartPosition } from './problem.ts';
import type { ValidityRules } from './rules.ts';

/** One part as the provider will see it. */
export interface GroupedPart {
  readonly part: Part;
  readonly at: Required<PartPosition>;
}

/** What the provider takes for one turn (or one message, where it looks at messages). */
export interface MessageGroup {
  readonly kind: 'assistant' | 'user' | 'system';
  readonly entries: GroupedPart[];
  /** Indices of the messages in it. */
  readonly messages: number[];
}

/** The list after its head as the provider will see it: without parts that do not reach the wire, joined where it joins. */
export function groupsOf(input: {
  readonly messages: readonly Message[];
  readonly dialect: Dialect;
  readonly rules: ValidityRules;
}): MessageGroup[] {
  const { messages, dialect, rules } = input;
  const groups: MessageGroup[] = [];
  const head = headLength(messages, dialect);
  for (const [index, message] of messages.entries()) {
    if (index < head) continue;
    if (!isMessageSent(message, dialect)) continue;
    const kind = kindOf(message, dialect);
    const last = groups.at(-1);
    const joins =
      last?.kind === kind && kind !== 'system' && !(kind === 'assistant' && rules.results === 'next-message');
    const group = joins && last ? last : { kind, entries: [], messages: [] };
    if (group !== last) groups.push(group);
    group.messages.push(index);
    addEntries({ to: group.entries, message, index, dialect });
  }
  return groups;
}

/** Only Anthropic's own mid-list system messages are a kind of their own; elsewhere they are words like a user's. */
function kindOf(message: Message, dialect: Dialect): MessageGroup['kind'] {
  if (message.role === 'assistant') return 'assistant';
  return message.role === 'system' && native(message, 'anthropic') && dialect === 'anthropic' ? 'system' : 'user';
}

function addEntries({
  to,
  message,
  index,
  dialect,
}: {
  readonly to: GroupedPart[];
  readonly message: Message;
  readonly index: number;
  readonly dialect: Dialect;
}): void {
  const add = (isChosen: (part: Part) => boolean) => {
    for (const [position, part] of message.parts.entries())
      if (isSent(part, dialect) && isChosen(part)) to.push({ part, at: { message: index, part: position } });
  };
  // The codec of Chat Completions writes a message's results in front of its words.
  const areResultsFirst = dialect === 'openai-chat' && message.role !== 'assistant';
  if (areResultsFirst) add(({ type }) => type === 'tool_result');
  add(({ type }) => !areResultsFirst || type !== 'tool_result');
}
