/**
 * Documents reduced to their most relevant parts, within a budget.
 *
 * @module
 */
export type { NodeKind } from '../structure/languages.ts';
export { readStructure } from '../structure/read-structure.ts';
export type { SourceDocument, Structure, StructureNode } from '../structure/structure.ts';
export { attachmentCost, type CostOverride } from './cost.ts';
export { type CountTokens, outlineWithin } from './fit.ts';
export { outlineLines } from './lines.ts';
export {
  type OutlineDocument,
  type OutlinedDocument,
  type OutlinedNode,
  type OutlineOptions,
  type OutlineResult,
  outline,
} from './outline.ts';
export type { Projection } from './projection.ts';
export type { LineNumbers, Segment } from './render.ts';
export type { OffsetRange, OutlineNode } from './tree.ts';
