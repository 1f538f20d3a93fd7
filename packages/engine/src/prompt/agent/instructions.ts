import type { BasePromptElementProps, PromptPiece, PromptPieceChild } from '../element.ts';
import { SystemMessage } from '../elements/messages.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import { h } from '../jsx.ts';
import { tagged } from './tagged.ts';

/** Props of the instructions. */
export interface InstructionsProps extends BasePromptElementProps {
  /** Instruction files such as AGENTS.md; later ones are pruned first. */
  files?: readonly { readonly path: string; readonly text: string }[];
  /** Adds a cache breakpoint after them: they are the same in every request. */
  cached?: boolean;
  children?: PromptPieceChild;
}

/**
 * The instructions in one system message: the children, then the files.
 *
 * @example
 * h(Instructions, { files: [{ path: 'AGENTS.md', text }], cached: true }, 'You are a careful engineer.');
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
