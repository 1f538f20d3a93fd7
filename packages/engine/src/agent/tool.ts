import type { ContentPart, Json, JsonObject, ToolDefinition } from '../message/index.ts';
import type { Access } from './permission.ts';
import type { FileWrite } from './rollback/file-history.ts';

/** Input of a tool call. */
export interface ToolRun {
  /**
   * The arguments of the model, parsed as JSON. The tool validates them; invalid ones are a result, not an exception.
   */
  readonly input: JsonObject;
  readonly callId: string;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Streams output to observers; not part of the result. */
  readonly onOutput?: (text: string) => void;
}

/** The result of a tool. Failures are results that the model can read. */
export interface ToolOutcome {
  readonly content: readonly ContentPart[];
  readonly isError?: true;
  /** For observers, never for the model: a diff, an exit code. */
  readonly details?: Json;
  /** The files it wrote, for the file history: what others write at the same time is not attributed to it. */
  readonly written?: readonly FileWrite[];
}

/**
 * A tool that the model may call.
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
  /** What a call would access, for the permission decision. Has no side effects. */
  access(input: JsonObject): Access | Promise<Access>;
  run(call: ToolRun): Promise<ToolOutcome>;
  /** What a call would change, as a unified diff, for the permission question. Has no side effects. */
  preview?(input: JsonObject): Promise<string | undefined>;
  /**
   * An interrupted call is not repeated although it has no direct effects: what it started may have had some. Without
   * this flag, calls that only read may run again after a crash.
   */
  readonly isOnce?: true;
  /** May be called, but is not sent with requests: the model learns about it from the result of another tool. */
  readonly isHidden?: true;
  /** Bound to its session; sub-agents have their own session and do not get it. */
  readonly isBound?: true;
  /** Resets the budget of the tool, if it has one. */
  beginTurn?(): void;
  /** Ends processes that the tool left running. */
  close?(): Promise<void>;
}

/**
 * Tools that may change while the agent works, such as those of MCP servers. They are read before each request; however
 * many changed, the change opens one epoch. The owner of the source closes it.
 *
 * @example
 * const current: Tool[] = [];
 * const source: ToolSource = { tools: () => current };
 */
export interface ToolSource {
  tools(of: {
    /** The context window of the model, in tokens. */
    readonly window: number;
  }): readonly Tool[];
}
