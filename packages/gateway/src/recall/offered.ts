import type { ServerResponse } from 'node:http';
import { createRecallTool, type RecallTool } from 'longhaul/engine';
import { codecs, type Message } from 'longhaul/message';
import type { Usage } from 'longhaul/models';
import { openSession, type Session, type SessionHeader, type Store } from 'longhaul/session';
import type { Logger } from 'pino';
import type { AnswerMessage, ClientConversation } from '../conversation/conversation.ts';
import { commitAnswer, type Followed, type FollowParts } from '../follow.ts';
import { headerIn } from '../http/headers.ts';
import { isRecord, parseJson } from '../json.ts';
import type { GatewayLimits } from '../options.ts';
import type { UpstreamResponse } from '../upstream.ts';
import { recallName } from './filter.ts';
import { isRecallable, offerRecall } from './offer.ts';
import { type RoundsOutcome, relayRounds } from './rounds.ts';

/** The recall tool as it is offered with one request. */
interface OfferedRecall {
  /** The body with the tool; `undefined` where it cannot be added. */
  offer(body: Buffer | undefined): Buffer | undefined;
  /** Relays the answer, and answers the recalls in it. Returns the usage of all rounds. */
  relay(input: {
    readonly parts: { readonly follow: FollowParts; readonly limits: GatewayLimits; readonly logger: Logger };
    readonly followed: Followed;
    readonly first: UpstreamResponse;
    readonly outgoing: ServerResponse;
    /** The body that `first` answers. */
    readonly body: Buffer;
    readonly send: (body: Buffer) => Promise<UpstreamResponse>;
  }): Promise<Usage | undefined>;
}

/** One per conversation, because it keeps what it has read. */
const tools = new WeakMap<ClientConversation, RecallTool>();

/**
 * Offers the tool with a request: from the first time on that something of its conversation is not sent as it came, so that
 * the tools do not change between two epochs.
 */
export function offerTo({
  followed: { request, conversation, model },
}: {
  readonly followed: Followed;
}): OfferedRecall | undefined {
  if (!isRecallable(request) || conversation.isComplete) return undefined;
  const { dialect } = request;
  return {
    offer: (body) => offerRecall({ body: body ?? request.bytes, dialect }),
    async relay({ parts, followed, first, outgoing, body, send }) {
      const { store } = parts.follow.conversations;
      const tool = tools.get(conversation) ?? createTool({ conversation, store, window: model.info.window });
      tools.set(conversation, tool);
      tool.beginTurn();
      let usage: Usage | undefined;
      const requestId = headerIn(first.headers, 'request-id') ?? headerIn(first.headers, 'x-request-id');
      await relayRounds({
        dialect,
        first,
        outgoing,
        body,
        send,
        limit: parts.limits.answerBytes,
        recall: (call) => tool.run(call),
        commit: async (outcome) => {
          ({ usage } = outcome.shown);
          try {
            const answer = { ...outcome.shown, ...usageOf(outcome) };
            await commitAnswer({
              parts: parts.follow,
              followed,
              answer,
              requestId,
              messages: messagesOf({ dialect, outcome }),
            });
          } catch (error) {
            const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
            parts.logger.warn({ err: { code: String(code), message: String(message) } }, 'the answer was not recorded');
          }
        },
      });
      return usage;
    },
  };
}

/** What is looked up in one turn may fill a small part of the window. */
function createTool({
  conversation: { engine },
  store,
  window,
}: {
  readonly conversation: ClientConversation;
  readonly store: Store;
  readonly window: number;
}): RecallTool {
  const limits = {
    count: (text: string) => Math.ceil(text.length / 3),
    perCall: Math.min(3_000, Math.floor(window / 16)),
    perTurn: Math.min(12_000, Math.floor(window / 8)),
  };
  const tool = createRecallTool({ session: engine.session, ...limits });
  return withEarlierHistories({ tool, header: engine.session.header, store, limits });
}

/** The most histories that are searched; a client that compacts so often has summaries of summaries. */
const mostHistories = 8;

/**
 * A recall tool that also reaches the histories which the client replaced by a summary of its own. What was found there has
 * a handle such as `before-1@12`.
 */
