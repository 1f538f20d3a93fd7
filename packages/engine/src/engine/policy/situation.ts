import { finishesTask } from '../../analysis/index.ts';
import { isHumanMessage, type Message } from '../../message/index.ts';
import { type Context, headLength } from '../../session/index.ts';
import type { Budget, JobView } from '../types.ts';

/** What is known before a request, for the decision. All of it is a value: the same situation is decided the same. */
export interface Situation {
  readonly budget: Budget;
  /** The likely size of the request, tools included, and one that is hardly ever exceeded. */
  readonly tokens: number;
  readonly bound: number;
  /** What a provider said of the newest request of this conversation; it counts where it is larger. */
  readonly reported?: number;
  /** Messages and answers of the model in what is sent, without the head. */
  readonly messages: number;
  readonly rounds: number;
  /** Finished tool rounds in the turn in progress. */
  readonly roundsInTurn: number;
  /** Whether the provider may still have the beginning of the request. */
  readonly isCached: boolean;
  /** What came since the last request: a user message, a finished task, or neither. */
  readonly boundary: 'turn' | 'task' | 'round';
  readonly job: JobView;
  /** Summaries need no model: they are made at once when needed, never in the background. */
  readonly isModelFree: boolean;
  /** A compaction was undone, and nothing has been decided since. */
  readonly isSuspended: boolean;
  /** A compaction was not worth it, and there is hardly more to gain since. */
  readonly isDeclined: boolean;
  /** The provider refused the last request as too long. */
  readonly isRefused: boolean;
  /** The request goes to another model than the last one. */
  readonly isSwitched: boolean;
  /** A model was waited for in this turn, in vain. */
  readonly hasWaitedInVain: boolean;
  /** What putting in the summary that is ready costs once, and saves with every request, in tokens of input. */
  readonly price?: { readonly once: number; readonly perRequest: number };
  readonly now: number;
}

/**
 * What came since the last request: a user message (`turn`), a task that the model checked off (`task`), or neither
 * (`round`). A summary is best installed where the work pauses (cc#10948).
 *
 * @example
 * boundaryOf({ added: [say('now the tests')] }); // 'turn'
 */
export function boundaryOf({ added }: { readonly added: readonly Message[] }): Situation['boundary'] {
  if (added.some(isHumanMessage)) return 'turn';
  return added.some(finishesTask) ? 'task' : 'round';
}

/** How many messages are sent, how many of them are answers, and how many finished tool rounds this turn has. */
export function countsOf(context: Context): Pick<Situation, 'messages' | 'rounds' | 'roundsInTurn'> {
  const messages = context.items.slice(headLength(context)).map(({ message }) => message);
  const spoken = messages.findLastIndex(isHumanMessage);
  const isDone = (index: number) => messages[index + 1]?.parts.some(({ type }) => type === 'tool_result') ?? false;
  return {
    messages: messages.length,
    rounds: messages.filter(({ role }) => role === 'assistant').length,
    roundsInTurn: messages.filter(({ role }, index) => index > spoken && role === 'assistant' && isDone(index)).length,
  };
}
