import type { JsonObject } from '../message/index.ts';

/**
 * What a call accesses. `none` has no access outside the conversation. Paths are absolute and real: links and `..` are
 * resolved before the decision.
 */
export type Access =
  | { readonly kind: 'none' }
  | { readonly kind: 'read' | 'write'; readonly paths: readonly string[]; readonly isOutside: boolean }
  | {
      readonly kind: 'execute';
      readonly command: string;
      readonly cwd: string;
      /** The sandbox of this agent, if any, and whether the command runs outside of it. */
      readonly sandbox?: { readonly name: string; readonly network: boolean; readonly isLeft: boolean };
    }
  /** A request to a web server that only reads. */
  | { readonly kind: 'fetch'; readonly url: string; readonly host: string }
  /** A tool of another program, such as an MCP server. */
  | {
      readonly kind: 'remote';
      readonly server: string;
      /** The name that rules use, whatever tool the call goes through: `mcp__SERVER__TOOL`. */
      readonly tool: string;
      /** What the server declares; it may be wrong. */
      readonly isReadOnly: boolean;
      /** Changes with the description or the schema of the tool: consent holds for what was shown. */
      readonly fingerprint: string;
    };

/** A call that needs a decision. */
export interface PermissionRequest {
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly access: Access;
  /** One line that says what would happen. */
  readonly summary: string;
  /** Why approval is needed; shown to the approver, after the reason that the rules give. */
  readonly reason?: string;
  /** What a call would change, as a unified diff; only for the approver. */
  readonly preview?: string;
  /** A hook requires approval, even if rules allow the call: the reason. */
  readonly mustAsk?: string;
  /** Nothing depends on it: where the user cannot be asked, it is left out without a report. */
  readonly isOptional?: true;
  /** A hook approved it in place of the user. Rules that deny still apply. */
  readonly isApproved?: true;
}

/** `always` allows this and every identical call for the lifetime of the agent. */
export type PermissionAnswer = 'allow' | 'always' | { readonly deny: string };

/** Asks for approval. Only people and their programs approve; text of a model or tool is never an answer. */
export type Approver = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>;

/** Decides about calls before they run. */
export interface Permissions {
  decide(
    request: PermissionRequest,
    signal: AbortSignal,
    /** Describes the change for the approver; called only if there is a question. */
    preview?: () => Promise<string | undefined>,
  ): Promise<{ readonly allowed: true } | { readonly allowed: false; readonly why: string }>;
}
