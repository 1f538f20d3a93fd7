import type { ContentPart, Json, JsonObject, ToolDefinition } from '../message/index.ts';
import type { Access } from './permission.ts';

/** What a tool is told when it runs. */
export interface ToolRun {
  /** What the model wrote, read as JSON. The tool checks it itself; a wrong one is an answer, not an exception. */
  readonly input: JsonObject;
  readonly callId: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Output as it comes, for whoever watches. It is no part of the result. */
  readonly onOutput?: (text: string) => void;
}

/** What a tool gives back. Failures are results that the model can read. */
export interface ToolOutcome {
  readonly content: readonly ContentPart[];
  readonly isError?: true;
  /** For people and programs that watch, never for the model: a diff, an exit code. */
  readonly details?: Json;
}

/**
 * Something the model may do.
 *
 * @example
 * const clock: Tool = {
 *   definition: { name: 'clock', description: 'Tells the time.', inputSchema: { type: 'object', properties: {} } },
 *   access: () => ({ kind: 'none' }),
 *   run: async () => ({ content: [{ type: 'text', origin: 'tool', text: new Date().toISOString() }] }),
 * };
 */
export interface Tool {
  readonly definition: ToolDefinition;
  /** What a call would touch, before anybody decides about it. It changes nothing. */
  access(input: JsonObject): Access | Promise<Access>;
  run(call: ToolRun): Promise<ToolOutcome>;
  /**
   * A call that was interrupted is not run again, although it touches nothing itself: what it sets going may have had
   * effects. Without it, whatever only looks may be looked at again after a crash.
   */
  readonly isOnce?: true;
  /** It acts on the session that it was made for; a sub-agent, which has its own, does not get it. */
  readonly isBound?: true;
  /** Gives the next turn its own budget, where the tool has one. */
  beginTurn?(): void;
  /** Ends what the tool left running. */
  close?(): Promise<void>;
}
