/**
 * Changes reduced to the definitions around them, within a token budget.
 *
 * @module
 */
export { type ChangedFile, changedFiles, changedLines, type LineSpan } from './hunks.ts';
export {
  type ChangeForm,
  type ChangeInput,
  type ReducedChange,
  reduceChanges,
  SplitInputError,
  splitChanges,
} from './reduce.ts';
