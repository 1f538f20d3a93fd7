import { isHumanMessage } from '../../message/index.ts';
import type { Entry } from '../../session/index.ts';
import { historyOf } from '../../session/internal.ts';

/** Where in the conversation something happened. A round is one answer of the model with the results of its calls. */
export interface RoundCounters {
  readonly rounds: number;
  /** Since the newest compaction that was not undone. */
  readonly roundsSinceCompaction: number;
  /** The number of the turn, from 1: a turn begins where a person speaks. */
  readonly turn: number;
  /** Rounds of that turn so far. */
  readonly roundInTurn: number;
  /** Whether the model is in the middle of a turn: results of its calls are what it answers next. */
  readonly isDuringToolCalling: boolean;
}

/**
 * Counts the rounds and turns of a path.
 *
 * @example
 * countRounds(await session.path()).roundsSinceCompaction; // 41
 */
export function countRounds(path: readonly Entry[]): RoundCounters {
  const counted = { rounds: 0, roundsSinceCompaction: 0, turn: 0, roundInTurn: 0, isDuringToolCalling: false };
  const inForce = new Set(historyOf({ entries: path }).done.map(({ entry }) => entry.parentId));
  for (const entry of path) {
    if (entry.type === 'compaction' && inForce.has(entry.id)) counted.roundsSinceCompaction = 0;
    if (entry.type !== 'message' || entry.message.role === 'system') continue;
    const { message } = entry;
    counted.isDuringToolCalling = message.parts.some(({ type }) => type === 'tool_result');
    if (message.role === 'assistant') {
      counted.rounds += 1;
      counted.roundsSinceCompaction += 1;
      counted.roundInTurn += 1;
    } else if (isHumanMessage(message)) {
      counted.turn += 1;
      counted.roundInTurn = 0;
    }
  }
  return counted;
}
