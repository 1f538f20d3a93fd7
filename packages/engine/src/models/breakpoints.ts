import type { CacheLimits, CacheMark, ContentPart, Dialect, Message, MessageOutline, Part } from '../message/index.ts';
import { chooseBreakpoints, isSent } from '../message/internal.ts';
import type { ModelRequest } from './model.ts';

/** Where no limit is known; Anthropic rejects a fifth. */
const defaultMaxBreakpoints = 4;

/**
 * Puts cache breakpoints where the next request will look for them: behind the head, which outlives an epoch, behind the
 * last message, behind the newest user message, where the caller put one, and then as `chooseBreakpoints` says (the last
 * results of rounds, answers, the beginning). There are never more than the provider takes; a slot that is left over goes
 * to the tools (editor.md 5.3). Where the provider caches by itself, the request stays as it is.
 *
 * @example
 * const marked = withBreakpoints({ request, dialect: model.dialect, rules: model.info.cache });
 */
export function withBreakpoints<Request extends Pick<ModelRequest, 'head' | 'items' | 'tools'>>({
  request,
  dialect,
  rules,
}: {
  readonly request: Request;
  readonly dialect: Dialect;
  readonly rules: CacheLimits;
}): Request {
  // The codecs of the other dialects cannot express them, and their providers cache prefixes on their own.
  if (dialect !== 'anthropic' || (rules.how !== 'explicit' && rules.how !== 'both')) return request;
  const most = Math.max(0, rules.maxBreakpoints ?? defaultMaxBreakpoints);
  const messages = [...request.head, ...request.items];
  const spots = chosenSpots({ messages, headLength: request.head.length, dialect, most });
  const lives = livesOf(spots);
  const all = placed({ messages, spots, lives });
  const last = request.tools.length - 1;
  return {
    ...request,
    head: all.slice(0, request.head.length),
    items: all.slice(request.head.length),
    tools: request.tools.map(({ cache: _, ...tool }, at) =>
      spots.length < most && at === last ? { ...tool, cache: lives[0] ?? {} } : tool,
    ),
  };
}

/** At most so many places, in the order of the messages. */
function chosenSpots({
  messages,
  headLength,
  dialect,
  most,
}: {
  readonly messages: readonly Message[];
  readonly headLength: number;
  readonly dialect: Dialect;
  readonly most: number;
}): Spot[] {
  const chosen: Spot[] = [];
  const existing = messages.flatMap((message, at) => marksOf(message).map((spot) => ({ ...spot, at })));
  const holds = messages.map((message) => holderOf({ message, dialect }) >= 0);
  const lastOf = (fits: (message: Message, at: number) => boolean) =>
    messages.findLastIndex((message, at) => holds[at] && fits(message, at));
  const inHead = existing.findLast(({ at }) => at < headLength)?.at ?? lastOf((_, at) => at < headLength);
  if (most > 1) takeAt(inHead);
  takeAt(lastOf(({ role }, at) => at >= headLength && (role === 'user' || role === 'tool')));
  takeAt(lastOf(({ role }, at) => at >= headLength && role === 'user'));
  for (const spot of existing.toReversed()) take(spot);
  const sights = messages.map(
    ({ role, parts }, at): MessageOutline => ({
      role,
      hasCalls: parts.some(({ type }) => type === 'tool_call'),
      marks: chosen.filter((spot) => spot.at === at).length,
      canHold: holds[at] ?? false,
    }),
  );
  for (const at of chooseBreakpoints({ messages: sights, limits: { how: 'explicit', maxBreakpoints: most } }).add)
    takeAt(at);
  return chosen.toSorted((a, b) => a.at - b.at || a.part - b.part);

  /** The mark of the caller in a message, or its end. */
  function takeAt(at: number): void {
    const message = messages[at];
    if (!message) return;
    take(existing.findLast((spot) => spot.at === at) ?? { at, part: holderOf({ message, dialect }) });
  }

  function take(spot: Spot): void {
    const isThere = chosen.some(({ at, part }) => at === spot.at && part === spot.part);
    if (!isThere && chosen.length < most) chosen.push(spot);
  }
}

/** A place behind a part. */
interface Spot {
  readonly at: number;
  readonly part: number;
  /** The existing mark at this position. */
  readonly mark?: CacheMark;
}

function marksOf({ parts }: Message): { readonly part: number; readonly mark: CacheMark }[] {
  return parts.flatMap((each, part) => {
    const nested = each.type === 'tool_result' ? each.content.find(({ cache }) => cache)?.cache : undefined;
    const mark = each.cache ?? nested;
    return mark ? [{ part, mark }] : [];
  });
}

/** The last part that a mark can stand on: not thinking, and no blank text, which providers reject. */
function holderOf({ message, dialect }: { readonly message: Message; readonly dialect: Dialect }): number {
  return message.parts.findLastIndex(
    (part) =>
      part.type !== 'thinking' &&
      part.type !== 'opaque' &&
      !(part.type === 'text' && part.text.trim() === '') &&
      isSent(part, dialect),
  );
}

/** "A ttl='1h' cache_control block must not come after a ttl='5m' cache_control block": what comes before lives as long. */
function livesOf(spots: readonly Spot[]): CacheMark[] {
  let longest: CacheMark = {};
  return spots
    .toReversed()
    .map(({ mark }) => {
      if (mark?.ttl === '1h' || (longest.ttl === undefined && mark?.ttl !== undefined)) longest = mark;
      return longest;
    })
    .toReversed();
}

function placed(input: {
  readonly messages: readonly Message[];
  readonly spots: readonly Spot[];
  readonly lives: readonly CacheMark[];
}): Message[] {
  const { messages, spots, lives } = input;
  return messages.map((message, at) => {
    const parts = message.parts.map((part, index) => {
      const spot = spots.findIndex((each) => each.at === at && each.part === index);
      const bare = unmarked(part);
      return spot < 0 ? bare : { ...bare, cache: lives[spot] ?? {} };
    });
    return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
  });
}

function unmarked(part: Part): Part {
  const inner = part.type === 'tool_result' && part.content.some(({ cache }) => cache);
  if (!part.cache && !inner) return part;
  const { cache: _, ...rest } = part;
  return inner && rest.type === 'tool_result'
    ? { ...rest, content: rest.content.map((nested) => unmarked(nested) as ContentPart) }
    : (rest as Part);
}