function withEarlierHistories({
  tool,
  header,
  store,
  limits,
}: {
  readonly tool: RecallTool;
  readonly header: SessionHeader;
  readonly store: Store;
  readonly limits: Pick<Parameters<typeof createRecallTool>[0], 'count'> & {
    readonly perCall: number;
    readonly perTurn: number;
  };
}): RecallTool {
  let earlier: Promise<readonly RecallTool[]> | undefined;
  const opened = () => {
    earlier ??= earlierSessions({ header, store }).then((sessions) =>
      sessions.map((session) =>
        createRecallTool({
          session,
          ...limits,
          perCall: Math.max(400, Math.floor(limits.perCall / sessions.length)),
        }),
      ),
    );
    return earlier;
  };
  return {
    definition: tool.definition,
    beginTurn() {
      tool.beginTurn();
      void earlier?.then((tools) => {
        for (const each of tools) each.beginTurn();
      });
    },
    async run(call) {
      const input = parseJson(call.arguments);
      const handle = isRecord(input) && typeof input.handle === 'string' ? input.handle.trim() : '';
      const [, number, rest] = /^before-(\d+)\s*(@.*)$/.exec(handle) ?? [];
      if (isRecord(input) && rest !== undefined) {
        const named = (await opened())[Number(number) - 1];
        return named
          ? await named.run({ arguments: JSON.stringify({ ...input, handle: rest }) })
          : `There is no earlier history ${number}.`;
      }
      const own = await tool.run(call);
      if (handle !== '') return own;
      const found: string[] = [];
      // One after the other: each search has a worker thread for a while.
      for (const [at, each] of (await opened()).entries())
        found.push((await each.run(call)).replace(/^@(?=\d)/gm, `before-${at + 1}@`));
      return [own, ...found].join('\n\n');
    },
  };
}

/** The histories before this one, newest first. A copy has all of what it was copied from. */
async function earlierSessions({
  header,
  store,
}: {
  readonly header: SessionHeader;
  readonly store: Store;
}): Promise<Session[]> {
  const sessions: Session[] = [];
  const seen = new Set([header.id]);
  let { parent } = header;
  while (parent && !seen.has(parent.session) && sessions.length < mostHistories) {
    seen.add(parent.session);
    const isCopied = parent.entry !== undefined;
    const session: Session | undefined = await openSession({ store, id: parent.session }).catch(() => undefined);
    // It was deleted.
    if (!session) break;
    if (!isCopied) sessions.push(session);
    ({ parent } = session.header);
  }
  return sessions;
}

/** The usage of the last round says how large the conversation is. */
function usageOf({ rounds }: RoundsOutcome) {
  const usage = rounds.at(-1)?.answer.usage;
  return usage === undefined ? {} : { usage };
}

/** The messages of all rounds as they are kept in the log. */
function messagesOf({
  dialect,
  outcome: { rounds, shown },
}: {
  readonly dialect: Followed['request']['dialect'];
  readonly outcome: RoundsOutcome;
}): readonly AnswerMessage[] {
  const { decode } = codecs[dialect];
  const visible = decode(shown.items);
  const last = rounds.at(-1);
  const pending: AnswerMessage[] = last?.results ? [{ message: last.results, hidden: 'after-previous' }] : [];
  if (dialect === 'openai-responses') {
    // Every item is a message of its own, so that only the calls are hidden.
    let next = 0;
    const messages = rounds.flatMap(({ answer, results }, at): AnswerMessage[] => {
      const answered = decode(answer.items).map((message): AnswerMessage => {
        if (message.parts.some(isRecall)) return { message, hidden: 'before-next' };
        const own = visible[next] ?? message;
        next += 1;
        return { message: own };
      });
      const isLast = at === rounds.length - 1;
      return results && !isLast ? [...answered, { message: results, hidden: 'before-next' }] : answered;
    });
    return [...messages, ...pending];
  }
  const hidden = rounds
    .slice(0, -1)
    .flatMap(({ answer, results }): AnswerMessage[] =>
      [...decode(answer.items), ...(results ? [results] : [])].map((message) => ({ message, hidden: 'before-next' })),
    );
  const sent = decode(last?.answer.items ?? []);
  const isSame = rounds.length === 1 && !last?.results;
  return [
    ...hidden,
    ...visible.map((message, at): AnswerMessage => {
      const whole = sent[at];
      return isSame || !whole ? { message } : { message, sent: whole };
    }),
    ...pending,
  ];
}

function isRecall(part: Message['parts'][number]): boolean {
  return part.type === 'tool_call' && part.name === recallName;
}
