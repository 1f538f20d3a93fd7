import { isMeant, type ShellCommand, type ShellEvent, type ShellInputs } from 'longhaul/engine';

/** Ids as the real ones look. */
const [session, from, to] = ['019b0000-0000-7000-8000-000000000001', 'entry-before', 'entry-after'];

/**
 * An event to try a hook with. Its trigger is one that the command is meant for.
 *
 * @example
 * sampleOf({ event: 'PreCompact', command, cwd: '/repo', at: Date.now() });
 */
export function sampleOf<Event extends ShellEvent>({
  event,
  command: { matcher = '' },
  cwd,
  at,
}: {
  readonly event: Event;
  readonly command: ShellCommand;
  readonly cwd: string;
  readonly at: number;
}): ShellInputs[Event] {
  const trigger = ['manual', 'threshold', ...matcher.split('|')].find((name) => isMeant({ matcher, trigger: name }));
  const common = { session, at, cwd, trigger: trigger?.trim() ?? 'manual' };
  const samples: ShellInputs = {
    PreCompact: { ...common, tokens: 90_000, window: 128_000, messages: 120, focus: 'what a person asked for' },
    Compacting: { ...common, handles: { from: 2, to: 80 }, budget: 8_000 },
    PostCompact: {
      ...common,
      entry: to,
      result: {
        ...{ installed: true, worthwhile: true, reason: 'A sample: nothing was compacted.', strategy: 'extractive' },
        ...{ tokensBefore: 90_000, tokensAfter: 20_000, summary: '## Overview\n\nA sample of a summary.' },
      },
    },
    PreMove: { ...common, from, to, ancestor: null, abandoned: 12, summarize: true },
    PostMove: { ...common, from, to, leaf: to },
  };
  return samples[event];
}
