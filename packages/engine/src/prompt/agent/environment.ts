import type { BasePromptElementProps, PromptPiece, PromptPieceChild } from '../element.ts';
import { UserMessage } from '../elements/messages.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import { h } from '../jsx.ts';
import { opening } from './tagged.ts';

/** Props of the environment. */
export interface EnvironmentProps extends BasePromptElementProps {
  /** Facts about the environment, in order; the last is pruned first. */
  facts: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Adds a cache breakpoint after it. */
  cached?: boolean;
  /** Text after the facts. */
  children?: PromptPieceChild;
}

/**
 * The environment of the agent: folder, system, date, repository state. It is a user message that the user did not
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
