import type { HookName } from '../../types.ts';

/** A command of the user's shell that is a hook. */
export interface ShellCommand {
  readonly command: string;
  /** Seconds until it is ended, with all that it has started; 10 by default. */
  readonly timeout?: number;
  /** For which triggers: `manual`, `auto` or one of ours, several with `|` between them; for all by default. */
  readonly matcher?: string;
  /** The names of further environment variables that it may see. */
  readonly env?: readonly string[];
}

/** When shell hooks run, by the names that Claude Code has for them where it has one. */
export const shellEvents = {
  PreCompact: 'beforeCompaction',
  Compacting: 'compacting',
  PostCompact: 'afterCompaction',
  PreMove: 'beforeMove',
  PostMove: 'afterMove',
} as const satisfies Record<string, HookName>;

export type ShellEvent = keyof typeof shellEvents;

/** The commands for each event, in the order in which they run. */
export type ShellCommands = { readonly [Event in ShellEvent]?: readonly ShellCommand[] };

/** Time limit of a command that sets none. Seconds. */
export const defaultCommandTimeout = 10;

/**
 * Whether the matcher of a command accepts a trigger.
 *
 * @example
 * matchesTrigger({ matcher: 'auto', trigger: 'threshold' }); // true
 */
export function matchesTrigger({
  matcher,
  trigger,
}: {
  readonly matcher?: string | undefined;
  readonly trigger: string;
}): boolean {
  return matcherAccepts({ matcher, names: [trigger, sideOf(trigger)] });
}

/** Whether a matcher has one of the names, in any case (`Bash|Edit`); an empty one and `*` accept everything. */
export function matcherAccepts({
  matcher = '',
  names,
}: {
  readonly matcher?: string | undefined;
  readonly names: readonly string[];
}): boolean {
  const accepted = new Set(['', '*', ...names.map((name) => name.toLowerCase())]);
  return matcher.split('|').some((name) => accepted.has(name.trim().toLowerCase()));
}

/** Who asked, in the two words that hooks of other agents know (editor.md 3.10: there it says `auto` even for `/compact`). */
export function sideOf(trigger: string): 'manual' | 'auto' {
  return trigger === 'manual' ? 'manual' : 'auto';
}
