import type { BasePromptElementProps, PromptPiece, PromptPieceChild } from '../element.ts';
import { UserMessage } from '../elements/messages.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import { h } from '../jsx.ts';
import { opening } from './tagged.ts';

/** The props of what is told about the place where the agent works. */
export interface EnvironmentProps extends BasePromptElementProps {
  /** What holds where the agent works, in the order in which it is told; the last goes first when there is no room. */
  facts: Readonly<Record<string, string | number | boolean | undefined>>;
  /** A cache breakpoint behind it. */
  cached?: boolean;
  /** What is told after the facts. */
  children?: PromptPieceChild;
}

/**
 * Where the agent works: folder, system, date, state of the repository. It is a message of the user that the user did not
 * write, so it has a name and no authority.
 *
 * @example
 * h(Environment, { facts: { cwd: '/home/me/shop', platform: 'linux', today: '2026-11-15' }, cached: true });
 */
export function Environment({ facts, cached = false, children }: EnvironmentProps): PromptPiece {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return h(
    UserMessage,
    { name: 'environment' },
    h(TextChunk, {}, opening({ tag: 'environment', facts: {} })),
    ...known.map(([name, value], index) => h(TextChunk, { priority: known.length - index }, `${name}: ${value}`)),
    children,
    h(TextChunk, {}, '</environment>'),
    cached && h('cacheBreakpoint', { type: 'ephemeral' }),
  );
}
