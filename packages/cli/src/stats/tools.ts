import type { Message } from 'longhaul/message';
import { isToolCall } from 'longhaul/session';

/** How often a tool was called, and how often it failed. */
export interface ToolCount {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
}

/** Counts calls and failures by tool. */
export interface ToolTally {
  readonly take: (message: Message) => void;
  /** The busiest first. */
  readonly counted: () => readonly ToolCount[];
}

export function createToolTally(): ToolTally {
  const tools = new Map<string, ToolCount>();
  /** The names of calls that have no result yet: not every dialect repeats them on the result. */
  const open = new Map<string, string>();
  const count = (name: string, more: Partial<ToolCount>) => {
    const { calls, errors } = tools.get(name) ?? { calls: 0, errors: 0 };
    tools.set(name, { name, calls: calls + (more.calls ?? 0), errors: errors + (more.errors ?? 0) });
  };
  return {
    take({ parts }) {
      for (const part of parts) {
        if (part.type === 'tool_call') open.set(part.id, part.name);
        if (isToolCall(part)) count(part.type === 'tool_call' ? part.name : part.kind, { calls: 1 });
        if (part.type !== 'tool_result') continue;
        const name = part.name ?? open.get(part.callId) ?? 'unknown';
        open.delete(part.callId);
        if (part.isError) count(name, { errors: 1 });
      }
    },
    counted: () => [...tools.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1)),
  };
}
