/** What a provider says of its cache; the `cache` of `modelInfo` is one. */
export interface CacheLimits {
  /** `explicit`: only at breakpoints. `automatic`: without breakpoints. `both`: automatically, and at breakpoints. */
  readonly how: 'explicit' | 'automatic' | 'both' | 'none';
  readonly maxBreakpoints?: number;
}

/** A message, as far as breakpoints depend on it. */
export interface MessageOutline {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly hasCalls: boolean;
  /** How many breakpoints are in it. */
  readonly marks: number;
  /** Whether there is anything that a breakpoint can stand behind. */
  readonly canHold: boolean;
}

/** Where no limit is known; Anthropic rejects a fifth. */
const defaultMaxBreakpoints = 4;

/** How many breakpoints a request may have. */
function maxBreakpointsOf({ how, maxBreakpoints = defaultMaxBreakpoints }: CacheLimits): number {
  return how === 'explicit' || how === 'both' ? Math.max(0, maxBreakpoints) : 0;
}

/**
 * Which messages get a breakpoint, and how many of those that are there have to go: the first ones, since the last are
 * what the next request finds (editor.md 5.2; there a fifth is added, and the last message looks at the first).
 *
 * @example
 * const { add, drop } = chooseBreakpoints({ messages, limits: { how: 'explicit', maxBreakpoints: 4 } });
 */
export function chooseBreakpoints({
  messages,
  limits,
}: {
  readonly messages: readonly MessageOutline[];
  readonly limits: CacheLimits;
}): { readonly add: ReadonlySet<number>; readonly drop: number } {
  const most = maxBreakpointsOf(limits);
  const there = messages.reduce((sum, { marks }) => sum + marks, 0);
  const add = new Set<number>();
  let slots = most - there;
  const newest = messages.findLastIndex(({ role }) => role === 'user');
  for (let at = messages.length - 1; at >= 0 && slots > 0; at -= 1) {
    if (isFree(messages[at]) && isEnd({ messages, at, newest })) take(at);
  }
  for (const [at, message] of messages.entries()) {
    if (slots <= 0 || (message.role !== 'system' && message.role !== 'user')) break;
    if (isFree(message) && !add.has(at)) take(at);
  }
  return { add, drop: Math.max(0, there - most) };

  function take(at: number): void {
    add.add(at);
    slots -= 1;
  }
}

function isFree(message: MessageOutline | undefined): boolean {
  return message !== undefined && message.marks === 0 && message.canHold;
}

/** Where a request of this turn may end: the newest question, a round's last result, an answer. */
function isEnd({
  messages,
  at,
  newest,
}: {
  readonly messages: readonly MessageOutline[];
  readonly at: number;
  readonly newest: number;
}): boolean {
  const message = messages[at];
  switch (message?.role) {
    case 'assistant':
      return !message.hasCalls;
    case 'tool':
      return at >= newest && messages[at + 1]?.role !== 'tool';
    case 'user':
      return at === newest;
    default:
      return false;
  }
}
