import { invalid } from './anthropic-error.ts';
import type { Placed, Turn } from './anthropic-turns.ts';
import type { Finding } from './verdict.ts';

/** Every `tool_use` is answered once, at the beginning of the next user turn, and nothing else is answered. */
export function judgePairing(turns: readonly Turn[]): Finding {
  const seen = new Set<string>();
  for (const [at, turn] of turns.entries()) {
    const finding =
      turn.role === 'assistant'
        ? (judgeCallIds({ turn, seen }) ?? judgeAnswered({ turn, next: turns[at + 1] }))
        : judgeResults({ turn, previous: turns[at - 1] });
    if (finding) return finding;
  }
  return undefined;
}

function judgeCallIds({ turn, seen }: { turn: Turn; seen: Set<string> }): Finding {
  for (const placed of ofType(turn, 'tool_use')) {
    const id = String(placed.block.id);
    if (seen.has(id))
      return invalid({ path: pathOf(placed), message: `${nameOf(placed)}: \`tool_use\` ids must be unique` });
    seen.add(id);
  }
  return undefined;
}

function judgeAnswered({ turn, next }: { turn: Turn; next: Turn | undefined }): Finding {
  const calls = ofType(turn, 'tool_use');
  if (calls.length === 0) return undefined;
  const answered = new Set(leadingResults(next).map(({ block }) => block.tool_use_id));
  const open = calls.filter(({ block }) => !answered.has(block.id));
  const first = open[0];
  if (!first) return undefined;
  return invalid({
    path: `messages[${first.message}]`,
    message: `messages.${first.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open
      .map(({ block }) => String(block.id))
      .join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  });
}

/** Only results that stand before all other content count: "tool_result blocks must come FIRST" (tool use guide). */
function leadingResults(turn: Turn | undefined): Placed[] {
  if (turn?.role !== 'user') return [];
  const end = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result');
  return end === -1 ? turn.blocks : turn.blocks.slice(0, end);
}

function judgeResults({ turn, previous }: { turn: Turn; previous: Turn | undefined }): Finding {
  const results = ofType(turn, 'tool_result');
  if (results.length === 0) return undefined;
  const calls = previous?.role === 'assistant' ? ofType(previous, 'tool_use') : [];
  const ids = new Set(calls.map(({ block }) => block.id));
  const seen = new Set<unknown>();
  for (const placed of results) {
    const id = placed.block.tool_use_id;
    if (!ids.has(id))
      return invalid({
        path: pathOf(placed),
        message: `${nameOf(placed)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      });
    if (seen.has(id))
      return invalid({
        path: pathOf(placed),
        message: `${nameOf(placed)}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`,
      });
    seen.add(id);
  }
  return undefined;
}

function ofType(turn: Turn, type: string): Placed[] {
  return turn.blocks.filter(({ block }) => block.type === type);
}

function pathOf({ message, index }: Placed): string {
  return `messages[${message}].content[${index}]`;
}

function nameOf({ message, index }: Placed): string {
  return `messages.${message}.content.${index}`;
}
