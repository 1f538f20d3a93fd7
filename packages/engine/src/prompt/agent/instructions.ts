import type { BasePromptElementProps, PromptPiece, PromptPieceChild } from '../element.ts';
import { SystemMessage } from '../elements/messages.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import { h } from '../jsx.ts';
import { tagged } from './tagged.ts';

/** The props of what the model is told to do. */
export interface InstructionsProps extends BasePromptElementProps {
  /** Rules that stand in files, such as AGENTS.md; later ones go first when there is no room. */
  files?: readonly { readonly path: string; readonly text: string }[];
  /** A cache breakpoint behind them: they are the same in every request. */
  cached?: boolean;
  children?: PromptPieceChild;
}

/**
 * What the model is told to do, in one system message: what is written inside, then the files it rests on.
 *
 * @example
 * h(Instructions, { files: [{ path: 'AGENTS.md', text: rules }], cached: true }, 'You are a careful engineer.');
 */
export function Instructions({ files = [], cached = false, children }: InstructionsProps): PromptPiece {
  return h(
    SystemMessage,
    {},
    h(TextChunk, {}, children),
    ...files.map(({ path, text }, index) =>
      h(TextChunk, { priority: 1_000_000 - index }, tagged({ tag: 'instructions', facts: { path }, text })),
    ),
    cached && h('cacheBreakpoint', { type: 'ephemeral' }),
  );
}
