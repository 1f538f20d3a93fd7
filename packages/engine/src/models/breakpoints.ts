import type { CacheMark, ContentPart, Dialect, Message, Part } from '../message/index.ts';
import { isSent } from '../message/index.ts';
import type { CacheRules } from './catalogue/entry.ts';
import type { ModelRequest } from './model.ts';

/** Where no limit is known; Anthropic rejects a fifth. */
const usualMost = 4;

/**
 * Puts cache breakpoints where the next request will look for them: one behind the head, which outlives an epoch, and the
 * others behind the last messages that a request ended with. What is sent only grows, so each request finds the entry of
 * the one before it at the very place, however short the provider's lookback is, and breakpoints only move forward. Those
 * that stand in the messages count as such places; there are never more than the provider takes. What is left over goes
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
  readonly rules: Pick<CacheRules, 'how' | 'maxBreakpoints'>;
}): Request {
  // The codecs of the other dialects have no place for them, and their providers keep prefixes unasked.
  if (dialect !== 'anthropic' || (rules.how !== 'explicit' && rules.how !== 'both')) return request;
  const most = Math.max(0, rules.maxBreakpoints ?? usualMost);
  const ends = request.items.flatMap((message, at) => spotsOf({ message, at, next: request.items[at + 1], dialect }));
  const own = headSpots({ head: request.head, dialect });
  const head = most < 2 ? [] : own.slice(-Math.max(1, most - ends.length));
  const moving = most === head.length ? [] : ends.slice(head.length - most);
  const lives = livesOf([...head, ...moving]);
  const free = most - head.length - moving.length;
  const last = request.tools.length - 1;
  return {
    ...request,
    head: placed({ messages: request.head, spots: head, lives }),
    items: placed({ messages: request.items, spots: moving, lives: lives.slice(head.length) }),
    tools: request.tools.map(({ cache: _, ...tool }, at) =>
      free > 0 && at === last ? { ...tool, cache: lives[0] ?? {} } : tool,
    ),
  };
}

/** A place behind a part. */
interface Spot {
  readonly at: number;
  readonly part: number;
  /** The mark that stands there already. */
  readonly mark?: CacheMark;
}

/** The marks that stand in the head, or the end of it. */
function headSpots({ head, dialect }: { readonly head: readonly Message[]; readonly dialect: Dialect }): Spot[] {
  const standing = head.flatMap((message, at) => marksOf(message).map((spot) => ({ ...spot, at })));
  if (standing.length > 0) return standing;
  const at = head.findLastIndex((message) => holderOf({ message, dialect }) >= 0);
  const message = head[at];
  return message ? [{ at, part: holderOf({ message, dialect }) }] : [];
}

/** Where a request ended with this message, and where somebody put a mark. Later messages change nothing about it. */
function spotsOf({
  message,
  at,
  next,
  dialect,
}: {
  readonly message: Message;
  readonly at: number;
  readonly next: Message | undefined;
  readonly dialect: Dialect;
}): Spot[] {
  const standing = marksOf(message).map((spot) => ({ ...spot, at }));
  const isEnd = message.role === 'user' || (message.role === 'tool' && next?.role !== 'tool');
  const part = isEnd ? holderOf({ message, dialect }) : -1;
  if (part < 0 || standing.some((spot) => spot.part === part)) return standing;
  return [...standing, { at, part }].toSorted((a, b) => a.part - b.part);
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
