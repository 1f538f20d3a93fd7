/**
 * Context for inline completions: the text around a cursor, and what the code there refers to, within a budget.
 *
 * @module
 */
export type { CompletionContext } from './assemble.ts';
export { type CompletionMode, completionModes } from './budget.ts';
export { completionContext } from './complete-at.ts';
export { type CompletionEditor, createCompletionEditor, type Gather } from './editor.ts';
export type { CursorPlace } from './gather.ts';
export type { CompletionItem } from './item.ts';
export { type SimilarSnippet, similarSnippets } from './similar.ts';
