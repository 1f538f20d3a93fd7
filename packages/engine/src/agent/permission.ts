import type { JsonObject } from '../message/index.ts';

/**
 * What a call touches. `none` touches nothing outside the conversation. Paths are absolute and real: links and `..` are
 * resolved before anybody decides.
 */
export type Access =
  | { readonly kind: 'none' }
  | { readonly kind: 'read' | 'write'; readonly paths: readonly string[]; readonly isOutside: boolean }
  | {
      readonly kind: 'execute';
      readonly command: string;
      readonly cwd: string;
      /** The sandbox of this agent, if it has one, and whether the command is to leave it. */
      readonly sandbox?: { readonly name: string; readonly network: boolean; readonly isLeft: boolean };
    };

/** A call that somebody has to decide about. */
export interface PermissionRequest {
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly access: Access;
  /** One line for people: what would happen. */
  readonly summary: string;
  /** Why it is asked about; for whoever is asked. */
  readonly reason?: string;
  /** A hook wants a person to decide, whatever the rules allow: why. */
  readonly mustAsk?: string;
  /** A hook has answered in place of the person who would be asked. It is no answer to a rule that denies. */
  readonly isApproved?: true;
}

/** `always` allows this and every call like it for as long as the agent lives. */
export type PermissionAnswer = 'allow' | 'always' | { readonly deny: string };

/** Who is asked. Only people and programs of theirs are; nothing that a model or a tool wrote is ever an answer. */
export type Approver = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>;

/** Decides about calls before they run. */
export interface Permissions {
  decide(
    request: PermissionRequest,
    signal: AbortSignal,
  ): Promise<{ readonly allowed: true } | { readonly allowed: false; readonly why: string }>;
}
